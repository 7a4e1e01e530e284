// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/partial_file.h"

#include "core/checkpoint/file_bytes.h"
#include "core/checkpoint/files_in_use.h"
#include "core/checkpoint/message_text.h"
#include "core/checkpoint/safetensors_reader.h"
#include "core/corpus/resume.h"
#include "core/error.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace headscope::core {

namespace fs = std::filesystem;

namespace {

/// Whether nobody else holds it. Some file systems of clusters know no locks: there a count cannot be told from a left-over
/// that was locked.
bool locked(int descriptor)
{
    return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

/// For writing where that is allowed, which NFS asks for before it locks.
int openedFor(const fs::path& path)
{
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
    return descriptor >= 0 ? descriptor : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

class Opened
{
public:
    explicit Opened(const fs::path& path) : m_descriptor(openedFor(path)) {}
    ~Opened()
    {
        if (m_descriptor >= 0)
            ::close(m_descriptor);
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;

    explicit operator bool() const { return m_descriptor >= 0; }
    bool lock() const { return locked(m_descriptor); }
    bool holdsNothing() const
    {
        struct stat info = {};
        return ::fstat(m_descriptor, &info) == 0 && S_ISREG(info.st_mode) && info.st_size == 0;
    }
    int release() { return std::exchange(m_descriptor, -1); }

private:
    int m_descriptor;
};

/// The file of that name is still the one that was opened.
bool isNamed(int descriptor, const fs::path& path)
{
    struct stat held = {};
    struct stat named = {};
    return ::fstat(descriptor, &held) == 0 && ::stat(path.c_str(), &named) == 0 && held.st_dev == named.st_dev &&
           held.st_ino == named.st_ino;
}

bool isInterruptedCount(const fs::path& path)
{
    try {
        const SafetensorsContent content = readSafetensors(FileBytes::open(path));
        forgetRead(path);
        return content.metadata.contains(positionKey);
    } catch (const Error&) {
        forgetRead(path);
        return false;
    }
}

[[noreturn]] void refuseHeld(const fs::path& path)
{
    throw Error(
        fmt::format("Another count is at work with {}; wait until it has ended, or give --out another name.", shown(path)));
}

[[noreturn]] void refuseLeftOver(const fs::path& path)
{
    if (isInterruptedCount(path))
        throw Error(fmt::format(
            "{} keeps what an interrupted count has counted: go on with it (--resume), or, to begin anew, delete it or give "
            "--out another name.",
            shown(path)));
    throw Error(fmt::format("{} is where an unfinished count would be kept, but there is a file that no count wrote; rename "
                            "or delete it, or give "
                            "--out another name.",
                            shown(path)));
}

[[noreturn]] void refuseAbsent(const fs::path& path)
{
    throw Error(fmt::format("There is no {} to go on with; count without --resume to begin anew.", shown(path)));
}

} // namespace

void PartialFile::require(const fs::path& path, Start start)
{
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(path, ignored))) {
        if (start == Start::Resume)
            refuseAbsent(path);
        return;
    }
    const Opened there(path);
    if (there && !there.lock())
        refuseHeld(path);
    const bool nothing = there && there.holdsNothing(); // of a count that ended before it saved anything
    if (start == Start::Resume && nothing)
        refuseAbsent(path);
    if (start == Start::Anew && !nothing)
        refuseLeftOver(path);
}

PartialFile::PartialFile(fs::path path, Start start) : m_path(std::move(path))
{
    if (start == Start::Anew)
        claim();
    if (m_descriptor < 0)
        takeOver(start);
}

void PartialFile::claim()
{
    m_descriptor = ::open(m_path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (m_descriptor < 0 && errno != EEXIST)
        throw Error(fmt::format("{} cannot be written, where an unfinished count is kept: {}.", shown(m_path),
                                std::strerror(errno)));
    if (m_descriptor >= 0 && !locked(m_descriptor)) {
        ::close(m_descriptor);
        refuseHeld(m_path);
    }
}

void PartialFile::takeOver(Start start)
{
    require(m_path, start);
    Opened there(m_path);
    if (!there)
        throw Error(fmt::format("{} cannot be read: {}.", shown(m_path), std::strerror(errno)));
    const int descriptor = there.lock() ? there.release() : -1;
    if (descriptor < 0 || !isNamed(descriptor, m_path)) {
        if (descriptor >= 0)
            ::close(descriptor);
        refuseHeld(m_path);
    }
    m_descriptor = descriptor;
    m_saved = start == Start::Resume;
}

PartialFile::~PartialFile()
{
    if (m_descriptor < 0)
        return;
    if (!m_saved && isNamed(m_descriptor, m_path))
        ::unlink(m_path.c_str());
    ::close(m_descriptor);
}

void PartialFile::saved()
{
    m_saved = true;
    Opened now(m_path);
    if (!now || !now.lock())
        refuseHeld(m_path);
    ::close(std::exchange(m_descriptor, now.release()));
}

void PartialFile::remove(const fs::path& path)
{
    const Opened there(path);
    if (there && there.lock())
        ::unlink(path.c_str());
}

bool PartialFile::isHeld(const fs::path& path)
{
    const Opened there(path);
    return there && !there.lock();
}

} // namespace headscope::core
