// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

namespace headscope::core {

/// A regular file opened for reading at any offset. Reads with pread, never with a mapping, so that a file which shrinks
/// under the program is an Error and not a SIGBUS. Thread-safe. Counts what it read.
class FileBytes
{
public:
    /// Throws Error when the path is absent, a directory, a device, or not readable.
    static std::shared_ptr<const FileBytes> open(const std::filesystem::path& path);
    ~FileBytes();
    FileBytes(const FileBytes&) = delete;
    FileBytes& operator=(const FileBytes&) = delete;

    const std::filesystem::path& path() const { return m_path; }
    std::uint64_t size() const { return m_size; } // when it was opened
    /// Fills `into` from `offset`. Throws Error when the range is not inside the file or the file has become shorter.
    void read(std::uint64_t offset, std::span<std::byte> into) const;
    std::vector<std::byte> read(std::uint64_t offset, std::size_t count) const;
    /// Asks the system to fetch a range that will be read soon. Only a hint: there is no read-ahead otherwise.
    void prefetch(std::uint64_t offset, std::uint64_t count) const noexcept;
    /// Throws Error when inode, size or modification time differ from when the file was opened.
    void requireUnchanged() const;
    std::uint64_t bytesRead() const { return m_bytesRead.load(std::memory_order_relaxed); }

private:
    FileBytes(std::filesystem::path path, int descriptor);
    void requireInside(std::uint64_t offset, std::uint64_t count) const;

    std::filesystem::path m_path;
    int m_descriptor = -1;
    std::uint64_t m_size = 0;
    std::uint64_t m_inode = 0;
    std::int64_t m_modified = 0; // nanoseconds
    mutable std::atomic<std::uint64_t> m_bytesRead = 0;
};

} // namespace headscope::core
