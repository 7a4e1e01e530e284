// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace headscope::core {

/// The vocabulary object that a run on bytes leaves behind (torch.save): which byte each id stands for. Nothing of the object is made; its
/// dictionary, list or set of distinct bytes is read. Throws Error naming the file when it holds none.
std::vector<std::uint8_t> readByteVocabulary(const std::filesystem::path& path);

} // namespace headscope::core
