// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/dtype.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace headscope::core {

/// Whether `convertToFloats` knows the type (F64 … Bool).
bool convertsToFloat(DType dtype);

/// Widens little-endian elements to float; `bytes` holds `into.size()` elements of a type that converts.
void convertToFloats(DType dtype, std::span<const std::byte> bytes, std::span<float> into);

float halfToFloat(std::uint16_t bits);

} // namespace headscope::core
