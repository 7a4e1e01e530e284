// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/sha256.h"
#include "core/corpus/counts.h"
#include "core/corpus/documents.h"
#include "core/corpus/tags.h"
#include "core/corpus/text_kind.h"
#include "core/corpus/text_runs.h"
#include "core/progress.h"
#include "core/tokenizer/tokenizer.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace headscope::core {

/// Where a window's tokens stand, and the text they stand in. Offsets count from the beginning of the document.
struct WindowText {
    std::size_t file = 0;            // index of the document's file
    std::uint64_t documentBegin = 0; // in the unpacked file
    std::vector<ByteRange> spans;    // of each token; tokens that share a character all have that of their group
    std::uint64_t begin = 0;         // of `bytes`
    std::string bytes;               // of the window, and so many as were asked for before and behind it
};

class DocumentRun;

/// How a window sees the windows before it, for models that remember.
struct WindowMemory {
    std::shared_ptr<DocumentRun> document; // nullptr: the window is run by itself
    std::int64_t first = 0;                // of its tokens, in that run
    bool counts = true;                    // false: it is run for those behind it only
    /// Ids of the windows before it that have to be run for it, the last one just before it; empty unless it waits to be
    /// run.
    std::vector<std::shared_ptr<const std::vector<TokenId>>> before;
};

/// Consecutive tokens of one document.
struct Window {
    std::uint64_t document = 0; // ordinal in the corpus
    std::uint64_t index = 0;    // in the document; its first token is token index · length
    std::vector<TokenId> ids;
    std::vector<bool> special;
    std::vector<bool> counts;         // it stands for text of the document: what stands behind one and specials never count
    std::vector<std::uint32_t> tags;  // of each token; empty without tags
    std::vector<std::uint32_t> words; // number of each token's word, noWord where it has none; empty unless asked for
    WindowText text;                  // empty unless asked for
    WindowMemory memory;
};
inline constexpr std::uint32_t noWord = UINT32_MAX;

/// Numbers for words as they are written, in the order in which they are met. Which of them are spellings of one word is seen when counts are made
/// of them (wordKey).
class WordNumbers
{
public:
    WordNumbers() = default;
    enum class Case : std::uint8_t { Kept, Folded };
    /// Only these have a number, in every spelling; every other word has noWord. Folded: also what differs from one of them in case only.
    static WordNumbers only(const std::vector<std::string>& words, Case letters);

    std::uint32_t of(const std::string& word);
    const std::vector<std::string>& words() const { return m_words; }

private:
    std::unordered_map<std::string, std::uint32_t> m_numbers;
    std::vector<std::string> m_words;
    bool m_closed = false;
    Case m_letters = Case::Kept;
};

/// What the tokens of a corpus are wanted with.
struct WindowOptions {
    TextPolicy policy;
    std::int64_t length = 0;        // tokens of a window
    const TagTable* tags = nullptr; // may be null
    WordNumbers* words = nullptr;   // may be null
    std::optional<std::size_t> textAround = {}; // give windows their text, and so many bytes of the document around it
};

/// Reads documents as windows. Only the last window of a document is shorter: a document always gives the same windows,
/// whatever stands before it. Memory is bounded by the window, not by the document. Used by one thread.
///
/// Behind every document stands what the policy says (`documentSeparator`): the model reads it, but it does not count
/// (Window::counts), belongs to no tag and no word, and not to the document's hash.
///
/// A token takes tag and word of its first byte that is not white space (of its first byte where there is none): pieces
/// begin with the space before a word, which belongs to what was before. Tokens that share a character take
/// those of the character.
class WindowReader
{
public:
    WindowReader(DocumentReader documents, std::shared_ptr<const Tokenizer> tokenizer, WindowOptions options, Progress progress);

    /// Goes to the next document, past what is left of the present one; false when there is none. Throws Error, Cancelled.
    bool nextDocument();
    /// The next window of the document; nullopt at its end. Throws Error, Cancelled.
    std::optional<Window> next();

    /// Ordinal of the present document, from 0.
    std::uint64_t document() const { return m_documents - 1; }
    /// Of the present document, at whose end `next` has arrived.
    std::uint64_t bytes() const { return m_bytes; }
    std::uint64_t tokens() const { return m_tokens; }
    CorpusHash hash();
    /// Of its bytes those that are not UTF-8. To be asked once.
    std::uint64_t invalidBytes() { return m_invalid.finish(); }
    /// Unpacked bytes of every file that has been read to its end.
    const std::vector<std::uint64_t>& fileSizes() const { return m_reader.sizes(); }

private:
    void readMore();
    void takeTokens(const std::vector<Token>& tokens);
    void takeGroup(std::span<const Token> group);
    void placeTokens();
    std::size_t ready() const;
    bool textIsThere(std::size_t tokens) const;
    WindowText cutText(std::size_t tokens);
    bool isOfText(const ByteRange& span) const;
    bool placesTokens() const { return m_options.tags != nullptr || m_options.words != nullptr; }
    Window cut(std::size_t length);

    DocumentReader m_reader;
    std::shared_ptr<const Tokenizer> m_tokenizer;
    WindowOptions m_options;
    Progress m_progress;

    std::unique_ptr<TokenStream> m_stream;
    Sha256 m_digest;
    InvalidBytes m_invalid;
    TextRuns m_runs;
    std::uint64_t m_documents = 0;
    std::uint64_t m_bytes = 0;
    std::uint64_t m_inkEnd = 0; // one past the last byte that is no white space
    std::uint64_t m_tokens = 0;
    std::uint64_t m_windows = 0;
    bool m_ended = true;
    std::deque<ByteRange> m_unplaced; // spans of tokens whose word is not yet complete
    Window m_next;                    // tokens that are in no window yet; tags and words may lag behind
    std::string m_text;               // of the document, from before the next window on; only where text is asked for
    std::uint64_t m_textBegin = 0;
};

} // namespace headscope::core
