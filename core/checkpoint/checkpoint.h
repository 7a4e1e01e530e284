// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/dtype.h"
#include "core/checkpoint/file_bytes.h"
#include "core/missing_parameters.h"
#include "core/progress.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core {

/// A tensor in a file: where it is, not what it holds. Cheap to copy; nothing is read until `read`. Every field has been
/// checked against the file (range, overflow, strides inside the storage).
struct TensorView {
    std::string name;
    DType dtype = DType::Other;
    std::string dtypeText;             // as the file says it, for messages ("F8_E4M3", "torch.HalfStorage")
    std::vector<std::int64_t> shape;   // empty for a scalar
    std::vector<std::int64_t> strides; // in elements, as many as shape
    std::uint64_t storageBegin = 0;    // byte offset in the file where the storage begins
    std::uint64_t storageBytes = 0;    // bytes of the storage
    std::uint64_t offset = 0;          // of the first element inside the storage, in elements
    std::shared_ptr<const FileBytes> file;

    std::int64_t elementCount() const;
    std::uint64_t byteCount() const { return static_cast<std::uint64_t>(elementCount()) * elementSize(dtype); }
    bool contiguous() const;
    /// The same storage and layout as another (tied weights).
    bool sharesStorageWith(const TensorView& other) const;
    /// "[4000, 192] F16"
    std::string describe() const;
    /// Row-major bytes in the file's dtype, strides resolved. Reads only the bytes it needs. Throws Error.
    std::vector<std::byte> read() const;
    /// Row-major values widened to float. F64, integers and Bool are converted. Throws Error for a dtype that cannot be.
    std::vector<float> readFloats() const;
    /// As readFloats for rows [begin, end) of the first dimension only.
    std::vector<float> readFloatRows(std::int64_t begin, std::int64_t end) const;
};

/// Hyper-parameters of one place.
struct ParameterSource {
    enum class Author : std::uint8_t {
        User,     // written for this program: headscope.json, --sidecar, a form
        Training, // left by a training code: run_invariants.args, args.json, config.json
    };
    std::string name;           // for a reader: "headscope.json", "run_invariants.args", "given by the user"
    nlohmann::json values;      // an object
    Author author = Author::Training;
    std::filesystem::path path = {}; // of its file; empty: the checkpoint itself, or none
};

/// What training left behind, opened but not read: the tensors of the *model* and the hyper-parameters beside them.
/// Immutable; safe to share between threads.
struct Checkpoint {
    std::filesystem::path path;      // as the user gave it
    std::string container;           // "safetensors", "PyTorch zip", "PyTorch legacy"
    std::vector<TensorView> tensors; // sorted by name; optimizer state and other tensors are not among them
    std::vector<ParameterSource> parameterSources; // those that come first first; each key counts where it is first
    nlohmann::json hyperParameters;  // all of them, merged: an object; null when none were found
    std::string hyperParametersFrom; // names of the sources: "headscope.json and run_invariants.args", "args.json" or ""
    nlohmann::json extras;           // other plain values of the top level (training step, …); an object
    std::vector<std::string> notes;  // odd but usable findings, one sentence each

    /// nullptr when absent.
    const TensorView* find(std::string_view name) const;
    /// Bytes of the distinct storages of `tensors` (tied weights count once).
    std::uint64_t modelBytes() const;
    /// Bytes read so far from all files of this checkpoint.
    std::uint64_t bytesRead() const;
    std::vector<std::shared_ptr<const FileBytes>> files; // every file that was opened
};

struct CheckpointOptions {
    std::filesystem::path sidecar = {}; // hyper-parameters in the place of a headscope.json beside the checkpoint
    GivenParameters given = {};         // hyper-parameters that come before those of any file
    std::string weights = {};           // of several sets of weights this one ("ema"): a key, or what stands before the names
    std::function<bool(const Checkpoint&)> recognises = {}; // whether names (and nothing else) are those of a model
};

/// Opens a file, or a folder that holds one checkpoint. What the bytes are decides, not the extension. Never executes
/// anything from the file. Throws Error with one sentence naming file, place, reason and remedy; Cancelled.
Checkpoint openCheckpoint(const std::filesystem::path& path, const CheckpointOptions& options = {},
                          const Progress& progress = {});

/// SHA-256 over sorted names, dtypes, shapes and row-major bytes of the model tensors, as hex. Reads everything: run it in
/// the background.
std::string fingerprint(const Checkpoint& checkpoint, const Progress& progress = {});

} // namespace headscope::core
