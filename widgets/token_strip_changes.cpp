// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/token_strip_changes.h"

namespace headscope::widgets {

namespace {

bool joinedAfter(const StripItems& items, std::size_t item)
{
    return item + 1 < items.items.size() && items.items[item + 1].joined;
}

const TokenShade* shadeOf(const StripContents& contents, const StripItem& item)
{
    const bool token = item.kind != StripItem::Kind::Gap;
    return token && item.index < contents.shades.tokens.size() ? &contents.shades.tokens[item.index] : nullptr;
}

bool sameItem(const StripContents& before, const StripContents& after, std::size_t item)
{
    const StripItem& a = before.items.items[item];
    const StripItem& b = after.items.items[item];
    const TokenShade* shadeA = shadeOf(before, a);
    const TokenShade* shadeB = shadeOf(after, b);
    return a.kind == b.kind && a.joined == b.joined && joinedAfter(before.items, item) == joinedAfter(after.items, item)
           && before.layout.left(item) == after.layout.left(item) && before.layout.width(item) == after.layout.width(item)
           && before.items.labels[a.label] == after.items.labels[b.label] && (shadeA == nullptr) == (shadeB == nullptr)
           && (!shadeA || *shadeA == *shadeB);
}

} // namespace

bool sameLine(const StripContents& before, const StripContents& after, std::size_t line)
{
    if (line >= before.layout.lines().size() || line >= after.layout.lines().size())
        return false;
    const auto& own = after.layout.lines()[line];
    if (!(own == before.layout.lines()[line]))
        return false;
    for (std::size_t item = own.first; item < own.last; ++item)
        if (!sameItem(before, after, item))
            return false;
    return true;
}

} // namespace headscope::widgets
