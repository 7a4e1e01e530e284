// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"
#include "core/tokenizer/tokens.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core {

/// How text becomes ids. Belongs to the loaded checkpoint, comes from its family's conventions, can be overridden, is
/// written into every export.
struct TextPolicy {
    enum class Split : std::uint8_t {
        Whole, // the text is encoded in one piece
        Lines, // every line on its own; the line ends vanish (they become gaps)
    };
    Split split = Split::Whole;
    bool addBos = false;
    bool addEos = false;
    /// Written behind every document in training, as ordinary text ("<STORY_SEP>"); empty when documents only follow each other. Passes over a
    /// corpus put it there; a text that is given is taken as it is, for it need not be a whole document.
    std::string documentSeparator = {};

    bool operator==(const TextPolicy&) const = default;
};
std::string_view toString(TextPolicy::Split split); // "whole", "lines"
std::optional<TextPolicy::Split> textSplitFromString(std::string_view name);

/// A text that arrives in pieces and need never be in memory whole. The tokens are those of the whole text. Used by one thread.
class TokenStream
{
public:
    virtual ~TokenStream() = default;

    /// Takes the next bytes (cut anywhere) and returns the tokens that nothing that may follow can change; there may be none. Spans and
    /// groups count from the beginning of the text. Throws as Tokenizer::encode.
    virtual std::vector<Token> add(std::string_view bytes) = 0;
    /// The text has ended: the tokens that are left. Not to be used any more afterwards.
    virtual std::vector<Token> finish() = 0;
};

/// Text ⇄ tokens. Immutable and thread-safe.
class Tokenizer
{
public:
    virtual ~Tokenizer() = default;

    /// Any bytes are legal, invalid UTF-8 and NUL included: each invalid part becomes one U+FFFD for the tokenizer, spans
    /// refer to the bytes given. With Lines a line ends at "\n", "\r\n" or "\r". addBos and addEos put one token at each end
    /// of the whole text, not of lines.
    ///
    /// Cancellable between parts of about 2 kB. Only where a text offers no place to cut it without changing ids (one word
    /// repeated for megabytes; unigram models) it is encoded in one call, and above 4 MB refused. Throws Error (a text the
    /// library refuses, a policy that asks for a symbol the model lacks), Cancelled.
    virtual TokenizedText encode(std::string_view text, const TextPolicy& policy, const Progress& progress = {}) const = 0;
    /// For texts too long to be held with their tokens. Must not outlive the tokenizer. This one keeps the text and encodes it at its end.
    virtual std::unique_ptr<TokenStream> stream(const TextPolicy& policy, const Progress& progress = {}) const;
    /// Number of ids. Every id that encode gives is below it.
    virtual std::int64_t size() const = 0;
    /// The vocabulary's spelling; empty when the id is outside [0, size).
    virtual std::string piece(TokenId id) const = 0;
    virtual bool isSpecial(TokenId id) const = 0;
    /// "SentencePiece BPE, 4000 pieces"
    virtual std::string description() const = 0;
    /// The file it was read from; empty when there is none.
    virtual std::filesystem::path path() const = 0;
};

/// Reads a SentencePiece model. Throws Error naming the file when it is something else.
std::shared_ptr<const Tokenizer> openSentencePiece(const std::filesystem::path& path);

/// Reads the vocabulary that a run on bytes leaves behind (vocabulary.pth): every byte of a text is a token. Throws Error naming the file when it
/// is something else. Encoding a byte that the vocabulary lacks throws Error.
std::shared_ptr<const Tokenizer> openByteVocabulary(const std::filesystem::path& path);

/// Any of these, by what the file's first bytes are.
std::shared_ptr<const Tokenizer> openTokenizer(const std::filesystem::path& path);

/// A stand-in for a checkpoint whose tokenizer is not at hand: the text is a list of ids ("15 126, 157") and each number is
/// a token. `size` bounds the ids. encode throws Error naming the first word that is not an id below `size`.
std::shared_ptr<const Tokenizer> makeIdListTokenizer(std::int64_t size);

/// What a look around a checkpoint found.
struct TokenizerSearch {
    std::optional<std::filesystem::path> path; // the one to use
    std::vector<std::string> notes;            // sentences: what was there but is of no use, and why; padding rows
};

/// Looks for the tokenizer of a checkpoint (a file or a folder) in its folder and in the four above it, the nearest first.
/// In each: `tokenizer.model`, `tokenizer.spm.model`, `tokenizer.model.model`, any other single `*.model` (only beside the
/// checkpoint), and `cache/*/*/tokenizer*.model` as training runs leave them (save/NAME/checkpoint/model-N.pth beside
/// cache/DATASET/HASH/).
///
/// Beside them `cache/*/*/vocabulary.pth`, the vocabulary of a run on bytes, which counts only with exactly as many bytes as the embedding has rows.
///
/// `expectedPieces` is the number of rows of the embedding, or 0 when that is not known. A tokenizer with more pieces is
/// never taken. The nearest with exactly as many wins; without one (rows are often padded) the nearest folder, and in it the
/// tokenizer with the most pieces. Throws Error when two different ones are equally good. Never reads more than a bounded
/// number of folder entries and files.
TokenizerSearch searchTokenizer(const std::filesystem::path& checkpoint, std::int64_t expectedPieces);

/// searchTokenizer without its notes.
std::optional<std::filesystem::path> findTokenizer(const std::filesystem::path& checkpoint, std::int64_t expectedPieces);

/// The tokens of a list of ids: pieces from `tokenizer` (may be null), empty spans. Throws Error naming the first id outside
/// [0, rows).
TokenizedText tokensFromIds(const std::vector<TokenId>& ids, const Tokenizer* tokenizer, std::int64_t rows);

/// Throws Error naming the first token whose id has no embedding row ("… give the tokenizer this checkpoint was trained
/// with").
void requireIdsBelow(const TokenizedText& text, std::int64_t rows, const Tokenizer* tokenizer);

} // namespace headscope::core
