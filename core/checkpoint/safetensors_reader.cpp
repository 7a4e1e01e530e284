// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/safetensors_reader.h"

#include "core/checkpoint/checked_math.h"
#include "core/checkpoint/little_endian.h"
#include "core/checkpoint/message_text.h"
#include "core/checkpoint/strict_json.h"

#include <fmt/format.h>

#include <algorithm>

namespace headscope::core {
namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kLargestHeader = 100'000'000; // as the official implementation

[[noreturn]] void fail(const FileBytes& file, std::string_view what)
{
    throw Error(fmt::format("{} is not a valid safetensors file: {}; download it again.", shown(file.path()), what));
}

[[noreturn]] void failTensor(const FileBytes& file, std::string_view name, std::string_view what)
{
    fail(file, fmt::format("tensor {} {}", quotedName(name), what));
}

std::uint64_t headerLength(const FileBytes& file)
{
    if (file.size() < kLengthBytes)
        fail(file, fmt::format("it has only {} bytes, less than the length of its header takes", file.size()));
    const auto length = littleEndian<std::uint64_t>(file.read(0, kLengthBytes), 0);
    if (length > kLargestHeader)
        fail(file, fmt::format("its header is said to have {} bytes, the limit is {}", length, kLargestHeader));
    if (length > file.size() - kLengthBytes)
        fail(file,
             fmt::format(
                 "its header is said to have {} bytes, but only {} follow: the download was cut off or this is another "
                 "kind of file",
                 length, file.size() - kLengthBytes));
    if (length < 2)
        fail(file, fmt::format("its header is said to have {} bytes, too few for one", length));
    return length;
}

/// A non-negative integer written as one (1e3 and 1.5 are none).
std::optional<std::uint64_t> natural(const nlohmann::json& value)
{
    if (!value.is_number_unsigned()) // negative, fractional, not a number
        return std::nullopt;
    return value.get<std::uint64_t>();
}

std::vector<std::int64_t> shapeOf(const FileBytes& file, const std::string& name, const nlohmann::json& info)
{
    const auto shape = info.find("shape");
    if (shape == info.end() || !shape->is_array())
        failTensor(file, name, "has no shape");
    std::vector<std::int64_t> result;
    for (const nlohmann::json& dimension : *shape) {
        const std::optional<std::uint64_t> size = natural(dimension);
        if (!size || *size > INT64_MAX)
            failTensor(file, name,
                       fmt::format("has the dimension {}, which is not a non-negative integer", dimension.dump()));
        result.push_back(static_cast<std::int64_t>(*size));
    }
    return result;
}

struct Offsets {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

Offsets offsetsOf(const FileBytes& file, const std::string& name, const nlohmann::json& info, std::uint64_t dataBytes)
{
    const auto offsets = info.find("data_offsets");
    if (offsets == info.end() || !offsets->is_array() || offsets->size() != 2)
        failTensor(file, name, "has no data_offsets of two numbers");
    const auto begin = natural((*offsets)[0]);
    const auto end = natural((*offsets)[1]);
    if (!begin || !end)
        failTensor(file, name,
                   fmt::format("has the data_offsets {}, which are not two non-negative integers", offsets->dump()));
    if (*begin > *end)
        failTensor(file, name, fmt::format("ends ({}) before it begins ({})", *end, *begin));
    if (*end > dataBytes)
        failTensor(
            file, name,
            fmt::format("ends at byte {} of the data, of which {} are there: the download was cut off", *end, dataBytes));
    return {*begin, *end};
}

std::vector<std::int64_t> rowMajorStrides(const std::vector<std::int64_t>& shape)
{
    std::vector<std::int64_t> strides(shape.size(), 1);
    if (std::ranges::find(shape, 0) != shape.end())
        return strides; // no elements; the other dimensions may be as large as they like
    for (std::size_t i = shape.size(); i-- > 1;)
        strides[i - 1] = strides[i] * shape[i];
    return strides;
}

TensorView tensorOf(const std::shared_ptr<const FileBytes>& file, const std::string& name, const nlohmann::json& info,
                    std::uint64_t dataBegin)
{
    if (!info.is_object())
        failTensor(*file, name, "is not described by an object");
    const auto dtype = info.find("dtype");
    if (dtype == info.end() || !dtype->is_string())
        failTensor(*file, name, "has no dtype");
    TensorView view;
    view.name = name;
    view.file = file;
    view.dtypeText = dtype->get<std::string>();
    view.dtype = dtypeFromSafetensors(view.dtypeText).value_or(DType::Other);
    view.shape = shapeOf(*file, name, info);
    const Offsets offsets = offsetsOf(*file, name, info, file->size() - dataBegin);
    view.storageBegin = dataBegin + offsets.begin;
    view.storageBytes = offsets.end - offsets.begin;

    const auto elements = checkedElementCount(view.shape);
    const auto bytes = elements ? checkedMultiply(*elements, elementSize(view.dtype)) : std::nullopt;
    if (!bytes)
        failTensor(*file, name,
                   fmt::format("of shape {} has more bytes than 64 bits can count (overflow)", info["shape"].dump()));
    if (view.dtype != DType::Other && *bytes != view.storageBytes)
        failTensor(*file, name,
                   fmt::format("{} needs {} bytes, but its place has {}", view.describe(), *bytes, view.storageBytes));
    view.strides = rowMajorStrides(view.shape);
    return view;
}

/// Tensors must follow each other without overlap or hole and fill the data. Those without bytes may stand anywhere.
void checkLayout(const FileBytes& file, const std::vector<TensorView>& tensors, std::uint64_t dataBegin)
{
    std::vector<const TensorView*> byPlace;
    for (const TensorView& tensor : tensors) {
        if (tensor.storageBytes != 0)
            byPlace.push_back(&tensor);
    }
    std::ranges::sort(byPlace, {}, [](const TensorView* tensor) { return tensor->storageBegin; });
    std::uint64_t end = dataBegin;
    const TensorView* previous = nullptr;
    for (const TensorView* tensor : byPlace) {
        if (tensor->storageBegin < end)
            fail(file, fmt::format("tensors {} and {} overlap", quotedName(previous->name), quotedName(tensor->name)));
        if (tensor->storageBegin > end)
            fail(file, fmt::format("it has {} bytes before tensor {} that belong to no tensor", tensor->storageBegin - end,
                                   quotedName(tensor->name)));
        end = tensor->storageBegin + tensor->storageBytes;
        previous = tensor;
    }
    if (end != file.size())
        fail(file, fmt::format("it has {} bytes at its end that belong to no tensor", file.size() - end));
}

std::map<std::string, std::string> metadataOf(const FileBytes& file, const nlohmann::json& value)
{
    std::map<std::string, std::string> metadata;
    if (!value.is_object())
        fail(file, "its __metadata__ is not an object");
    for (const auto& [key, text] : value.items()) {
        if (!text.is_string())
            fail(file, fmt::format("its __metadata__ has a value for {} that is no text", quotedName(key)));
        metadata[key] = text.get<std::string>();
    }
    return metadata;
}

} // namespace

SafetensorsContent readSafetensors(const std::shared_ptr<const FileBytes>& file)
{
    const std::uint64_t length = headerLength(*file);
    const std::vector<std::byte> bytes = file->read(kLengthBytes, length);
    if (bytes.front() != std::byte{'{'})
        fail(*file, "its header is no JSON object");
    const nlohmann::json header = parseStrictJson({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                                                  shown(file->path()) + ": the safetensors header");

    SafetensorsContent content;
    for (const auto& [name, info] : header.items()) {
        if (name == "__metadata__")
            content.metadata = metadataOf(*file, info);
        else
            content.tensors.push_back(tensorOf(file, name, info, kLengthBytes + length));
    }
    checkLayout(*file, content.tensors, kLengthBytes + length);
    return content;
}

} // namespace headscope::core
