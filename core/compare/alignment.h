// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tokenizer/tokens.h"

#include <vector>

namespace headscope::core {

/// The smallest stretch of a text at both ends of which both tokenisations have a border: one token each where they agree.
/// Tokens without bytes (a dummy prefix) belong to the unit of the token behind them, at the end to that before.
struct AlignedUnit {
    ByteRange bytes;
    TokenRange a;
    TokenRange b;

    bool operator==(const AlignedUnit&) const = default;
};

/// Two tokenisations of the same bytes.
struct Alignment {
    std::vector<AlignedUnit> units; // in order; together they hold every token that is not special and has bytes
    bool sameTokens = false;        // the same ids with the same bytes: every unit is one token of each
    std::vector<std::size_t> onlyA; // tokens that are in no unit: specials, tokens whose bytes the other dropped
    std::vector<std::size_t> onlyB;
};

/// Texts that were given by ids have no bytes; they are aligned token by token when the ids are the same. Throws Error when
/// the two are not of the same text.
Alignment alignTokens(const TokenizedText& a, const TokenizedText& b);

} // namespace headscope::core
