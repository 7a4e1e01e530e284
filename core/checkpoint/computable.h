// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/checkpoint.h"

#include <optional>
#include <string>
#include <string_view>

namespace headscope::core {

/// The one place that says which element types weights are computed with: float64, float32, float16 and bfloat16 are what
/// their numbers say. Everything else is a code whose meaning (scale factors, zero points, a bit width, an order of bits)
/// stands elsewhere, and is refused. Throws Error that names the tensor, its type and what would be needed; `checkpoint` tells
/// what lies beside the tensor.
void requireComputable(const TensorView& tensor, const Checkpoint& checkpoint);

/// The same refusal for a tensor alone.
[[noreturn]] void throwNotComputable(const TensorView& tensor);

/// Of a tensor that is absent: the one that quantised weights leave in its place ("layer.qweight" for "layer.weight").
std::optional<std::string> quantisedInstead(const Checkpoint& checkpoint, std::string_view name);

} // namespace headscope::core
