// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/computable.h"

#include "core/checkpoint/message_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

namespace headscope::core {
namespace {

/// What a type holds and what it would take to compute with it, for names that contain a word; the first that fits counts.
struct Meaning {
    std::string_view word; // in lower case
    std::string_view holds;
    std::string_view needs;
};

constexpr std::string_view kScales = "their scale factors would be needed";

constexpr std::array kMeanings = {
    Meaning{"meta", "no data (it was saved from the device meta)", "the weights themselves would be needed"},
    Meaning{"float8_e8m0", "powers of two that are scale factors of other tensors", "the format that uses them would be needed"},
    Meaning{"f8_e8m0", "powers of two that are scale factors of other tensors", "the format that uses them would be needed"},
    Meaning{"f8", "8-bit floats", kScales},
    Meaning{"float8", "8-bit floats", kScales},
    Meaning{"f6", "packed 6-bit floats", "the order of their bits and their scale factors would be needed"},
    Meaning{"float6", "packed 6-bit floats", "the order of their bits and their scale factors would be needed"},
    Meaning{"f4", "packed 4-bit floats", "the order of their bits and their scale factors would be needed"},
    Meaning{"float4", "packed 4-bit floats", "the order of their bits and their scale factors would be needed"},
    Meaning{"quint4x2", "packed quantised 4-bit integers", "their scale factors and zero points would be needed"},
    Meaning{"quint2x4", "packed quantised 2-bit integers", "their scale factors and zero points would be needed"},
    Meaning{"qint", "quantised integers", "their scale factors and zero points would be needed"},
    Meaning{"quint", "quantised integers", "their scale factors and zero points would be needed"},
    Meaning{"complex", "complex numbers", "a model that computes with them would be needed"},
    Meaning{"sparse", "a sparse tensor", "it would have to be saved dense"},
    Meaning{"nested", "a nested tensor", "it would have to be saved as plain tensors"},
    Meaning{"sharded", "one part of a tensor that lies on several machines", "all parts would have to be put together"},
    Meaning{"dtensor", "one part of a tensor that lies on several machines", "all parts would have to be put together"},
    Meaning{"i4", "packed 4-bit integers", "the order of their bits and their scale factors would be needed"},
    Meaning{"u4", "packed 4-bit integers", "the order of their bits and their scale factors would be needed"},
    Meaning{"int4", "packed 4-bit integers", "the order of their bits and their scale factors would be needed"},
    Meaning{"i2", "packed 2-bit integers", "the order of their bits and their scale factors would be needed"},
    Meaning{"int2", "packed 2-bit integers", "the order of their bits and their scale factors would be needed"},
    Meaning{"int1", "packed bits", "the meaning of their bits and their scale factors would be needed"},
};

Meaning meaningOf(const TensorView& tensor)
{
    switch (tensor.dtype) {
    case DType::F8E4M3:
    case DType::F8E5M2: return {"", "8-bit floats", kScales};
    case DType::C64:
    case DType::C128: return {"", "complex numbers", "a model that computes with them would be needed"};
    case DType::Bool: return {"", "truth values", "numbers would be needed"};
    case DType::I8:
    case DType::U8: return {"", "8-bit integers, as quantised or packed weights do", "a bit width and scale factors would be needed"};
    case DType::Other: break;
    default: return {"", "integers, as quantised or packed weights do", "a bit width and scale factors would be needed"};
    }
    std::string name = tensor.dtypeText;
    std::ranges::transform(name, name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    for (const Meaning& meaning : kMeanings) {
        if (name.find(meaning.word) != std::string::npos)
            return meaning;
    }
    return {"", "elements of a type that this program does not know", "their meaning would be needed"};
}

std::string_view withoutWeight(std::string_view name)
{
    constexpr std::string_view weight = ".weight";
    return name.ends_with(weight) ? name.substr(0, name.size() - weight.size()) : name;
}

/// Tensors beside `name` whose own names hold one of the words.
template <std::size_t N>
std::vector<std::string> beside(const Checkpoint& checkpoint, std::string_view name, const std::array<std::string_view, N>& words)
{
    constexpr std::size_t mostNames = 3;
    const std::string_view stem = withoutWeight(name);
    std::vector<std::string> found;
    auto tensor = std::ranges::lower_bound(checkpoint.tensors, stem, {}, [](const TensorView& t) { return std::string_view(t.name); });
    for (; tensor != checkpoint.tensors.end() && tensor->name.starts_with(stem) && found.size() < mostNames; ++tensor) {
        const std::string_view rest = std::string_view(tensor->name).substr(stem.size());
        const bool own = rest.empty() || rest.front() == '.' || rest.front() == '_';
        if (own && tensor->name != name &&
            std::ranges::any_of(words, [&](std::string_view word) { return rest.find(word) != std::string_view::npos; }))
            found.push_back(quotedName(tensor->name));
    }
    return found;
}

[[noreturn]] void refuse(const TensorView& tensor, const std::vector<std::string>& scales)
{
    const Meaning meaning = meaningOf(tensor);
    const std::string type = tensor.dtype == DType::Other ? shortened(tensor.dtypeText) : std::string(dtypeName(tensor.dtype));
    const std::string found = scales.empty() ? "" : fmt::format(" ({} beside it may be part of that)", fmt::join(scales, ", "));
    throw Error(fmt::format("{}: tensor {} holds {} ({}), which cannot be computed with here: {}{}; save the checkpoint as float32, "
                            "float16 or bfloat16.",
                            shown(tensor.file->path()), quotedName(tensor.name), meaning.holds, type, meaning.needs, found));
}

} // namespace

void requireComputable(const TensorView& tensor, const Checkpoint& checkpoint)
{
    constexpr std::array<std::string_view, 8> words = {"scale", "SCB", "absmax", "zero", "quant", "g_idx", "codebook", "scb"};
    if (!isFloat(tensor.dtype))
        refuse(tensor, beside(checkpoint, tensor.name, words));
}

void throwNotComputable(const TensorView& tensor)
{
    refuse(tensor, {});
}

std::optional<std::string> quantisedInstead(const Checkpoint& checkpoint, std::string_view name)
{
    constexpr std::array<std::string_view, 6> words = {"qweight", "weight_packed", "W_q", "weight_q", "quantized", "_packed"};
    const std::vector<std::string> found = beside(checkpoint, name, words);
    return found.empty() ? std::nullopt : std::optional(found.front());
}

} // namespace headscope::core
