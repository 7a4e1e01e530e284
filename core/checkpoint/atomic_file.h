// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace headscope::core {

/// A file that appears under its name only when it is complete: written to a temporary file in the same folder, flushed to
/// the disk and renamed by `commit`. Without `commit` (an error, a cancellation) the target stays as it was and the
/// temporary file goes away. A link is followed; permissions of an existing target are kept. What is no regular file
/// (/dev/stdout, a pipe) is written directly. Every file that a program writes is written by this class, so here it is
/// decided that no input is written over (files_in_use.h). Errors are thrown as Error, naming the path and the reason. Not
/// thread-safe.
class AtomicFile
{
public:
    explicit AtomicFile(std::filesystem::path target);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    void write(std::span<const std::byte> bytes);
    void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
    void commit();

private:
    void refuseInput() const;
    void openTemporary();
    void flush();
    void writeThrough(std::span<const std::byte> bytes);
    void keepPermissions() const;
    void discard() noexcept;
    [[noreturn]] void fail(int error) const;

    std::filesystem::path m_target;    // as the user named it, for messages
    std::filesystem::path m_final;     // with links resolved
    std::filesystem::path m_temporary; // empty when the target is written directly
    int m_descriptor = -1;
    std::vector<std::byte> m_buffer;
};

} // namespace headscope::core
