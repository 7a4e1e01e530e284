// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/alignment.h"

#include "core/error.h"

#include <algorithm>
#include <optional>

namespace headscope::core {
namespace {

/// Tokens that cannot be told apart by bytes: those of a group, with the tokens without bytes before them.
struct Piece {
    ByteRange bytes;
    TokenRange tokens;
};

bool sameTokens(const TokenizedText& a, const TokenizedText& b)
{
    return std::equal(
        a.tokens.begin(), a.tokens.end(), b.tokens.begin(), b.tokens.end(),
        [](const Token& x, const Token& y) { return x.id == y.id && x.span == y.span && x.special == y.special; });
}

/// Every token that is not special stands opposite itself.
Alignment tokenByToken(const TokenizedText& text)
{
    Alignment alignment;
    alignment.sameTokens = true;
    for (std::size_t i = 0; i < text.tokens.size(); ++i) {
        if (text.tokens[i].special) {
            alignment.onlyA.push_back(i);
            alignment.onlyB.push_back(i);
        } else {
            alignment.units.push_back({text.tokens[i].span, {i, i + 1}, {i, i + 1}});
        }
    }
    return alignment;
}

/// The pieces of a tokenisation, in order of their bytes. A token without bytes goes to the piece behind it, at the end to
/// that before.
std::vector<Piece> piecesOf(const std::vector<Token>& tokens)
{
    std::vector<Piece> pieces;
    std::optional<std::size_t> waiting; // the first token without bytes that looks for a piece
    std::size_t end = 0;                // behind the last token that is not special
    std::int32_t group = -1;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const Token& token = tokens[i];
        if (token.special)
            continue;
        end = i + 1;
        if (!pieces.empty() && !waiting && token.group == group) {
            pieces.back().bytes.end = std::max(pieces.back().bytes.end, token.span.end);
            pieces.back().tokens.last = i + 1;
        } else if (token.span.empty()) {
            waiting = waiting.value_or(i);
        } else {
            pieces.push_back({token.span, {waiting.value_or(i), i + 1}});
            waiting.reset();
            group = token.group;
        }
    }
    if (waiting && !pieces.empty())
        pieces.back().tokens.last = end;
    return pieces;
}

/// The tokens that are in none of the ranges, which are in order.
std::vector<std::size_t> outside(std::size_t tokens, const std::vector<AlignedUnit>& units, TokenRange AlignedUnit::*side)
{
    std::vector<std::size_t> result;
    auto unit = units.begin();
    for (std::size_t i = 0; i < tokens; ++i) {
        while (unit != units.end() && ((*unit).*side).last <= i)
            ++unit;
        if (unit == units.end() || i < ((*unit).*side).first)
            result.push_back(i);
    }
    return result;
}

void join(AlignedUnit& unit, TokenRange AlignedUnit::*side, const Piece& piece)
{
    TokenRange& range = unit.*side;
    range = range.empty() ? piece.tokens : TokenRange{range.first, piece.tokens.last};
    unit.bytes.end = std::max(unit.bytes.end, piece.bytes.end);
}

/// Pieces that overlap, from the left to the right, until a byte before which both have a border.
std::vector<AlignedUnit> overlapping(const std::vector<Piece>& a, const std::vector<Piece>& b)
{
    std::vector<AlignedUnit> units;
    auto x = a.begin();
    auto y = b.begin();
    while (x != a.end() && y != b.end()) {
        const std::size_t begin = std::min(x->bytes.begin, y->bytes.begin);
        AlignedUnit unit{{begin, begin}, {}, {}};
        const auto inside = [&unit, begin](const Piece& piece) {
            return piece.bytes.begin == begin || piece.bytes.begin < unit.bytes.end;
        };
        for (bool grown = true; grown;) {
            grown = false;
            for (; x != a.end() && inside(*x); ++x, grown = true)
                join(unit, &AlignedUnit::a, *x);
            for (; y != b.end() && inside(*y); ++y, grown = true)
                join(unit, &AlignedUnit::b, *y);
        }
        if (!unit.a.empty() && !unit.b.empty()) // else the other dropped these bytes
            units.push_back(unit);
    }
    return units;
}

} // namespace

Alignment alignTokens(const TokenizedText& a, const TokenizedText& b)
{
    if (a.text != b.text)
        throw Error("The two models were not given the same text: their tokens cannot be laid side by side.");
    if (sameTokens(a, b))
        return tokenByToken(a);
    const auto isText = [](const Token& token) { return !token.special; };
    if (a.text.empty() && std::any_of(a.tokens.begin(), a.tokens.end(), isText) &&
        std::any_of(b.tokens.begin(), b.tokens.end(), isText))
        throw Error(
            "The two texts were given by ids and these differ: without a text nothing tells which tokens correspond.");
    Alignment alignment;
    alignment.units = overlapping(piecesOf(a.tokens), piecesOf(b.tokens));
    alignment.onlyA = outside(a.tokens.size(), alignment.units, &AlignedUnit::a);
    alignment.onlyB = outside(b.tokens.size(), alignment.units, &AlignedUnit::b);
    return alignment;
}

} // namespace headscope::core
