// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/tokenizer/invariants.h"

#include "core/tokenizer/utf8.h"

#include <algorithm>
#include <vector>

using namespace headscope::core;

namespace {

/// Places where a character begins or the text ends; every part of something invalid counts as a character.
std::vector<bool> characterBorders(std::string_view text)
{
    std::vector<bool> result(text.size() + 1);
    std::size_t place = 0;
    while (place < text.size()) {
        result[place] = true;
        place += utf8Step(text.substr(place)).size;
    }
    result[text.size()] = true;
    return result;
}

} // namespace

testing::AssertionResult keepsInvariants(const TokenizedText& text)
{
    const auto fails = [&](std::size_t token) { return testing::AssertionFailure() << "at token " << token << " "; };
    const auto borders = characterBorders(text.text);
    std::vector<ByteRange> ranges = text.gaps;
    std::size_t place = 0;
    for (std::size_t i = 0; i < text.tokens.size(); ++i) {
        const Token& token = text.tokens[i];
        if (token.span.begin < place || token.span.end < token.span.begin || token.span.end > text.text.size())
            return fails(i) << "the span [" << token.span.begin << ", " << token.span.end << ") is out of order";
        if (!borders[token.span.begin] || !borders[token.span.end])
            return fails(i) << "a character is cut";
        place = token.span.end;
        if (!token.span.empty())
            ranges.push_back(token.span);
        const std::int32_t before = i == 0 ? -1 : text.tokens[i - 1].group;
        if (token.group != before && token.group != before + 1)
            return fails(i) << "group " << token.group << " follows " << before;
        // What shares a character touches what it shares it with.
        if (token.group == before && token.span.begin != text.tokens[i - 1].span.end)
            return fails(i) << "there is a gap inside a group";
        if (token.piece.empty())
            return fails(i) << "no piece";
        if (ValidUtf8(token.piece).text() != token.piece)
            return fails(i) << "the piece is not UTF-8";
        if (token.special && !token.span.empty())
            return fails(i) << "a control symbol stands for text";
    }
    std::sort(ranges.begin(), ranges.end(), [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
    place = 0;
    for (const ByteRange& range : ranges) {
        if (range.begin != place || range.empty())
            return testing::AssertionFailure() << "spans and gaps do not tile the text at byte " << place;
        place = range.end;
    }
    if (place != text.text.size())
        return testing::AssertionFailure() << "bytes from " << place << " on belong to nobody";
    for (std::size_t i = 1; i < text.gaps.size(); ++i)
        if (text.gaps[i].begin == text.gaps[i - 1].end)
            return testing::AssertionFailure() << "the gaps " << i - 1 << " and " << i << " are not merged";
    return testing::AssertionSuccess();
}
