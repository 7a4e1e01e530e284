// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/corpus/corpus_files.h"

#include <cstdint>
#include <optional>
#include <string>

namespace headscope::core {

/// The texts of a file whose lines are JSON objects, one field of each; in memory is one line. Used by one thread.
class JsonLines
{
public:
    /// The first bytes of `bytes` are those of the file. `field` is not empty.
    JsonLines(CorpusBytes& bytes, const CorpusFile& file, std::string field);

    struct Text {
        std::uint64_t begin = 0; // of the line, in the unpacked file
        std::string text;
    };
    /// Of the next line that is not blank; nullopt at the end. Throws Error naming file and line: no JSON object, no such field (with the names of
    /// those that are there), no text in it, longer than 64 MB.
    std::optional<Text> next();
    /// Where the next line begins.
    std::uint64_t place() const { return m_place; }

private:
    std::optional<std::string> line();
    [[noreturn]] void fail(const std::string& what) const;

    CorpusBytes& m_bytes;
    const CorpusFile& m_file;
    std::string m_field;
    std::string m_buffer;
    std::size_t m_used = 0;
    std::uint64_t m_place = 0;
    std::uint64_t m_line = 0;
    bool m_ended = false;
};

/// The names of the fields of the first line of a file, to choose from; a sentence's part: "text, url".
std::string fieldsOfFirstLine(const CorpusFile& file);

} // namespace headscope::core
