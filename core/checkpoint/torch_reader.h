// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/pickle_value.h"
#include "core/checkpoint/zip_reader.h"

#include <map>
#include <optional>
#include <string>

namespace headscope::core {

/// A storage as the pickle names it: ('storage', torch.FloatStorage, '12', 'cuda:0', 4608).
struct TorchStorageRef {
    std::string key;
    std::string typeName;       // "torch.FloatStorage"
    DType dtype = DType::Other; // of the storage; U8 for an untyped one
    std::uint64_t elements = 0;
    std::uint64_t viewOffset = 0; // very old files name a part of a storage
};

/// A file written by torch.save: the object in it, described but not made, and where its storages lie. Immutable.
class TorchFile
{
public:
    /// The zip container (PyTorch 1.6 and later).
    static TorchFile openZip(std::shared_ptr<const FileBytes> file, const Progress& progress = {});
    /// The older container: pickles one after the other, then the storages.
    static TorchFile openLegacy(std::shared_ptr<const FileBytes> file, const Progress& progress = {});

    const std::shared_ptr<const FileBytes>& file() const { return m_file; }
    std::string container() const { return m_zip ? "PyTorch zip" : "PyTorch legacy"; }
    const PickleDocument& document() const { return m_document; }

    /// Also true for those that cannot be read (quantised, sparse, parts of tensors on several machines).
    bool isTensor(PickleId id) const;
    /// The tensor that a value of the document describes, checked against its storage; of one that cannot be read only what it
    /// is, in `dtypeText`. Throws Error.
    TensorView tensor(PickleId id, const std::string& name) const;

private:
    TorchFile() = default;
    std::optional<TensorView> otherTensor(PickleId id, const std::string& name) const;
    FileRange storageRange(const TorchStorageRef& storage, const std::string& tensorName) const;

    std::shared_ptr<const FileBytes> m_file;
    PickleDocument m_document;
    std::optional<ZipArchive> m_zip;
    std::string m_root;                          // the folder inside the zip archive, with its slash
    std::map<std::string, FileRange> m_storages; // legacy: data behind the element count
};

/// The storage behind a persistent id; nullopt when it does not describe one.
std::optional<TorchStorageRef> storageRef(const PickleDocument& document, PickleId persistent);

/// Opens the object and the storages of the legacy container.
struct TorchLegacyContent {
    PickleDocument document;
    std::map<std::string, FileRange> storages;
};
TorchLegacyContent readTorchLegacy(const FileBytes& file, const Progress& progress = {});

} // namespace headscope::core
