// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tokenizer/bpe_windows.h"

#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

namespace headscope::core {
namespace {

constexpr int mostAttempts = 64;

bool insideCharacter(std::string_view text, std::size_t place)
{
    return place < text.size() && (static_cast<unsigned char>(text[place]) & 0xC0) == 0x80;
}

bool samePieces(std::vector<Piece>::const_iterator begin, std::vector<Piece>::const_iterator end,
                std::span<const Piece> others)
{
    return std::equal(begin, end, others.begin(), others.end(),
                      [](const Piece& a, const Piece& b) { return a.id == b.id && a.text == b.text; });
}

/// The last pieces of `pieces` that are one symbol: the bytes of a character, or one piece.
std::size_t lastSymbol(std::string_view normal, std::size_t end, const std::vector<Piece>& pieces)
{
    std::size_t count = 0;
    do {
        end -= normalSize(pieces[pieces.size() - ++count]);
    } while (count < pieces.size() && insideCharacter(normal, end));
    return count;
}

/// The same of the first.
std::size_t firstSymbol(std::string_view normal, std::size_t begin, const std::vector<Piece>& pieces)
{
    std::size_t count = 0;
    do {
        begin += normalSize(pieces[count++]);
    } while (count < pieces.size() && insideCharacter(normal, begin));
    return count;
}

[[noreturn]] void fail()
{
    throw Error("The text has a word of many thousand bytes that SentencePiece cannot be given in parts; break it into "
                "lines or words.");
}

std::size_t sizeOf(std::span<const Piece> pieces)
{
    std::size_t size = 0;
    for (const Piece& piece : pieces)
        size += normalSize(piece);
    return size;
}

} // namespace

std::size_t normalSize(const Piece& piece)
{
    return piece.isByte ? 1 : piece.text.size();
}

BpeWindows::BpeWindows(Encode encode, TokenId unknown, std::size_t size)
    : m_encode(std::move(encode)), m_unknown(unknown), m_size(size)
{
}

/// The library joins unknown neighbours when all is done; here they stay what they were while pairs were joined.
std::vector<Piece> BpeWindows::window(std::string_view normal) const
{
    std::vector<Piece> result;
    for (Piece& piece : m_encode(normal)) {
        if (!isUnknown(piece)) {
            result.push_back(std::move(piece));
            continue;
        }
        for (std::string_view rest = piece.text; !rest.empty();) {
            const std::size_t size = utf8Step(rest).size;
            result.push_back({piece.id, std::string(rest.substr(0, size)), false, piece.reported});
            rest.remove_prefix(size);
        }
    }
    return result;
}

bool BpeWindows::standTogether(const Piece& left, const Piece& right) const
{
    const std::vector<Piece> found = window(left.text + right.text);
    return found.size() == 2 && found[0].id == left.id && found[1].id == right.id && found[0].text == left.text;
}

/// Whether the last symbol of `left` and the first of `right` stand beside each other at `border`.
bool BpeWindows::holds(std::string_view normal, std::size_t border, const std::vector<Piece>& left,
                       const std::vector<Piece>& right) const
{
    if (left.empty() || right.empty())
        return true;
    const auto before = std::span(left).last(lastSymbol(normal, border, left));
    const auto after = std::span(right).first(firstSymbol(normal, border, right));
    const std::size_t begin = border - sizeOf(before);
    const std::vector<Piece> found = window(normal.substr(begin, sizeOf(before) + sizeOf(after)));
    const auto middle = found.begin() + static_cast<std::ptrdiff_t>(std::min(before.size(), found.size()));
    return samePieces(found.begin(), middle, before) && samePieces(middle, found.end(), after);
}

std::vector<Piece> BpeWindows::pieces(std::string_view normal, const Progress& progress) const
{
    std::vector<Piece> all;
    std::size_t begin = 0;
    for (int attempt = 0; begin < normal.size();) {
        progress.checkpoint();
        std::size_t end = std::min(normal.size(), begin + m_size);
        while (insideCharacter(normal, end))
            --end;
        std::vector<Piece> some = window(normal.substr(begin, end - begin));
        std::size_t size = end - begin;
        if (end < normal.size()) { // to a border before what may change
            const std::size_t settled = size - std::min(size, unsettled());
            while (some.size() > 1 && (size > settled || insideCharacter(normal, begin + size))) {
                size -= normalSize(some.back());
                some.pop_back();
            }
        }
        const bool isWhole = end == normal.size();
        if (!isWhole && some.size() == 1 && size + unsettled() > end - begin)
            fail();
        if (holds(normal, begin, all, some)) {
            all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
            begin += size;
            attempt = 0;
        } else if (++attempt > mostAttempts) {
            fail();
        } else {
            const std::size_t last = lastSymbol(normal, begin, all);
            begin -= sizeOf(std::span(all).last(last));
            all.resize(all.size() - last);
        }
    }
    return all;
}

} // namespace headscope::core
