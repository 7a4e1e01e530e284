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

/// How text becomes ids. Belongs to the loaded checkpoint, comes from its family's conventions, can be overridden, is written into every export.
struct TextPolicy {
    enum class Split : std::uint8_t {
        Whole, // the text is encoded in one piece
        Lines, // every line on its own; the line ends vanish (they become gaps)
    };
    Split split = Split::Whole;
    bool addBos = false;
    bool addEos = false;

    bool operator==(const TextPolicy&) const = default;
};
std::string_view toString(TextPolicy::Split split); // "whole", "lines"
std::optional<TextPolicy::Split> textSplitFromString(std::string_view name);

/// Text ⇄ tokens. Immutable and thread-safe.
class Tokenizer
{
public:
    virtual ~Tokenizer() = default;

    /// Any bytes are legal, invalid UTF-8 and NUL included. Throws Error (a text the library refuses), Cancelled.
    virtual TokenizedText encode(std::string_view text, const TextPolicy& policy, const Progress& progress = {}) const = 0;
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

/// A stand-in for a checkpoint whose tokenizer is not at hand: the text is a list of ids ("15 126, 157") and each number is a token. `size` bounds the ids.
/// encode throws Error naming the first word that is not an id below `size`.
std::shared_ptr<const Tokenizer> makeIdListTokenizer(std::int64_t size);

/// Looks beside a checkpoint (its folder and the folders above it that a training run or a Hugging Face directory uses: `tokenizer.model`,
/// `tokenizer.spm.model`, `tokenizer.model.model`, `*.model` when there is just one, `cache/*/*/` of a run). nullopt when none is found.
/// `expectedPieces` (rows of the embedding) chooses between several. Throws Error when several fit equally and nothing decides.
std::optional<std::filesystem::path> findTokenizer(const std::filesystem::path& checkpoint, std::int64_t expectedPieces);

/// The tokens of a list of ids: pieces from `tokenizer` (may be null), empty spans. Throws Error naming the first id outside [0, rows).
TokenizedText tokensFromIds(const std::vector<TokenId>& ids, const Tokenizer* tokenizer, std::int64_t rows);

/// Throws Error naming the first token whose id has no embedding row ("… give the tokenizer this checkpoint was trained with").
void requireIdsBelow(const TokenizedText& text, std::int64_t rows, const Tokenizer* tokenizer);

} // namespace headscope::core
