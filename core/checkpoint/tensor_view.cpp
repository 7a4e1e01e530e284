// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/computable.h"
#include "core/checkpoint/float_convert.h"
#include "core/checkpoint/message_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace headscope::core {
namespace {

constexpr std::size_t kChunkBytes = 512 * 1024; // read and widened at a time, so that the raw bytes stay in the cache

/// Elements from the first to the last one a non-empty view touches. Its parts were checked when the view was made.
std::uint64_t spannedElements(const TensorView& view)
{
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < view.shape.size(); ++i)
        last += static_cast<std::uint64_t>(view.shape[i] - 1) * static_cast<std::uint64_t>(view.strides[i]);
    return last + 1;
}

/// Copies the elements of a strided view, whose storage from the first element on is in `raw`, into row-major order.
std::vector<std::byte> gather(const TensorView& view, std::span<const std::byte> raw)
{
    const std::size_t size = elementSize(view.dtype);
    const std::size_t rank = view.shape.size();
    std::vector<std::byte> result(view.byteCount());
    std::vector<std::int64_t> index(rank, 0);
    const std::int64_t columns = view.shape[rank - 1];
    const std::size_t columnStep = static_cast<std::size_t>(view.strides[rank - 1]) * size;
    std::byte* target = result.data();
    std::size_t rowBegin = 0; // in bytes
    for (bool more = true; more;) {
        for (std::int64_t column = 0; column < columns; ++column, target += size)
            std::memcpy(target, raw.data() + rowBegin + static_cast<std::size_t>(column) * columnStep, size);
        more = false;
        for (std::size_t d = rank - 1; d-- > 0 && !more;) { // the next row: an odometer over all dimensions but the last
            rowBegin += static_cast<std::size_t>(view.strides[d]) * size;
            more = ++index[d] < view.shape[d];
            if (!more) {
                rowBegin -= static_cast<std::size_t>(view.shape[d] * view.strides[d]) * size;
                index[d] = 0;
            }
        }
    }
    return result;
}

} // namespace

std::int64_t TensorView::elementCount() const
{
    if (std::ranges::find(shape, 0) != shape.end())
        return 0;
    std::int64_t count = 1;
    for (const std::int64_t dimension : shape)
        count *= dimension;
    return count;
}

bool TensorView::contiguous() const
{
    if (elementCount() == 0)
        return true;
    std::int64_t expected = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        if (shape[i] != 1 && strides[i] != expected)
            return false;
        expected *= shape[i];
    }
    return true;
}

bool TensorView::sharesStorageWith(const TensorView& other) const
{
    return file == other.file && storageBegin == other.storageBegin && storageBytes == other.storageBytes &&
           offset == other.offset && dtype == other.dtype && shape == other.shape && strides == other.strides;
}

std::string TensorView::describe() const
{
    return fmt::format("{} {}", shownShape(shape), dtype == DType::Other ? shortened(dtypeText) : std::string(dtypeName(dtype)));
}

std::vector<std::byte> TensorView::read() const
{
    if (dtype == DType::Other)
        return file->read(storageBegin, storageBytes);
    if (elementCount() == 0)
        return {};
    const std::uint64_t begin = storageBegin + offset * elementSize(dtype);
    if (contiguous())
        return file->read(begin, byteCount());
    return gather(*this, file->read(begin, spannedElements(*this) * elementSize(dtype)));
}

std::vector<float> TensorView::readFloats() const
{
    if (!convertsToFloat(dtype))
        throwNotComputable(*this);
    std::vector<float> values(static_cast<std::size_t>(elementCount()));
    if (values.empty())
        return values;
    if (!contiguous()) {
        convertToFloats(dtype, read(), values);
        return values;
    }
    const std::size_t size = elementSize(dtype);
    const std::uint64_t begin = storageBegin + offset * size;
    if (dtype == DType::F32) {
        file->read(begin, std::as_writable_bytes(std::span(values)));
        return values;
    }
    std::vector<std::byte> chunk(std::min<std::size_t>(kChunkBytes, values.size() * size));
    for (std::size_t done = 0; done < values.size();) {
        const std::size_t count = std::min(chunk.size() / size, values.size() - done);
        file->read(begin + done * size, std::span(chunk).first(count * size));
        const std::size_t left = (values.size() - done - count) * size;
        file->prefetch(begin + (done + count) * size, std::min(left, chunk.size()));
        convertToFloats(dtype, std::span(chunk).first(count * size), std::span(values).subspan(done, count));
        done += count;
    }
    return values;
}

std::vector<float> TensorView::readFloatRows(std::int64_t begin, std::int64_t end) const
{
    if (shape.empty() || begin < 0 || begin > end || end > shape.front())
        throw Error(fmt::format("{}: rows {} to {} of tensor {} {} were asked for, which it does not have.",
                                shown(file->path()), begin, end, quotedName(name), describe()));
    TensorView rows = *this;
    rows.shape.front() = end - begin;
    if (begin < end) // beyond the last row the offset would leave the storage
        rows.offset += static_cast<std::uint64_t>(begin) * static_cast<std::uint64_t>(strides.front());
    return rows.readFloats();
}

} // namespace headscope::core
