// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tokenizer/tokens.h"

#include <algorithm>

namespace headscope::core {
namespace {

/// Whether `range` touches [begin, end): an empty range touches the bytes on its right.
bool touches(ByteRange range, std::size_t begin, std::size_t end)
{
    if (begin == end)
        return false;
    if (range.empty())
        return begin <= range.begin && range.begin < end;
    return range.begin < end && begin < range.end;
}

} // namespace

std::vector<TokenId> TokenizedText::ids() const
{
    std::vector<TokenId> result(tokens.size());
    std::transform(tokens.begin(), tokens.end(), result.begin(), [](const Token& token) { return token.id; });
    return result;
}

TokenRange tokensTouching(const std::vector<Token>& tokens, ByteRange range)
{
    // Spans are in order, so the first token that may touch is the first whose span ends after the range begins.
    const auto firstTouching = std::partition_point(tokens.begin(), tokens.end(),
                                                    [&](const Token& token) { return token.span.end <= range.begin; });
    auto first = firstTouching;
    auto last = firstTouching;
    for (auto token = firstTouching; token != tokens.end(); ++token) {
        if (touches(range, token->span.begin, token->span.end)) {
            if (first == last)
                first = token;
            last = token + 1;
        } else if (token->span.begin >= range.end && !token->span.empty()) {
            break;
        }
    }
    if (first == last)
        return {};
    while (first != tokens.begin() && (first - 1)->group == first->group)
        --first;
    while (last != tokens.end() && last->group == (last - 1)->group)
        ++last;
    return {static_cast<std::size_t>(first - tokens.begin()), static_cast<std::size_t>(last - tokens.begin())};
}

} // namespace headscope::core
