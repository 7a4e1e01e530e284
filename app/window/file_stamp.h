// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace headscope::app {

/// What tells whether a checkpoint is still the one that was opened: size and time of the file, or of every
/// file of the folder that can belong to it.
/// Asks the file system and may wait for it: not for the GUI thread. Never throws; what cannot be read is absent.
struct FileStamp {
    struct Entry {
        std::string name;
        std::uint64_t size = 0;
        std::int64_t modified = 0; // nanoseconds

        auto operator<=>(const Entry&) const = default;
    };
    std::vector<Entry> entries; // sorted

    static FileStamp of(const std::filesystem::path& path);
    bool operator==(const FileStamp&) const = default;
};

} // namespace headscope::app
