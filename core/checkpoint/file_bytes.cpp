// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/file_bytes.h"

#include "core/checkpoint/files_in_use.h"
#include "core/checkpoint/message_text.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace headscope::core {
namespace {

std::int64_t modificationTime(const struct stat& info)
{
    return static_cast<std::int64_t>(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec;
}

[[noreturn]] void throwCannotOpen(const std::filesystem::path& path, int error)
{
    if (error == ENOENT || error == ENOTDIR)
        throw Error(fmt::format("{} does not exist; check the path.", shown(path)));
    throw Error(fmt::format("{} cannot be opened: {}.", shown(path), std::strerror(error)));
}

} // namespace

std::shared_ptr<const FileBytes> FileBytes::open(const std::filesystem::path& path)
{
    // O_NONBLOCK: opening a pipe would wait for a writer for ever.
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        throwCannotOpen(path, errno);
    std::shared_ptr<FileBytes> file(new FileBytes(path, descriptor)); // owns the descriptor from here on

    struct stat info = {};
    if (::fstat(descriptor, &info) != 0)
        throwCannotOpen(path, errno);
    if (S_ISDIR(info.st_mode))
        throw Error(fmt::format("{} is a folder, not a file.", shown(path)));
    if (!S_ISREG(info.st_mode))
        throw Error(fmt::format("{} is a device or a pipe, not a regular file.", shown(path)));
    file->m_size = static_cast<std::uint64_t>(info.st_size);
    file->m_inode = info.st_ino;
    file->m_modified = modificationTime(info);
    noteRead(path);
    // A checkpoint with optimizer state is read in pieces; read-ahead would fetch the parts between them.
    ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_RANDOM);
    return file;
}

FileBytes::FileBytes(std::filesystem::path path, int descriptor) : m_path(std::move(path)), m_descriptor(descriptor) {}

FileBytes::~FileBytes()
{
    ::close(m_descriptor);
}

void FileBytes::requireInside(std::uint64_t offset, std::uint64_t count) const
{
    if (offset > m_size || count > m_size - offset)
        throw Error(fmt::format("{} has {} bytes, but {} bytes at {} were asked for; it seems cut off, download it again.",
                                shown(m_path), m_size, count, offset));
}

void FileBytes::read(std::uint64_t offset, std::span<std::byte> into) const
{
    requireInside(offset, into.size());
    std::size_t done = 0;
    while (done < into.size()) {
        const ssize_t count =
            ::pread(m_descriptor, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            throw Error(
                fmt::format("{} cannot be read at byte {}: {}.", shown(m_path), offset + done, std::strerror(errno)));
        if (count == 0)
            throw Error(fmt::format("{} became shorter while it was open; open it again.", shown(m_path)));
        done += static_cast<std::size_t>(count);
        m_bytesRead.fetch_add(static_cast<std::uint64_t>(count), std::memory_order_relaxed);
    }
}

std::vector<std::byte> FileBytes::read(std::uint64_t offset, std::size_t count) const
{
    requireInside(offset, count); // before anything is allocated
    std::vector<std::byte> bytes(count);
    read(offset, bytes);
    return bytes;
}

void FileBytes::prefetch(std::uint64_t offset, std::uint64_t count) const noexcept
{
    if (offset < m_size && count != 0)
        ::posix_fadvise(m_descriptor, static_cast<off_t>(offset), static_cast<off_t>(std::min(count, m_size - offset)),
                        POSIX_FADV_WILLNEED);
}

void FileBytes::requireUnchanged() const
{
    struct stat byPath = {};
    struct stat byDescriptor = {};
    if (::stat(m_path.c_str(), &byPath) != 0 || ::fstat(m_descriptor, &byDescriptor) != 0)
        throw Error(fmt::format("{} is no longer there; open the checkpoint again.", shown(m_path)));
    for (const struct stat& now : {byPath, byDescriptor}) {
        if (now.st_ino != m_inode || static_cast<std::uint64_t>(now.st_size) != m_size ||
            modificationTime(now) != m_modified)
            throw Error(fmt::format("{} changed since it was opened; open it again.", shown(m_path)));
    }
}

} // namespace headscope::core
