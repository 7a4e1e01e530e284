// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/families/arguments.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headscope::core::moe_attention {

/// Whether the head width that the hyper-parameters say is compared as well.
enum class HeadWidth : std::uint8_t { Compared, Open };

/// Why the first layer's attention cannot have this many heads, judged by its tensors and by what the hyper-parameters say
/// about widths and experts: a part of a sentence; empty when it can. `width` is d.
std::string whyNotHeads(const Checkpoint& checkpoint, const Arguments& arguments, std::int64_t width, std::int64_t heads,
                        HeadWidth wanted = HeadWidth::Compared);

/// The numbers of heads that fit, ascending.
std::vector<std::int64_t> fittingHeads(const Checkpoint& checkpoint, const Arguments& arguments, std::int64_t width,
                                       HeadWidth wanted = HeadWidth::Compared);

/// d, from the shapes; 0 where the embedding is no matrix.
std::int64_t modelWidth(const Checkpoint& checkpoint);

/// The keys that the number of experts of q, k, v or o comes from, the first that is given counts.
std::vector<std::string_view> expertKeys(char letter);

/// What the tensors allow for a hyper-parameter that is missing.
MissingParameter aboutMissing(const Checkpoint& checkpoint, const Arguments& arguments, std::string_view key);

} // namespace headscope::core::moe_attention
