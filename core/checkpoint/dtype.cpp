// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/dtype.h"

#include <array>

namespace headscope::core {
namespace {

struct DTypeRow {
    DType dtype;
    std::string_view name;
    std::size_t size;
};

constexpr std::array kDTypes = {
    DTypeRow{DType::F64, "F64", 8},   DTypeRow{DType::F32, "F32", 4},        DTypeRow{DType::F16, "F16", 2},
    DTypeRow{DType::BF16, "BF16", 2}, DTypeRow{DType::I64, "I64", 8},        DTypeRow{DType::I32, "I32", 4},
    DTypeRow{DType::I16, "I16", 2},   DTypeRow{DType::I8, "I8", 1},          DTypeRow{DType::U8, "U8", 1},
    DTypeRow{DType::Bool, "BOOL", 1}, DTypeRow{DType::U64, "U64", 8},        DTypeRow{DType::U32, "U32", 4},
    DTypeRow{DType::U16, "U16", 2},   DTypeRow{DType::F8E4M3, "F8_E4M3", 1}, DTypeRow{DType::F8E5M2, "F8_E5M2", 1},
    DTypeRow{DType::C64, "C64", 8},   DTypeRow{DType::C128, "C128", 16},     DTypeRow{DType::Other, "other", 0},
};

const DTypeRow& row(DType dtype)
{
    for (const DTypeRow& entry : kDTypes) {
        if (entry.dtype == dtype)
            return entry;
    }
    return kDTypes.back();
}

} // namespace

std::size_t elementSize(DType dtype)
{
    return row(dtype).size;
}

std::string_view dtypeName(DType dtype)
{
    return row(dtype).name;
}

std::optional<DType> dtypeFromSafetensors(std::string_view name)
{
    for (const DTypeRow& entry : kDTypes) {
        if (entry.name == name && entry.dtype != DType::Other)
            return entry.dtype;
    }
    return std::nullopt;
}

bool isFloat(DType dtype)
{
    return dtype == DType::F64 || dtype == DType::F32 || dtype == DType::F16 || dtype == DType::BF16;
}

} // namespace headscope::core
