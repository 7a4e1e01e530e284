// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/corpus/corpus_files.h"
#include "core/corpus/json_lines.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core {

/// How files are cut into documents.
struct DocumentSplit {
    enum class Kind : std::uint8_t {
        File,    // a file is a document
        Blank,   // one or more blank lines (white space at most) lie between documents; line ends beside them belong to none
        Line,    // every line that is not empty is one, without its end
        Literal, // a string lies between documents and belongs to none
    };
    Kind kind = Kind::File;
    std::string literal;
    /// Of files of JSON lines (text_kind.h): the field that is the text. Each line is a document, whatever `kind` says. Empty: there are none.
    std::string jsonField = {};

    bool operator==(const DocumentSplit&) const = default;
};
std::string toString(const DocumentSplit& split); // without the field of JSON: "file", "blank", "line", "literal:<STORY_SEP>"
std::optional<DocumentSplit> documentSplitFromString(std::string_view text);

/// Reads files as documents, in order and in pieces, so that no document has to be in memory whole. A document has at least one byte:
/// what would be an empty one is passed over. Used by one thread.
class DocumentReader
{
public:
    DocumentReader(std::vector<CorpusFile> files, DocumentSplit split);

    /// Goes to the next document, past what is left of the present one; false when there is none. Throws Error.
    bool next();
    /// The next bytes of the document, empty at its end. Valid until the next call. Throws Error.
    std::string_view read();

    /// Of the present document: its file (an index) and where in the unpacked file it begins.
    std::size_t file() const { return m_file - 1; }
    std::uint64_t begin() const { return m_begin; }
    /// Where a byte of the present document stands in the unpacked file; of a line of JSON, where its line begins.
    std::uint64_t placeInFile(std::uint64_t byte) const { return m_json ? m_begin : m_begin + byte; }
    const std::vector<CorpusFile>& files() const { return m_files; }
    /// Unpacked bytes of every file that has been read to its end, in order.
    const std::vector<std::uint64_t>& sizes() const { return m_sizes; }

private:
    bool openNextFile();
    bool nextLineOfJson();
    std::string_view readJson();
    void fill();
    std::string_view advance(std::size_t bytes);
    std::string_view rest() const { return std::string_view(m_buffer).substr(m_used); }
    void skipBetween();

    /// Where a separator lies in text that is at hand: it ends the document at `begin`, the next one starts at `end`. `end` is npos when
    /// bytes before `begin` are certainly no part of one and the others may be.
    struct Separator {
        std::size_t begin = 0;
        std::size_t end = 0;
    };
    Separator find(std::string_view text) const;
    Separator findBlank(std::string_view text) const;

    std::vector<CorpusFile> m_files;
    DocumentSplit m_split;
    std::unique_ptr<CorpusBytes> m_bytes; // of the file that is open
    std::unique_ptr<JsonLines> m_json;    // of it, where its lines are JSON
    std::vector<std::uint64_t> m_sizes;
    std::size_t m_file = 0;               // the one after it
    std::string m_buffer;
    std::size_t m_used = 0;          // bytes of m_buffer that have been handed out
    std::uint64_t m_place = 0;       // of the rest in the file
    std::uint64_t m_begin = 0;       // of the document
    bool m_fileEnded = true;         // nothing comes after m_buffer
    bool m_inDocument = false;
};

} // namespace headscope::core
