// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace headscope::core {

/// Element types as they stand in files. Those after `Bool` can be listed but not computed with.
enum class DType : std::uint8_t {
    F64,
    F32,
    F16,
    BF16,
    I64,
    I32,
    I16,
    I8,
    U8,
    Bool,
    U64,
    U32,
    U16,
    F8E4M3,
    F8E5M2,
    C64,
    C128,
    Other,
};

/// Bytes of one element; 0 for Other (sub-byte and unknown types).
std::size_t elementSize(DType dtype);
/// The safetensors name ("F32", "BF16", …); "other" for Other.
std::string_view dtypeName(DType dtype);
/// By safetensors name, exact case; nullopt for a name this program does not know.
std::optional<DType> dtypeFromSafetensors(std::string_view name);
bool isFloat(DType dtype);

} // namespace headscope::core
