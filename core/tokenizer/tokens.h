// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace headscope::core {

/// Half-open range of bytes of a UTF-8 text.
struct ByteRange {
    std::size_t begin = 0;
    std::size_t end = 0;

    bool empty() const { return begin == end; }
    std::size_t size() const { return end - begin; }
    bool overlaps(const ByteRange& other) const { return begin < other.end && other.begin < end; }
    bool operator==(const ByteRange&) const = default;
};

using TokenId = std::int32_t;

/// One token of a text. `span` says which bytes of the original text it stands for; an empty span is not the same as
/// `special` (a dummy prefix is an ordinary token without bytes).
struct Token {
    TokenId id = 0;
    std::string piece; // as the vocabulary spells it ("▁The", "<0x41>"); the id in decimal without a vocabulary
    ByteRange span;
    bool special = false;   // control symbol (BOS, EOS, …), not text
    /// Tokens that share one original character have the same group; all but the last of them end at the character's beginning (they may be
    /// empty), the last has its bytes. Groups are numbered in order.
    std::int32_t group = 0;

    bool operator==(const Token&) const = default;
};

/// A text and its tokens. Spans never decrease or overlap; spans and gaps together tile the text exactly.
/// Zero tokens is a legal text. Tokens of a text given by ids have empty spans and `text` is empty.
struct TokenizedText {
    std::string text; // the bytes the user gave
    std::vector<Token> tokens;
    std::vector<ByteRange> gaps; // bytes that the tokenizer dropped, in order, never empty ranges, merged when adjacent

    std::vector<TokenId> ids() const;
    bool operator==(const TokenizedText&) const = default;
};

/// [first, last) tokens whose group touches the byte range (an empty range touches the token that contains it).
/// Tokens with empty spans belong to the group they are in; {0, 0} when none.
struct TokenRange {
    std::size_t first = 0;
    std::size_t last = 0;
    bool empty() const { return first == last; }
    bool operator==(const TokenRange&) const = default;
};
TokenRange tokensTouching(const std::vector<Token>& tokens, ByteRange range);

} // namespace headscope::core
