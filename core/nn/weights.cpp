// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nn/weights.h"

#include "core/checkpoint/computable.h"
#include "core/checkpoint/message_text.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace headscope::core::nn {
namespace {

std::string shapeText(const std::vector<std::int64_t>& shape)
{
    if (std::ranges::none_of(shape, [](std::int64_t size) { return size < 0; }))
        return shownShape(shape);
    std::string text = "["; // -1: any
    for (std::size_t i = 0; i < shape.size(); ++i)
        text += fmt::format("{}{}", i ? ", " : "", shape[i] < 0 ? "any" : std::to_string(shape[i]));
    return text + "]";
}

bool fits(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& expected)
{
    if (shape.size() != expected.size())
        return false;
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (expected[i] >= 0 && shape[i] != expected[i])
            return false;
    return true;
}

} // namespace

Weights::Weights(const Checkpoint& checkpoint, Compute compute, Mode mode, Progress progress)
    : m_checkpoint(checkpoint), m_compute(compute), m_mode(mode), m_progress(std::move(progress))
{
}

const TensorView& Weights::view(std::string_view name) const
{
    const auto* found = m_checkpoint.find(name);
    if (const auto quantised = found ? std::nullopt : quantisedInstead(m_checkpoint, name))
        throw Error(fmt::format("{}: the tensor \"{}\" is missing, and {} lies in its place: quantised weights, whose bit width, scale factors and zero "
                                "points would be needed; save the checkpoint as float32, float16 or bfloat16.",
                                m_checkpoint.path.string(), name, *quantised));
    if (!found)
        throw Error(fmt::format("{}: the tensor \"{}\" is missing; the file is not a complete checkpoint of this family.",
                                m_checkpoint.path.string(), name));
    requireComputable(*found, m_checkpoint);
    return *found;
}

at::Tensor Weights::get(std::string_view name, const std::vector<std::int64_t>& expectedShape)
{
    const auto& wanted = view(name);
    if (!fits(wanted.shape, expectedShape))
        throw Error(fmt::format("{}: the tensor \"{}\" has shape {}, but the other tensors and the hyper-parameters ask for {}.",
                                m_checkpoint.path.string(), name, shapeText(wanted.shape), shapeText(expectedShape)));
    m_used.insert(wanted.name);
    const Place place{wanted.file.get(), wanted.storageBegin, wanted.offset, wanted.shape, wanted.strides};
    if (const auto known = m_loaded.find(place); known != m_loaded.end())
        return known->second;
    m_parameters += wanted.elementCount();
    const auto total = m_checkpoint.modelBytes();
    m_progress.at(total ? std::min(1.0, static_cast<double>(m_bytes) / static_cast<double>(total)) : 1.0, "reading weights");
    m_bytes += wanted.byteCount();
    return m_loaded.emplace(place, load(wanted)).first->second;
}

at::Tensor Weights::load(const TensorView& view) const
{
    if (m_mode == Mode::Describe)
        return at::empty(view.shape, at::TensorOptions().device(at::kMeta).dtype(m_compute.dtype));
    auto* values = new std::vector<float>(view.readFloats());
    auto tensor = at::from_blob(values->data(), view.shape, [values](void*) { delete values; }, at::TensorOptions().dtype(at::kFloat));
    return tensor.to(m_compute.options());
}

double Weights::scalar(std::string_view name)
{
    const auto& wanted = view(name);
    if (wanted.elementCount() != 1)
        throw Error(fmt::format("{}: the tensor \"{}\" has shape {}, a single number was expected.", m_checkpoint.path.string(), name,
                                shapeText(wanted.shape)));
    if (m_used.insert(wanted.name).second)
        ++m_parameters;
    return wanted.readFloats()[0];
}

std::vector<std::string> Weights::unused() const
{
    std::vector<std::string> names;
    for (const auto& tensor : m_checkpoint.tensors)
        if (!m_used.contains(tensor.name))
            names.push_back(tensor.name);
    return names;
}

} // namespace headscope::core::nn
