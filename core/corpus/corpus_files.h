// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core {

/// A file of a corpus.
struct CorpusFile {
    std::filesystem::path path; // as given, or inside a folder as given
    std::uintmax_t size = 0;    // when it was found; with the time of its last change it tells whether it is still the same
    std::int64_t modified = 0;
};

/// The files that the paths name, in order: files as they are given, folders with everything below them sorted by path (names that begin with
/// a dot are left out). Throws Error when a path does not exist, is no regular file or folder, or when nothing is found.
std::vector<CorpusFile> findCorpusFiles(std::span<const std::filesystem::path> paths);

/// The bytes of a file from its beginning to its end. What is gzip (its first bytes decide, not its name) is unpacked. Used by one thread.
class CorpusBytes
{
public:
    /// Throws Error when the file cannot be read or is no longer the one that was found.
    explicit CorpusBytes(const CorpusFile& file);
    ~CorpusBytes();
    CorpusBytes(const CorpusBytes&) = delete;
    CorpusBytes& operator=(const CorpusBytes&) = delete;

    /// The next bytes; none at the end. Throws Error (unreadable, cut off, damaged).
    std::string read();

private:
    struct Opened;
    [[noreturn]] void fail(std::string_view what) const;

    std::filesystem::path m_path;
    std::unique_ptr<Opened> m_opened;
};

} // namespace headscope::core
