// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/safetensors_reader.h"

#include "core/checkpoint/checked_math.h"
#include "core/checkpoint/little_endian.h"
#include "core/checkpoint/message_text.h"
#include "core/checkpoint/safetensors_header.h"

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

std::vector<std::int64_t> rowMajorStrides(const std::vector<std::int64_t>& shape)
{
    std::vector<std::int64_t> strides(shape.size(), 1);
    if (std::ranges::find(shape, 0) != shape.end())
        return strides; // no elements; the other dimensions may be as large as they like
    for (std::size_t i = shape.size(); i-- > 1;)
        strides[i - 1] = strides[i] * shape[i];
    return strides;
}

/// The place and the strides of a tensor whose type and shape the header said.
void place(TensorView& view, SafetensorsHeader::Offsets offsets, std::uint64_t dataBegin)
{
    const FileBytes& file = *view.file;
    const std::uint64_t dataBytes = file.size() - dataBegin;
    if (offsets.begin > offsets.end)
        failTensor(file, view.name, fmt::format("ends ({}) before it begins ({})", offsets.end, offsets.begin));
    if (offsets.end > dataBytes)
        failTensor(file, view.name,
                   fmt::format("ends at byte {} of the data, of which {} are there: the download was cut off", offsets.end,
                               dataBytes));
    view.storageBegin = dataBegin + offsets.begin;
    view.storageBytes = offsets.end - offsets.begin;

    const auto elements = checkedElementCount(view.shape);
    const auto bytes = elements ? checkedMultiply(*elements, elementSize(view.dtype)) : std::nullopt;
    if (!bytes)
        failTensor(file, view.name,
                   fmt::format("of shape {} has more bytes than 64 bits can count (overflow)", shownShape(view.shape)));
    if (view.dtype != DType::Other && *bytes != view.storageBytes)
        failTensor(file, view.name,
                   fmt::format("{} needs {} bytes, but its place has {}", view.describe(), *bytes, view.storageBytes));
    view.strides = rowMajorStrides(view.shape);
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

} // namespace

SafetensorsContent readSafetensors(const std::shared_ptr<const FileBytes>& file, const Progress& progress)
{
    const std::uint64_t length = headerLength(*file);
    const std::vector<std::byte> bytes = file->read(kLengthBytes, length);
    if (bytes.front() != std::byte{'{'})
        fail(*file, "its header is no JSON object");
    SafetensorsContent content;
    SafetensorsHeader header(file, progress, [&](TensorView&& tensor, SafetensorsHeader::Offsets offsets) {
        place(tensor, offsets, kLengthBytes + length);
        content.tensors.push_back(std::move(tensor));
    });
    header.parse({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    content.metadata = header.takeMetadata();
    std::ranges::sort(content.tensors, {}, &TensorView::name);
    checkLayout(*file, content.tensors, kLengthBytes + length);
    return content;
}

} // namespace headscope::core
