// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/atomic_file.h"

#include "core/checkpoint/files_in_use.h"
#include "core/checkpoint/message_text.h"
#include "core/error.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <random>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace headscope::core {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBufferBytes = 256 * 1024;
constexpr std::size_t kLongestStem = 200; // of the name that the temporary file takes over; file systems allow 255 bytes
constexpr int kAttempts = 100;

/// The descriptor of this process that a path stands for, as /dev/stdout and /proc/self/fd/1 do. What the shell opened is
/// written through: a name in its place would be seen by nobody who reads there.
std::optional<int> descriptorNamed(const fs::path& target)
{
    constexpr int mostLinks = 40;
    std::error_code error;
    fs::path path = target;
    for (int step = 0; step < mostLinks; ++step) {
        const std::string folder = path.parent_path().string();
        const std::string name = path.filename().string();
        if (folder == "/proc/self/fd" || folder == "/dev/fd") {
            int descriptor = -1;
            const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), descriptor);
            if (problem == std::errc() && end == name.data() + name.size())
                return descriptor;
        }
        if (!fs::is_symlink(path, error))
            break;
        const fs::path next = fs::read_symlink(path, error);
        path = next.is_absolute() ? next : path.parent_path() / next;
    }
    return std::nullopt;
}

std::string randomSuffix()
{
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
    std::random_device random;
    std::string suffix;
    for (int i = 0; i < 8; ++i)
        suffix += letters[random() % letters.size()];
    return suffix;
}

} // namespace

AtomicFile::AtomicFile(fs::path target) : m_target(std::move(target)), m_final(behindLinks(m_target))
{
    m_buffer.reserve(kBufferBytes);
    if (const auto descriptor = descriptorNamed(m_target)) {
        m_descriptor = ::fcntl(*descriptor, F_DUPFD_CLOEXEC, 0);
        if (m_descriptor < 0)
            fail(errno);
        return;
    }
    refuseInput();
    struct stat info = {};
    const bool exists = ::stat(m_final.c_str(), &info) == 0;
    if (exists && S_ISDIR(info.st_mode))
        fail(EISDIR);
    if (!m_final.has_filename())
        fail(m_final.empty() ? ENOENT : EISDIR);
    if (!exists || S_ISREG(info.st_mode)) {
        openTemporary();
        return;
    }
    m_descriptor = ::open(m_final.c_str(), O_WRONLY | O_CLOEXEC); // renaming over a device would replace it
    if (m_descriptor < 0)
        fail(errno);
}

AtomicFile::~AtomicFile()
{
    discard();
}

void AtomicFile::refuseInput() const
{
    const auto conflict = conflictWith(m_target);
    if (!conflict)
        return;
    if (conflict->how == InUse::How::InsideCorpus)
        throw Error(fmt::format(
            "{} is not written: it lies in the folder {}, whose files are read as a corpus; choose another folder.",
            shown(m_target), conflict->name()));
    throw Error(fmt::format("{} is not written: it is {}, which is read here; choose another name.", shown(m_target),
                            conflict->name()));
}

void AtomicFile::openTemporary()
{
    const std::string stem = m_final.filename().string().substr(0, kLongestStem);
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        fs::path candidate = m_final.parent_path() / fmt::format(".{}.{}.part", stem, randomSuffix());
        m_descriptor = ::open(candidate.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); // less the user's umask
        if (m_descriptor >= 0) {
            m_temporary = std::move(candidate);
            return;
        }
        if (errno != EEXIST)
            fail(errno);
    }
    fail(EEXIST);
}

void AtomicFile::write(std::span<const std::byte> bytes)
{
    if (m_buffer.size() + bytes.size() > kBufferBytes)
        flush();
    if (bytes.size() >= kBufferBytes)
        writeThrough(bytes);
    else
        m_buffer.insert(m_buffer.end(), bytes.begin(), bytes.end());
}

void AtomicFile::flush()
{
    writeThrough(m_buffer);
    m_buffer.clear();
}

void AtomicFile::writeThrough(std::span<const std::byte> bytes)
{
    while (!bytes.empty()) {
        const ssize_t count = ::write(m_descriptor, bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            fail(errno);
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
}

/// Mode and owner of the file that is about to be replaced. Its owner can only be kept where the system allows it.
void AtomicFile::keepPermissions() const
{
    struct stat old = {};
    if (::stat(m_final.c_str(), &old) != 0)
        return;
    if (::fchown(m_descriptor, old.st_uid, old.st_gid) != 0) {
        // Not ours to give away; the new file belongs to whoever wrote it.
    }
    if (::fchmod(m_descriptor, old.st_mode & 07777) != 0)
        fail(errno);
}

void AtomicFile::commit()
{
    flush();
    if (!m_temporary.empty()) {
        refuseInput(); // once more: some inputs are opened meanwhile
        keepPermissions();
        if (::fsync(m_descriptor) != 0)
            fail(errno);
    }
    const int closed = ::close(m_descriptor); // some file systems tell of a full disk only here
    m_descriptor = -1;
    if (closed != 0)
        fail(errno);
    if (m_temporary.empty())
        return;
    if (::rename(m_temporary.c_str(), m_final.c_str()) != 0)
        fail(errno);
    m_temporary.clear();
}

void AtomicFile::discard() noexcept
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
    m_descriptor = -1;
    if (!m_temporary.empty())
        ::unlink(m_temporary.c_str());
    m_temporary.clear();
}

void AtomicFile::fail(int error) const
{
    std::string reason = std::strerror(error);
    if (error == EISDIR)
        reason = "it is a folder";
    else if (error == ENOENT || error == ENOTDIR)
        reason = "its folder does not exist";
    else if (error == EFBIG)
        reason = "it becomes larger than files may be here (ulimit -f)";
    throw Error(fmt::format("{} cannot be written: {}.", shown(m_target), reason));
}

} // namespace headscope::core
