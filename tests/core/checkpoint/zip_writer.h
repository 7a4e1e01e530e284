// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::test {

/// Makes a zip archive of stored entries the way PyTorch does: data aligned to 64 bytes through the extra field of the local
/// header, a zip64 record whatever the size.
class ZipWriter
{
public:
    void add(std::string_view name, std::string_view data);
    /// The whole archive.
    std::string finish();

    // For archives that are wrong on purpose.
    std::uint16_t method = 0;
    std::uint16_t flags = 0x800; // names are UTF-8
    bool zip64Record = true;

private:
    struct Entry {
        std::string name;
        std::uint32_t offset = 0;
        std::uint32_t size = 0;
        std::uint32_t crc = 0;
    };
    std::string m_bytes;
    std::vector<Entry> m_entries;
};

} // namespace headscope::test
