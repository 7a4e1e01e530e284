// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/safetensors_header.h"

#include "core/checkpoint/message_text.h"

#include <fmt/format.h>

namespace headscope::core {
namespace {

constexpr std::string_view kMetadata = "__metadata__";
constexpr std::size_t kOffsets = 2;

/// A non-negative integer written as one (1e3 and 1.5 are none).
std::optional<std::uint64_t> natural(const nlohmann::json& value)
{
    if (!value.is_number_unsigned()) // negative, fractional, not a number
        return std::nullopt;
    return value.get<std::uint64_t>();
}

std::string shownValue(const nlohmann::json& value)
{
    return value.is_string() ? quotedName(value.get_ref<const std::string&>()) : shortened(value.dump());
}

} // namespace

SafetensorsHeader::SafetensorsHeader(std::shared_ptr<const FileBytes> file, const Progress& progress, Take take)
    : StrictSax(shown(file->path()) + ": the safetensors header", progress), m_file(std::move(file)), m_take(std::move(take))
{
}

void SafetensorsHeader::fail(std::string_view what) const
{
    throw Error(fmt::format("{} is not a valid safetensors file: {}; download it again.", shown(m_file->path()), what));
}

void SafetensorsHeader::failTensor(std::string_view what) const
{
    fail(fmt::format("tensor {} {}", quotedName(m_name), what));
}

void SafetensorsHeader::onKey(std::string&& name)
{
    if (depth() == 1) {
        m_inMetadata = name == kMetadata;
        m_name = std::move(name);
    } else if (depth() == 2 && m_inMetadata) {
        m_metadataKey = std::move(name);
    } else if (depth() == 2 && m_field != Field::NoObject) {
        m_field = name == "dtype" ? Field::DType : name == "shape" ? Field::Shape : name == "data_offsets" ? Field::Offsets : Field::Unknown;
    }
}

void SafetensorsHeader::onValue(nlohmann::json&& value)
{
    if (depth() == 0)
        fail("its header is no JSON object");
    if (depth() == 1)
        m_inMetadata ? fail("its __metadata__ is not an object") : failTensor("is not described by an object");
    if (m_inMetadata)
        return addMetadata(std::move(value));
    if (depth() == 2 && m_field == Field::DType) {
        if (!value.is_string())
            failTensor("has no dtype");
        m_dtype = std::move(value.get_ref<std::string&>());
    } else if (depth() == 3 && m_field == Field::Shape) {
        addDimension(value);
    } else if (depth() == 3 && m_field == Field::Offsets) {
        addOffset(value);
    }
}

void SafetensorsHeader::addMetadata(nlohmann::json&& value)
{
    if (!value.is_string())
        fail(fmt::format("its __metadata__ has a value for {} that is no text", quotedName(m_metadataKey)));
    m_metadata.insert_or_assign(std::move(m_metadataKey), std::move(value.get_ref<std::string&>()));
}

void SafetensorsHeader::addDimension(const nlohmann::json& value)
{
    const std::optional<std::uint64_t> size = natural(value);
    if (!m_shape)
        failTensor("has no shape"); // an object in its place
    if (!size || *size > INT64_MAX)
        failTensor(fmt::format("has the dimension {}, which is not a non-negative integer", shownValue(value)));
    m_shape->push_back(static_cast<std::int64_t>(*size));
}

void SafetensorsHeader::addOffset(const nlohmann::json& value)
{
    const std::optional<std::uint64_t> offset = natural(value);
    if (!m_offsets || m_offsets->size() == kOffsets)
        failTensor("has no data_offsets of two numbers");
    if (!offset)
        failTensor(fmt::format("has {} among its data_offsets, which are not two non-negative integers", shownValue(value)));
    m_offsets->push_back(*offset);
}

void SafetensorsHeader::onOpen(bool object)
{
    if (depth() == 0 && !object)
        fail("its header is no JSON object");
    if (depth() == 1 && !object && m_inMetadata)
        fail("its __metadata__ is not an object");
    if (depth() == 1 || m_inMetadata) {
        if (depth() > 1)
            fail(fmt::format("its __metadata__ has a value for {} that is no text", quotedName(m_metadataKey)));
        m_field = object ? Field::None : Field::NoObject;
        m_dtype.reset();
        m_shape.reset();
        m_offsets.reset();
    } else if (depth() == 2 && !object && m_field == Field::Shape) {
        m_shape.emplace();
    } else if (depth() == 2 && !object && m_field == Field::Offsets) {
        m_offsets.emplace();
    } else if (depth() >= 3 && m_field == Field::Shape) {
        failTensor("has a dimension that is no number");
    } else if (depth() >= 3 && m_field == Field::Offsets) {
        failTensor("has no data_offsets of two numbers");
    }
}

void SafetensorsHeader::onClose()
{
    if (depth() == 1 && !m_inMetadata)
        finishTensor();
}

void SafetensorsHeader::finishTensor()
{
    if (m_field == Field::NoObject)
        failTensor("is not described by an object");
    if (!m_dtype)
        failTensor("has no dtype");
    if (!m_shape)
        failTensor("has no shape");
    if (!m_offsets || m_offsets->size() != kOffsets)
        failTensor("has no data_offsets of two numbers");
    TensorView view;
    view.name = m_name;
    view.file = m_file;
    view.dtype = dtypeFromSafetensors(*m_dtype).value_or(DType::Other);
    view.dtypeText = std::move(*m_dtype);
    m_shape->shrink_to_fit();
    view.shape = std::move(*m_shape);
    m_take(std::move(view), {(*m_offsets)[0], (*m_offsets)[1]});
}

} // namespace headscope::core
