// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/safetensors_writer.h"

#include "core/checkpoint/checked_math.h"
#include "core/checkpoint/message_text.h"
#include "core/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace headscope::core {
namespace {

struct Header {
    std::string json;
    std::uint64_t dataBytes = 0;
};

/// Text as JSON; what is no UTF-8 is replaced, since JSON cannot hold it.
std::string jsonText(const std::string& text)
{
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::uint64_t bytesOf(const SafetensorsEntry& entry, const std::filesystem::path& path)
{
    const bool negative = std::ranges::any_of(entry.shape, [](std::int64_t size) { return size < 0; });
    const auto elements = negative ? std::nullopt : checkedElementCount(entry.shape);
    const auto bytes = elements ? checkedMultiply(*elements, elementSize(entry.dtype)) : std::nullopt;
    if (!bytes || elementSize(entry.dtype) == 0)
        throw Error(fmt::format("{} cannot be written: tensor {} has no valid type and shape.", shown(path),
                                quotedName(entry.name)));
    return *bytes;
}

/// Built by hand: the keys keep their order, which a json object would sort.
Header makeHeader(std::span<const SafetensorsEntry> entries, const std::map<std::string, std::string>& metadata,
                  const std::filesystem::path& path)
{
    Header header{"{", 0};
    std::set<std::string_view> names{"__metadata__"};
    if (!metadata.empty()) {
        header.json += "\"__metadata__\":{";
        for (const auto& [key, value] : metadata)
            header.json += fmt::format("{}:{},", jsonText(key), jsonText(value));
        header.json.back() = '}';
        header.json += ',';
    }
    for (const SafetensorsEntry& entry : entries) {
        if (!names.insert(entry.name).second)
            throw Error(fmt::format("{} cannot be written: two tensors are named {}.", shown(path), quotedName(entry.name)));
        const std::uint64_t begin = header.dataBytes;
        const auto end = checkedAdd(begin, bytesOf(entry, path));
        if (!end)
            throw Error(fmt::format("{} cannot be written: its tensors are too large.", shown(path)));
        header.dataBytes = *end;
        header.json += fmt::format(R"({}:{{"dtype":"{}","shape":{},"data_offsets":[{},{}]}},)", jsonText(entry.name),
                                   dtypeName(entry.dtype), nlohmann::json(entry.shape).dump(), begin, *end);
    }
    if (header.json.size() > 1)
        header.json.pop_back(); // the last comma
    header.json += '}';
    header.json.resize((header.json.size() + 7) / 8 * 8, ' '); // the data begins at a multiple of 8
    return header;
}

} // namespace

SafetensorsWriter::SafetensorsWriter(const std::filesystem::path& path, std::vector<SafetensorsEntry> entries,
                                     const std::map<std::string, std::string>& metadata)
    : m_path(path), m_file(path)
{
    const Header header = makeHeader(entries, metadata, path);
    m_announced = header.dataBytes;
    const std::uint64_t length = header.json.size();
    m_file.write(std::as_bytes(std::span(&length, 1)));
    m_file.write(header.json);
}

void SafetensorsWriter::write(std::span<const std::byte> bytes)
{
    if (bytes.size() > m_announced - m_written)
        throw Error(fmt::format("{} cannot be written: its tensors have more bytes than the {} announced.", shown(m_path),
                                m_announced));
    m_file.write(bytes);
    m_written += bytes.size();
}

void SafetensorsWriter::finish()
{
    if (m_written != m_announced)
        throw Error(fmt::format("{} cannot be written: its tensors have {} bytes instead of the {} announced.",
                                shown(m_path), m_written, m_announced));
    m_file.commit();
}

void writeSafetensors(const std::filesystem::path& path, std::span<const SafetensorsTensor> tensors,
                      const std::map<std::string, std::string>& metadata)
{
    std::vector<SafetensorsEntry> entries;
    for (const SafetensorsTensor& tensor : tensors)
        entries.push_back(tensor.entry);
    SafetensorsWriter writer(path, std::move(entries), metadata);
    for (const SafetensorsTensor& tensor : tensors)
        writer.write(tensor.bytes);
    writer.finish();
}

} // namespace headscope::core
