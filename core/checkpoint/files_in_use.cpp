// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/files_in_use.h"

#include "core/checkpoint/message_text.h"

#include <algorithm>
#include <sys/stat.h>
#include <vector>

namespace headscope::core {

namespace fs = std::filesystem;

namespace {

struct Everyone {
    std::mutex mutex;
    std::vector<FilesInUse*> all;
};

Everyone& everyone()
{
    static Everyone instance;
    return instance;
}

fs::path absolutePath(const fs::path& path)
{
    std::error_code noFolder; // the working folder was deleted
    fs::path absolute = fs::absolute(path, noFolder).lexically_normal();
    return noFolder ? path : absolute;
}

/// With every link of its folders followed.
fs::path settled(const fs::path& path)
{
    std::error_code problem;
    const fs::path whole = absolutePath(path);
    const fs::path canonical = fs::weakly_canonical(whole, problem);
    return problem ? whole : canonical;
}

bool isBelow(const fs::path& path, const fs::path& folder)
{
    const auto [inFolder, inPath] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    return inFolder == folder.end() || (std::next(inFolder) == folder.end() && inFolder->empty()); // "corpus/"
}

} // namespace

FilesInUse::FilesInUse(Readers readers) : m_readers(readers), m_thread(std::this_thread::get_id())
{
    const std::lock_guard lock(everyone().mutex);
    everyone().all.push_back(this);
}

FilesInUse::~FilesInUse()
{
    const std::lock_guard lock(everyone().mutex);
    std::erase(everyone().all, this);
}

void FilesInUse::stopAdding()
{
    const std::lock_guard lock(m_mutex);
    m_readers = Readers::None;
}

void FilesInUse::add(const fs::path& path)
{
    const std::lock_guard lock(m_mutex);
    std::error_code ignored;
    (fs::is_directory(path, ignored) ? m_folders : m_files).insert(absolutePath(path));
}

bool FilesInUse::adds() const
{
    return m_readers == Readers::AllThreads || (m_readers == Readers::ThisThread && m_thread == std::this_thread::get_id());
}

void noteRead(const fs::path& file)
{
    const std::lock_guard lock(everyone().mutex);
    for (FilesInUse* const one : everyone().all) {
        const std::lock_guard inner(one->m_mutex);
        if (one->adds())
            one->m_files.insert(absolutePath(file));
    }
}

void noteCorpusFolder(const fs::path& folder)
{
    const std::lock_guard lock(everyone().mutex);
    for (FilesInUse* const one : everyone().all) {
        const std::lock_guard inner(one->m_mutex);
        if (one->adds())
            one->m_folders.insert(absolutePath(folder));
    }
}

void forgetRead(const fs::path& file)
{
    const std::lock_guard lock(everyone().mutex);
    for (FilesInUse* const one : everyone().all) {
        const std::lock_guard inner(one->m_mutex);
        one->m_files.erase(absolutePath(file));
    }
}

struct InUseSearch {
    struct stat info = {}; // of the output
    bool exists = false;
    fs::path folder; // that the output lies in

    bool is(const fs::path& file) const
    {
        struct stat now = {};
        return ::stat(file.c_str(), &now) == 0 && now.st_dev == info.st_dev && now.st_ino == info.st_ino;
    }
    /// A file of a corpus may have a name elsewhere.
    std::optional<fs::path> below(const fs::path& corpus) const
    {
        std::error_code problem;
        fs::recursive_directory_iterator entry(corpus, fs::directory_options::skip_permission_denied, problem);
        for (; !problem && entry != fs::recursive_directory_iterator(); entry.increment(problem)) {
            if (is(entry->path()))
                return entry->path();
        }
        return std::nullopt;
    }

    std::optional<InUse> in(const FilesInUse& one) const
    {
        const std::lock_guard lock(one.m_mutex);
        if (exists) {
            for (const fs::path& file : one.m_files) {
                if (is(file))
                    return InUse{InUse::How::SameFile, file};
            }
        }
        for (const fs::path& corpus : one.m_folders) {
            if (isBelow(folder, settled(corpus)))
                return InUse{InUse::How::InsideCorpus, corpus};
            if (const auto file = exists ? below(corpus) : std::nullopt)
                return InUse{InUse::How::SameFile, *file};
        }
        return std::nullopt;
    }
};

std::string InUse::name() const
{
    return with == "/dev/stdin" ? "the file that standard input comes from" : shown(with);
}

std::optional<InUse> conflictWith(const fs::path& output)
{
    InUseSearch search;
    search.exists = ::stat(output.c_str(), &search.info) == 0;
    if (search.exists && !S_ISREG(search.info.st_mode))
        return std::nullopt;
    search.folder = settled(absolutePath(behindLinks(output)).parent_path());
    const std::lock_guard lock(everyone().mutex);
    for (const FilesInUse* const one : everyone().all) {
        if (auto found = search.in(*one))
            return found;
    }
    return std::nullopt;
}

fs::path behindLinks(const fs::path& path)
{
    constexpr int mostLinks = 40; // as the system allows
    std::error_code error;
    fs::path now = path;
    for (int step = 0; step < mostLinks && fs::is_symlink(now, error); ++step) {
        const fs::path next = fs::read_symlink(now, error);
        now = next.is_absolute() ? next : now.parent_path() / next;
    }
    return now;
}

} // namespace headscope::core
