// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/file_bytes.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace headscope::core {

struct FileRange {
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
};

/// One file inside an archive, as the central directory tells it.
struct ZipEntry {
    std::uint64_t headerOffset = 0;
    std::uint64_t size = 0;
    std::uint64_t compressedSize = 0;
    std::uint64_t limit = 0; // where the next entry or the central directory begins
    std::uint16_t method = 0;
    std::uint16_t flags = 0;
};

/// The table of contents of a zip archive (zip64 too). Immutable.
struct ZipArchive {
    std::shared_ptr<const FileBytes> file;
    std::map<std::string, ZipEntry, std::less<>> entries;

    /// nullptr when absent.
    const ZipEntry* find(std::string_view name) const;
};

/// Reads the central directory and checks it: counts, offsets, sizes, duplicate names, overlaps. Local headers are not
/// touched: an archive with optimizer state has hundreds of them between the parts that matter. Throws Error.
ZipArchive readZipDirectory(std::shared_ptr<const FileBytes> file);

/// Where the bytes of a stored entry lie, after its local header has been compared with the directory. Throws Error for
/// compressed or encrypted entries and for headers that disagree.
FileRange storedRange(const ZipArchive& archive, std::string_view name);

} // namespace headscope::core
