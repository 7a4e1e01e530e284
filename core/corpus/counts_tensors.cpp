// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/counts_tensors.h"

#include "core/checkpoint/message_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

namespace headscope::core {

namespace {

constexpr std::size_t chunk = 16384; // values converted at a time

bool fitsInto32(std::span<const std::uint64_t> values)
{
    return std::all_of(values.begin(), values.end(), [](std::uint64_t value) { return value <= std::numeric_limits<std::uint32_t>::max(); });
}

std::vector<std::int64_t> flat(std::size_t size)
{
    return {static_cast<std::int64_t>(size)};
}

} // namespace

template<typename Stored, typename Value>
void TensorPlan::plan(std::string name, DType dtype, std::vector<std::int64_t> shape, std::span<const Value> values)
{
    const auto write = [values](SafetensorsWriter& file) {
        std::array<Stored, chunk> stored;
        for (std::size_t begin = 0; begin < values.size(); begin += chunk) {
            const auto part = values.subspan(begin, std::min(chunk, values.size() - begin));
            std::transform(part.begin(), part.end(), stored.begin(), [](Value value) { return static_cast<Stored>(value); });
            file.write(std::span<const Stored>(stored.data(), part.size()));
        }
    };
    m_tensors.push_back({{std::move(name), dtype, std::move(shape)}, write});
}

void TensorPlan::counts(std::string name, std::vector<std::int64_t> shape, std::span<const std::uint64_t> values)
{
    if (fitsInto32(values))
        plan<std::uint32_t>(std::move(name), DType::U32, std::move(shape), values);
    else
        plan<std::uint64_t>(std::move(name), DType::U64, std::move(shape), values);
}

void TensorPlan::indices(std::string name, std::span<const std::uint32_t> values)
{
    plan<std::uint32_t>(std::move(name), DType::U32, flat(values.size()), values);
}

void TensorPlan::ids(std::string name, std::span<const std::int32_t> values)
{
    plan<std::int32_t>(std::move(name), DType::I32, flat(values.size()), values);
}

void TensorPlan::sums(std::string name, std::vector<std::int64_t> shape, const FixedSums& values)
{
    if (!values.high().empty())
        plan<std::uint64_t>(name + ".high", DType::U64, shape, values.high());
    plan<std::uint64_t>(std::move(name), DType::U64, std::move(shape), values.low());
}

void TensorPlan::strings(std::string name, const std::vector<std::string>& values)
{
    std::string bytes;
    std::vector<std::uint64_t> ends;
    for (const std::string& value : values) {
        bytes += value;
        ends.push_back(bytes.size());
    }
    m_tensors.push_back({{name + ".ends", DType::U64, flat(ends.size())},
                         [kept = std::move(ends)](SafetensorsWriter& file) { file.write(std::span<const std::uint64_t>(kept)); }});
    m_tensors.push_back({{name + ".bytes", DType::U8, flat(bytes.size())},
                         [kept = std::move(bytes)](SafetensorsWriter& file) { file.write(std::span<const char>(kept)); }});
}

void TensorPlan::write(const std::filesystem::path& path, const std::map<std::string, std::string>& metadata, const Progress& progress) &&
{
    std::stable_sort(m_tensors.begin(), m_tensors.end(),
                     [](const Planned& a, const Planned& b) { return elementSize(a.entry.dtype) > elementSize(b.entry.dtype); });
    std::vector<SafetensorsEntry> entries;
    for (const Planned& tensor : m_tensors)
        entries.push_back(tensor.entry);
    SafetensorsWriter file(path, std::move(entries), metadata);
    for (std::size_t i = 0; i < m_tensors.size(); ++i) {
        progress.at(static_cast<double>(i) / static_cast<double>(m_tensors.size()), "writing the counts");
        m_tensors[i].write(file);
    }
    file.finish();
}

TensorSet::TensorSet(const std::filesystem::path& path) : m_path(path)
{
    SafetensorsContent content = readSafetensors(FileBytes::open(path));
    m_metadata = std::move(content.metadata);
    for (TensorView& tensor : content.tensors)
        m_tensors.emplace(tensor.name, std::move(tensor));
}

void TensorSet::fail(std::string_view what) const
{
    throw Error(fmt::format("{} is not a valid counts file: {}; count again or copy it again.", shown(m_path), what));
}

TensorView TensorSet::take(const std::string& name)
{
    const auto found = m_tensors.find(name);
    if (found == m_tensors.end())
        fail(fmt::format("it has no tensor {}", quotedName(name)));
    TensorView tensor = std::move(found->second);
    m_tensors.erase(found);
    return tensor;
}

void TensorSet::requireShape(const TensorView& tensor, const std::vector<std::int64_t>& shape) const
{
    if (tensor.shape != shape)
        fail(fmt::format("tensor {} is {} and has to have the shape [{}]", quotedName(tensor.name), tensor.describe(), fmt::join(shape, ", ")));
}

template<typename Value>
std::vector<Value> TensorSet::values(const TensorView& tensor) const
{
    const std::vector<std::byte> bytes = tensor.read();
    std::vector<Value> result(bytes.size() / sizeof(Value));
    if (!result.empty())
        std::memcpy(result.data(), bytes.data(), result.size() * sizeof(Value));
    return result;
}

std::vector<std::uint64_t> TensorSet::counts(const std::string& name, const std::vector<std::int64_t>& shape)
{
    const TensorView tensor = take(name);
    requireShape(tensor, shape);
    if (tensor.dtype == DType::U64)
        return values<std::uint64_t>(tensor);
    if (tensor.dtype != DType::U32)
        fail(fmt::format("tensor {} is {} and has to be U32 or U64", quotedName(name), tensor.describe()));
    const auto narrow = values<std::uint32_t>(tensor);
    return {narrow.begin(), narrow.end()};
}

std::vector<std::uint32_t> TensorSet::indices(const std::string& name, std::optional<std::size_t> length)
{
    const TensorView tensor = take(name);
    if (tensor.dtype != DType::U32 || tensor.shape.size() != 1)
        fail(fmt::format("tensor {} is {} and has to be a list of U32", quotedName(name), tensor.describe()));
    if (length)
        requireShape(tensor, flat(*length));
    return values<std::uint32_t>(tensor);
}

std::vector<std::int32_t> TensorSet::ids(const std::string& name)
{
    const TensorView tensor = take(name);
    if (tensor.dtype != DType::I32 || tensor.shape.size() != 1)
        fail(fmt::format("tensor {} is {} and has to be a list of I32", quotedName(name), tensor.describe()));
    return values<std::int32_t>(tensor);
}

FixedSums TensorSet::sums(const std::string& name, const std::vector<std::int64_t>& shape)
{
    const auto half = [&](const std::string& part) {
        const TensorView tensor = take(part);
        requireShape(tensor, shape);
        if (tensor.dtype != DType::U64)
            fail(fmt::format("tensor {} is {} and has to be U64", quotedName(part), tensor.describe()));
        return values<std::uint64_t>(tensor);
    };
    std::vector<std::uint64_t> low = half(name);
    return {std::move(low), has(name + ".high") ? half(name + ".high") : std::vector<std::uint64_t>()};
}

std::vector<std::string> TensorSet::strings(const std::string& name)
{
    const TensorView bytes = take(name + ".bytes");
    const TensorView ends = take(name + ".ends");
    if (bytes.dtype != DType::U8 || bytes.shape.size() != 1 || ends.dtype != DType::U64 || ends.shape.size() != 1)
        fail(fmt::format("the texts {} have to be a list of U8 and one of U64", quotedName(name)));
    const auto characters = values<char>(bytes);
    std::vector<std::string> result;
    std::uint64_t begin = 0;
    for (const std::uint64_t end : values<std::uint64_t>(ends)) {
        if (end < begin || end > characters.size())
            fail(fmt::format("the texts {} end before they begin or beyond their bytes", quotedName(name)));
        result.emplace_back(characters.data() + begin, characters.data() + end);
        begin = end;
    }
    if (begin != characters.size())
        fail(fmt::format("the texts {} have bytes that belong to none", quotedName(name)));
    return result;
}

void TensorSet::requireAllRead() const
{
    if (!m_tensors.empty())
        fail(fmt::format("it has a tensor {} that no counts file of this version has", quotedName(m_tensors.begin()->first)));
}

} // namespace headscope::core
