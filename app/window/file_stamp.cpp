// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/file_stamp.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <system_error>

namespace headscope::app {

namespace fs = std::filesystem;

namespace {

/// In a folder other files (logs, say) may grow while the checkpoint stays what it is.
bool belongsToCheckpoint(const fs::path& file)
{
    static constexpr std::array extensions{".safetensors", ".pth", ".pt", ".bin", ".json"};
    return std::ranges::find(extensions, file.extension()) != extensions.end();
}

void add(std::vector<FileStamp::Entry>& entries, const fs::path& file)
{
    std::error_code failed;
    if (!fs::is_regular_file(file, failed))
        return;
    const auto size = fs::file_size(file, failed);
    const auto time = failed ? fs::file_time_type{} : fs::last_write_time(file, failed);
    if (!failed)
        entries.push_back({file.filename().string(), size,
                           std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count()});
}

} // namespace

FileStamp FileStamp::of(const fs::path& path)
{
    FileStamp stamp;
    std::error_code failed;
    if (fs::is_directory(path, failed)) {
        for (fs::directory_iterator it(path, failed), end; !failed && it != end; it.increment(failed))
            if (belongsToCheckpoint(it->path()))
                add(stamp.entries, it->path());
        std::ranges::sort(stamp.entries);
    } else {
        add(stamp.entries, path);
    }
    return stamp;
}

} // namespace headscope::app
