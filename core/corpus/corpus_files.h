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
    std::vector<std::filesystem::path> otherNames = {}; // paths that led to it again: it is one file, and read once
};

/// The files that the paths name, in order: files as they are given, folders with everything below them sorted by path (names that begin with
/// a dot are left out). A file that is met again, by whatever name or link, is listed once. Throws Error when a path does not exist, is no
/// regular file or folder, or when nothing is found.
std::vector<CorpusFile> findCorpusFiles(std::span<const std::filesystem::path> paths);

/// The same, of which each was looked into: all are text, or lines of JSON whose field `jsonField` is read. Throws Error naming the first that
/// is not, and JSON where no field was named (with the fields it has).
std::vector<CorpusFile> findTexts(std::span<const std::filesystem::path> paths, std::string_view jsonField);

/// Sentences on files that were named more than once.
std::vector<std::string> notesOn(std::span<const CorpusFile> files);

/// The bytes of a file from its beginning to its end, without a byte-order mark. What is gzip or zstd (its first bytes decide, not its name) is
/// unpacked. Used by one thread.
class CorpusBytes
{
public:
    /// Throws Error when the file cannot be read, is no longer the one that was found, or is no text.
    explicit CorpusBytes(const CorpusFile& file);
    ~CorpusBytes();
    CorpusBytes(const CorpusBytes&) = delete;
    CorpusBytes& operator=(const CorpusBytes&) = delete;

    /// The next bytes; none at the end. Throws Error (unreadable, cut off, damaged).
    std::string read();
    /// Of the byte-order mark at the beginning, which `read` left out.
    std::size_t markBytes() const { return m_markBytes; }

private:
    struct Opened;
    std::string unpacked();
    std::string fromZstd();
    [[noreturn]] void fail(std::string_view what) const;

    std::filesystem::path m_path;
    std::unique_ptr<Opened> m_opened;
    std::string m_first; // bytes that were looked at and not yet given
    std::size_t m_markBytes = 0;
};

} // namespace headscope::core
