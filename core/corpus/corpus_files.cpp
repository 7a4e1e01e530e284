// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/corpus_files.h"

#include "core/checkpoint/files_in_use.h"
#include "core/checkpoint/message_text.h"
#include "core/error.h"

#include <fmt/format.h>
#include <zlib.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace headscope::core {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t chunkBytes = 1U << 16;

std::int64_t modificationTime(const struct stat& info)
{
    return static_cast<std::int64_t>(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec;
}

CorpusFile describe(const fs::path& path)
{
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0)
        throw Error(fmt::format("{} cannot be read: {}.", shown(path), std::strerror(errno)));
    if (!S_ISREG(info.st_mode))
        throw Error(fmt::format("{} is no regular file; a corpus is read twice, so give it as files or folders.", shown(path)));
    noteRead(path);
    return {path, static_cast<std::uintmax_t>(info.st_size), modificationTime(info)};
}

/// zlib puts "<fd:4>: " before its words when it has no name.
std::string_view withoutDescriptor(std::string_view words)
{
    const std::size_t end = words.starts_with("<fd:") ? words.find(">: ") : std::string_view::npos;
    return end == std::string_view::npos ? words : words.substr(end + 3);
}

bool hidden(const fs::path& path)
{
    return path.filename().string().starts_with('.');
}

void addFolder(const fs::path& folder, std::vector<CorpusFile>& files)
{
    noteCorpusFolder(folder);
    std::vector<fs::path> found;
    try {
        for (auto entry = fs::recursive_directory_iterator(folder); entry != fs::recursive_directory_iterator(); ++entry) {
            if (hidden(entry->path())) {
                if (entry->is_directory())
                    entry.disable_recursion_pending();
            } else if (entry->is_regular_file()) {
                found.push_back(entry->path());
            }
        }
    } catch (const fs::filesystem_error& error) {
        throw Error(fmt::format("The folder {} cannot be read: {}.", shown(folder), error.code().message()));
    }
    std::sort(found.begin(), found.end(), [](const fs::path& a, const fs::path& b) { return a.native() < b.native(); });
    for (const fs::path& path : found)
        files.push_back(describe(path));
}

} // namespace

std::vector<CorpusFile> findCorpusFiles(std::span<const fs::path> paths)
{
    std::vector<CorpusFile> files;
    for (const fs::path& path : paths) {
        std::error_code problem;
        const fs::file_status status = fs::status(path, problem);
        if (!fs::exists(status))
            throw Error(fmt::format("{} does not exist; check the path.", shown(path)));
        if (fs::is_directory(status))
            addFolder(path, files);
        else
            files.push_back(describe(path));
    }
    if (files.empty())
        throw Error("No file was found in the folders given as corpus; give folders that hold text.");
    return files;
}

struct CorpusBytes::Opened {
    gzFile file = nullptr;
    Opened() = default;
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
    ~Opened()
    {
        if (file != nullptr)
            gzclose(file);
    }
};

CorpusBytes::CorpusBytes(const CorpusFile& file) : m_path(file.path), m_opened(std::make_unique<Opened>())
{
    const int descriptor = ::open(m_path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        fail(std::strerror(errno));
    struct stat info {};
    const bool same = ::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && static_cast<std::uintmax_t>(info.st_size) == file.size
                      && modificationTime(info) == file.modified;
    m_opened->file = same ? gzdopen(descriptor, "rb") : nullptr;
    if (m_opened->file == nullptr)
        ::close(descriptor);
    if (!same)
        throw Error(fmt::format("{} changed while it was counted; count again when it is complete.", shown(m_path)));
    if (m_opened->file == nullptr)
        throw std::bad_alloc();
    gzbuffer(m_opened->file, chunkBytes);
}

CorpusBytes::~CorpusBytes() = default;

std::string CorpusBytes::read()
{
    std::string bytes(chunkBytes, '\0');
    const int count = gzread(m_opened->file, bytes.data(), static_cast<unsigned>(bytes.size()));
    int problem = Z_OK;
    const char* const words = gzerror(m_opened->file, &problem);
    if (problem == Z_ERRNO)
        fail(std::strerror(errno));
    if (problem == Z_BUF_ERROR)
        fail("its gzip data is cut off; copy it again");
    if (count < 0 || problem != Z_OK)
        fail(fmt::format("its gzip data is damaged ({}); copy it again", withoutDescriptor(words)));
    bytes.resize(static_cast<std::size_t>(count));
    return bytes;
}

void CorpusBytes::fail(std::string_view what) const
{
    throw Error(fmt::format("{} cannot be read: {}.", shown(m_path), what));
}

} // namespace headscope::core
