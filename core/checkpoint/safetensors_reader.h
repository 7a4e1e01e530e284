// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/checkpoint.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace headscope::core {

struct SafetensorsContent {
    std::vector<TensorView> tensors; // in the order of their names
    std::map<std::string, std::string> metadata;
};

/// Reads the header of a safetensors file: 8 bytes length, JSON, data. Everything it says is checked against the file; where
/// the official implementation refuses (overlaps, holes, trailing bytes, duplicate keys), so does this. Time and
/// memory are linear in the header's bytes. Throws Error, Cancelled.
SafetensorsContent readSafetensors(const std::shared_ptr<const FileBytes>& file, const Progress& progress = {});

} // namespace headscope::core
