// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/dtype.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace headscope::test {

struct TorchTensor {
    std::string name = {};
    std::vector<std::int64_t> shape = {};
    std::vector<double> values = {}; // of the storage, rounded to `dtype`
    core::DType dtype = core::DType::F32;
    std::vector<std::int64_t> strides = {}; // in elements; empty means row-major
    std::int64_t offset = 0;                // in elements
    std::string storageOf = {};             // an earlier tensor whose storage this one uses; then `values` is not used
};

/// A value of the training arguments; monostate is None.
using TorchArg = std::variant<std::monostate, bool, std::int64_t, double, std::string>;
using TorchArgs = std::vector<std::pair<std::string, TorchArg>>;

enum class OptimizerState { None, Adam };
enum class TorchLayout {
    Training,  // {state, run_invariants: {args}, optimizer, model}, as the moe_attention training code saves
    StateDict, // the tensors at the top level
};
enum class TorchContainer { Zip, Legacy };

struct TorchCheckpoint {
    std::vector<TorchTensor> tensors = {};
    TorchArgs args = {};
    OptimizerState optimizer = OptimizerState::None; // Adam: two more tensors of each tensor's size
    TorchLayout layout = TorchLayout::Training;
    TorchContainer container = TorchContainer::Zip;
    std::int64_t iteration = 100;
    std::string rootFolder = "save_tmp"; // inside the zip archive
    std::string modelKey = "model";      // of the training layout; "" leaves the dict out
    std::vector<std::pair<std::string, std::vector<TorchTensor>>> others = {}; // more dicts of tensors at the top level
    std::vector<TorchTensor> topLevel = {};                                    // and tensors there
    std::string byteOrder = "little";    // of the entry "byteorder"; "" leaves the entry out
};

/// The bytes of a file as torch.save would write it (pickle protocol 2).
std::string torchCheckpointBytes(const TorchCheckpoint& checkpoint);
void writeTorchCheckpoint(const std::filesystem::path& path, const TorchCheckpoint& checkpoint);

/// Little-endian elements of `dtype`, rounded to nearest even.
std::string encodeElements(const std::vector<double>& values, core::DType dtype);

} // namespace headscope::test
