// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/checkpoint/zip_writer.h"

#include <zlib.h>

namespace headscope::test {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kLocalHeaderSize = 30;

template <typename Number>
void put(std::string& bytes, Number number)
{
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

} // namespace

void ZipWriter::add(std::string_view name, std::string_view data)
{
    Entry entry{std::string(name), static_cast<std::uint32_t>(m_bytes.size()), static_cast<std::uint32_t>(data.size()), 0};
    entry.crc =
        static_cast<std::uint32_t>(::crc32(0, reinterpret_cast<const Bytef*>(data.data()), static_cast<uInt>(data.size())));
    const std::size_t unpadded = m_bytes.size() + kLocalHeaderSize + name.size() + 4;
    const std::size_t padding = (kAlignment - unpadded % kAlignment) % kAlignment;

    put<std::uint32_t>(m_bytes, 0x04034b50);
    put<std::uint16_t>(m_bytes, 20); // version
    put<std::uint16_t>(m_bytes, flags);
    put<std::uint16_t>(m_bytes, method);
    put<std::uint32_t>(m_bytes, 0); // time and date
    put<std::uint32_t>(m_bytes, entry.crc);
    put<std::uint32_t>(m_bytes, entry.size);
    put<std::uint32_t>(m_bytes, entry.size);
    put<std::uint16_t>(m_bytes, static_cast<std::uint16_t>(name.size()));
    put<std::uint16_t>(m_bytes, static_cast<std::uint16_t>(padding + 4));
    m_bytes += name;
    m_bytes += "FB"; // the field PyTorch pads with
    put<std::uint16_t>(m_bytes, static_cast<std::uint16_t>(padding));
    m_bytes.append(padding, 'Z');
    m_bytes += data;
    m_entries.push_back(entry);
}

std::string ZipWriter::finish()
{
    const auto directoryOffset = static_cast<std::uint32_t>(m_bytes.size());
    for (const Entry& entry : m_entries) {
        put<std::uint32_t>(m_bytes, 0x02014b50);
        put<std::uint16_t>(m_bytes, 0);
        put<std::uint16_t>(m_bytes, 20);
        put<std::uint16_t>(m_bytes, flags);
        put<std::uint16_t>(m_bytes, method);
        put<std::uint32_t>(m_bytes, 0);
        put<std::uint32_t>(m_bytes, entry.crc);
        put<std::uint32_t>(m_bytes, entry.size);
        put<std::uint32_t>(m_bytes, entry.size);
        put<std::uint16_t>(m_bytes, static_cast<std::uint16_t>(entry.name.size()));
        m_bytes.append(12, '\0'); // extra, comment, disk, attributes
        put<std::uint32_t>(m_bytes, entry.offset);
        m_bytes += entry.name;
    }
    const auto end = static_cast<std::uint32_t>(m_bytes.size());
    const std::uint32_t directorySize = end - directoryOffset;
    const auto count = static_cast<std::uint16_t>(m_entries.size());
    if (zip64Record) {
        put<std::uint32_t>(m_bytes, 0x06064b50);
        put<std::uint64_t>(m_bytes, 44);
        m_bytes.append("\x1e\x03\x2d\0", 4); // versions
        m_bytes.append(8, '\0');             // disks
        put<std::uint64_t>(m_bytes, count);
        put<std::uint64_t>(m_bytes, count);
        put<std::uint64_t>(m_bytes, directorySize);
        put<std::uint64_t>(m_bytes, directoryOffset);
        put<std::uint32_t>(m_bytes, 0x07064b50);
        put<std::uint32_t>(m_bytes, 0);
        put<std::uint64_t>(m_bytes, end);
        put<std::uint32_t>(m_bytes, 1);
    }
    put<std::uint32_t>(m_bytes, 0x06054b50);
    put<std::uint32_t>(m_bytes, 0); // disks
    put<std::uint16_t>(m_bytes, count);
    put<std::uint16_t>(m_bytes, count);
    put<std::uint32_t>(m_bytes, directorySize);
    put<std::uint32_t>(m_bytes, directoryOffset);
    put<std::uint16_t>(m_bytes, 0);
    return m_bytes;
}

} // namespace headscope::test
