// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/corpus/corpus_files.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core {

/// Names (domains, languages, authors) of stretches of the files of a corpus. Tag 0 is "", where a byte has none.
class TagTable
{
public:
    TagTable() = default;

    /// Reads lines "begin end tag" (for a corpus of one file) or "document begin end tag", tab between, begin and end in bytes of the unpacked
    /// file, end exclusive. A first line whose begin and end are both no numbers is a header. A document is named by its path as given on the command line
    /// (or found in a folder given there), else by its file name where only one file has it. Throws Error with file and line: columns that
    /// are missing, numbers that are none, stretches that overlap, a document that is not in the corpus.
    static TagTable read(const std::filesystem::path& path, std::span<const CorpusFile> files);

    /// Sorted by bytes, "" first. Empty when there is no table.
    const std::vector<std::string>& names() const { return m_names; }
    /// Of a byte of a file of the corpus.
    std::uint32_t at(std::size_t file, std::uint64_t place) const;
    /// A sentence on stretches that reach behind the end of their file, given the sizes of the unpacked files; nullopt without any.
    std::optional<std::string> noteOnSizes(std::span<const CorpusFile> files, std::span<const std::uint64_t> sizes) const;
    /// Hexadecimal SHA-256 of the table.
    const std::string& digest() const { return m_digest; }

private:
    struct Stretch {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        std::uint32_t tag = 0;
        std::size_t line = 0;
    };
    struct Row;
    static Row parse(std::string_view line, std::size_t number, const std::filesystem::path& path);
    void number(std::vector<std::string> ofRows);

    std::string m_path;
    std::vector<std::string> m_names;
    std::vector<std::vector<Stretch>> m_stretches; // by file, ascending
    std::string m_digest;
};

} // namespace headscope::core
