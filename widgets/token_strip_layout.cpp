// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/token_strip_layout.h"

#include "widgets/visible_text.h"

#include <QHash>

#include <algorithm>

namespace headscope::widgets {

namespace {

constexpr int longestLabel = 32; // characters

class LabelTable
{
public:
    explicit LabelTable(std::vector<QString>& labels) : m_labels(labels) {}

    std::uint32_t of(const QString& label)
    {
        const auto found = m_places.constFind(label);
        if (found != m_places.constEnd())
            return *found;
        const auto place = static_cast<std::uint32_t>(m_labels.size());
        m_labels.push_back(label);
        m_places.insert(label, place);
        return place;
    }

    /// Pieces come back often: their label is looked up by id before it is made.
    std::uint32_t of(const core::Token& token)
    {
        const auto found = m_tokens.constFind(token.id);
        if (found != m_tokens.constEnd() && found->piece == token.piece)
            return found->label;
        const auto label = of(shortened(visiblePiece(token), longestLabel));
        m_tokens.insert(token.id, {token.piece, label});
        return label;
    }

private:
    std::vector<QString>& m_labels;
    QHash<QString, std::uint32_t> m_places;
    struct Known {
        std::string_view piece; // unknown characters share an id, not a piece
        std::uint32_t label = 0;
    };
    QHash<core::TokenId, Known> m_tokens;
};

/// A line end in front of other bytes breaks before the item (a tokenizer may take it for the space of the next word), else
/// after.
StripItem::Break lineBreak(std::string_view text, core::ByteRange bytes)
{
    const std::string_view own = text.substr(bytes.begin, bytes.size());
    constexpr std::string_view ends = "\r\n";
    const auto first = own.find_first_of(ends);
    if (first == std::string_view::npos)
        return StripItem::Break::None;
    const bool cutInTwo =
        own.back() == '\r' && bytes.end < text.size() && text[bytes.end] == '\n'; // CR here, LF in the next item
    if (cutInTwo && own.find_first_of(ends) == own.size() - 1)
        return StripItem::Break::None;
    const bool onlyInFront =
        first == 0 && own.find_last_of(ends) + 1 < own.size() && own.find_first_not_of(ends) > own.find_last_of(ends);
    return onlyInFront ? StripItem::Break::Before : StripItem::Break::After;
}

} // namespace

core::ByteRange StripItems::bytes(const core::TokenizedText& text, const StripItem& item)
{
    return item.kind == StripItem::Kind::Gap ? text.gaps[item.index] : text.tokens[item.index].span;
}

StripItems stripItems(const core::TokenizedText& text)
{
    StripItems result;
    result.items.reserve(text.tokens.size() + text.gaps.size());
    result.ofToken.reserve(text.tokens.size());
    LabelTable labels(result.labels);
    std::size_t gap = 0;
    const auto addGapsBefore = [&](std::size_t byte) {
        for (; gap < text.gaps.size() && text.gaps[gap].begin < byte; ++gap) {
            const auto bytes = text.gaps[gap];
            const std::string_view dropped =
                std::string_view(text.text).substr(bytes.begin, std::min<std::size_t>(bytes.size(), 4096));
            const auto label = labels.of(shortened(visibleText(dropped), longestLabel));
            result.ofGap.push_back(static_cast<std::uint32_t>(result.items.size()));
            result.items.push_back(
                {StripItem::Kind::Gap, lineBreak(text.text, bytes), false, static_cast<std::uint32_t>(gap), label});
        }
    };
    for (std::size_t i = 0; i < text.tokens.size(); ++i) {
        const auto& token = text.tokens[i];
        addGapsBefore(token.span.end);
        const bool afterToken = !result.items.empty() && result.items.back().kind != StripItem::Kind::Gap;
        const bool joined = afterToken && text.tokens[i - 1].group == token.group;
        result.ofToken.push_back(static_cast<std::uint32_t>(result.items.size()));
        result.items.push_back({token.special ? StripItem::Kind::Special : StripItem::Kind::Token,
                                lineBreak(text.text, token.span), joined, static_cast<std::uint32_t>(i), labels.of(token)});
    }
    addGapsBefore(text.text.size() + 1);
    return result;
}

std::pair<std::size_t, std::size_t> StripItems::touching(const core::TokenizedText& text, core::ByteRange bytes) const
{
    const auto tokens = core::tokensTouching(text.tokens, bytes);
    const auto firstGap = std::partition_point(text.gaps.begin(), text.gaps.end(),
                                               [&](const core::ByteRange& gap) { return gap.end <= bytes.begin; });
    const auto lastGap =
        std::partition_point(firstGap, text.gaps.end(), [&](const core::ByteRange& gap) { return gap.begin < bytes.end; });
    std::size_t first = items.size();
    std::size_t last = 0;
    if (!tokens.empty()) {
        first = ofToken[tokens.first];
        last = ofToken[tokens.last - 1] + 1;
    }
    if (firstGap != lastGap) {
        first = std::min<std::size_t>(first, ofGap[static_cast<std::size_t>(firstGap - text.gaps.begin())]);
        last = std::max<std::size_t>(last, ofGap[static_cast<std::size_t>(lastGap - text.gaps.begin()) - 1] + 1);
    }
    return first < last ? std::pair(first, last) : std::pair<std::size_t, std::size_t>(0, 0);
}

std::optional<core::ByteRange> StripItems::bytesOf(const core::TokenizedText& text, std::size_t first,
                                                   std::size_t last) const
{
    const auto [begin, end] = wholeGroups(first, last);
    if (begin == end)
        return std::nullopt;
    const core::ByteRange range{bytes(text, items[begin]).begin, bytes(text, items[end - 1]).end};
    return range.empty() ? std::nullopt : std::optional(range);
}

std::pair<std::size_t, std::size_t> StripItems::wholeGroups(std::size_t first, std::size_t last) const
{
    if (first == last)
        return {first, last};
    while (first > 0 && items[first].joined)
        --first;
    while (last < items.size() && items[last].joined)
        ++last;
    return {first, last};
}

TokenStripLayout::TokenStripLayout(std::span<const StripItem> items, std::span<const int> labelWidths,
                                   const StripMetrics& metrics)
    : m_metrics(metrics)
{
    m_left.reserve(items.size());
    m_width.reserve(items.size());
    const int right = std::max(metrics.width - metrics.margin, metrics.margin + metrics.leastWidth);
    const int room = right - metrics.margin;
    int x = metrics.margin;
    Line line{0, 0, metrics.margin};
    const auto endLine = [&](std::uint32_t next) {
        line.last = next;
        m_lines.push_back(line);
        line = {next, next, line.top + metrics.itemHeight + metrics.lineGap};
        x = metrics.margin;
    };
    for (std::uint32_t i = 0; i < items.size(); ++i) {
        const int width = std::clamp(labelWidths[items[i].label] + metrics.padding, metrics.leastWidth,
                                     std::max(room, metrics.leastWidth));
        if (items[i].lineBreak == StripItem::Break::Before && i > line.first)
            endLine(i);
        const bool firstOfLine = i == line.first;
        int left = firstOfLine ? x : x + (items[i].joined ? 0 : metrics.itemGap);
        if (!firstOfLine && left + width > right) {
            endLine(i);
            left = x;
        }
        m_left.push_back(left);
        m_width.push_back(width);
        x = left + width;
        if (items[i].lineBreak == StripItem::Break::After)
            endLine(i + 1);
    }
    if (line.first < items.size())
        endLine(static_cast<std::uint32_t>(items.size()));
}

int TokenStripLayout::height() const
{
    return m_lines.empty() ? 0 : m_lines.back().top + m_metrics.itemHeight + m_metrics.margin;
}

QRect TokenStripLayout::rect(std::size_t item) const
{
    return {m_left[item], m_lines[lineOf(item)].top, m_width[item], m_metrics.itemHeight};
}

std::size_t TokenStripLayout::lineOf(std::size_t item) const
{
    const auto after = std::upper_bound(m_lines.begin(), m_lines.end(), item,
                                        [](std::size_t i, const Line& line) { return i < line.first; });
    return static_cast<std::size_t>(after - m_lines.begin()) - 1;
}

std::optional<std::size_t> TokenStripLayout::at(QPoint point) const
{
    const auto [first, last] = linesIn(point.y(), point.y() + 1);
    if (first == last)
        return std::nullopt;
    const auto item = nearestInLine(first, point.x());
    return rect(item).contains(point) ? std::optional(item) : std::nullopt;
}

std::optional<std::size_t> TokenStripLayout::nearest(QPoint point) const
{
    if (m_lines.empty())
        return std::nullopt;
    const auto [first, last] = linesIn(point.y(), point.y() + 1);
    return nearestInLine(first < last ? first : std::min(first, m_lines.size() - 1), point.x());
}

std::pair<std::size_t, std::size_t> TokenStripLayout::linesIn(int top, int bottom) const
{
    const int height = m_metrics.itemHeight;
    const auto first =
        std::partition_point(m_lines.begin(), m_lines.end(), [&](const Line& line) { return line.top + height <= top; });
    const auto last = std::partition_point(first, m_lines.end(), [&](const Line& line) { return line.top < bottom; });
    return {static_cast<std::size_t>(first - m_lines.begin()), static_cast<std::size_t>(last - m_lines.begin())};
}

std::size_t TokenStripLayout::vertical(std::size_t item, int direction) const
{
    const std::size_t line = lineOf(item);
    if ((direction < 0 && line == 0) || (direction > 0 && line + 1 == m_lines.size()))
        return item;
    return nearestInLine(direction < 0 ? line - 1 : line + 1, m_left[item] + m_width[item] / 2);
}

std::size_t TokenStripLayout::nearestInLine(std::size_t line, int x) const
{
    const auto begin = m_left.begin() + m_lines[line].first;
    const auto end = m_left.begin() + m_lines[line].last;
    const auto after = std::upper_bound(begin, end, x); // the first item that starts right of x
    if (after == begin)
        return m_lines[line].first;
    const auto before = static_cast<std::size_t>(after - m_left.begin()) - 1;
    if (after == end)
        return before;
    const int toBefore = x - (m_left[before] + m_width[before] - 1);
    const int toAfter = *after - x;
    return toBefore <= toAfter ? before : before + 1;
}

} // namespace headscope::widgets
