// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare_columns.h"

#include <algorithm>
#include <numeric>

namespace headscope::widgets {

namespace {

using Items = CompareColumn::Items;

core::ByteRange united(core::ByteRange x, core::ByteRange y)
{
    if (x.empty())
        return y;
    if (y.empty())
        return x;
    return {std::min(x.begin, y.begin), std::max(x.end, y.end)};
}

core::ByteRange bytesOf(const core::TokenizedText& text, const StripItems& strip, Items items)
{
    core::ByteRange bytes;
    for (std::uint32_t i = items.first; i < items.second; ++i)
        bytes = united(bytes, StripItems::bytes(text, strip.items[i]));
    return bytes;
}

/// Walks both strips and cuts columns off them.
class Cutter
{
public:
    Cutter(const core::TokenizedText& a, const core::TokenizedText& b, CompareColumns& result)
        : m_textA(a), m_textB(b), m_result(result)
    {
    }

    void unit(std::uint32_t number, const core::AlignedUnit& unit)
    {
        const Items a = itemsOf(m_result.a, unit.a, m_a);
        const Items b = itemsOf(m_result.b, unit.b, m_b);
        loose(a.first, b.first);
        m_result.ofUnit.push_back(static_cast<std::uint32_t>(m_result.columns.size()));
        add(number, a, b);
        m_a = a.second;
        m_b = b.second;
    }

    /// What is in no unit, up to these items: alike ones above each other, else by where they begin.
    void loose(std::uint32_t endA, std::uint32_t endB)
    {
        while (m_a < endA || m_b < endB) {
            const bool hasA = m_a < endA, hasB = m_b < endB;
            const bool together = hasA && hasB && alike();
            const bool takeA =
                together || (hasA && (!hasB || begin(m_textA, m_result.a, m_a) <= begin(m_textB, m_result.b, m_b)));
            const bool takeB = together || !takeA;
            add({}, {m_a, m_a + (takeA ? 1 : 0)}, {m_b, m_b + (takeB ? 1 : 0)});
            m_a += takeA ? 1 : 0;
            m_b += takeB ? 1 : 0;
        }
    }
    void end()
    {
        loose(static_cast<std::uint32_t>(m_result.a.items.size()), static_cast<std::uint32_t>(m_result.b.items.size()));
    }

private:
    static Items itemsOf(const StripItems& strip, core::TokenRange tokens, std::uint32_t next)
    {
        if (tokens.empty())
            return {next, next};
        return {strip.ofToken[tokens.first], strip.ofToken[tokens.last - 1] + 1};
    }
    static std::size_t begin(const core::TokenizedText& text, const StripItems& strip, std::uint32_t item)
    {
        return StripItems::bytes(text, strip.items[item]).begin;
    }
    bool alike() const
    {
        const StripItem& x = m_result.a.items[m_a];
        const StripItem& y = m_result.b.items[m_b];
        return x.kind == y.kind && StripItems::bytes(m_textA, x) == StripItems::bytes(m_textB, y);
    }
    void add(std::optional<std::uint32_t> number, Items a, Items b)
    {
        const core::ByteRange bytes = united(bytesOf(m_textA, m_result.a, a), bytesOf(m_textB, m_result.b, b));
        m_result.columns.push_back({number, a, b, bytes});
    }

    const core::TokenizedText& m_textA;
    const core::TokenizedText& m_textB;
    CompareColumns& m_result;
    std::uint32_t m_a = 0; // the next items
    std::uint32_t m_b = 0;
};

int widthOf(std::span<const int> widths, Items items)
{
    return std::accumulate(widths.begin() + items.first, widths.begin() + items.second, 0);
}

bool breaks(const CompareColumns& columns, const CompareColumn& column, StripItem::Break where)
{
    const auto at = [&](const StripItems& strip, Items items) {
        if (items.first == items.second)
            return false;
        return strip.items[where == StripItem::Break::Before ? items.first : items.second - 1].lineBreak == where;
    };
    return at(columns.a, column.a) || at(columns.b, column.b);
}

/// Pieces of a width in the proportions of what each needs; they add up to it exactly.
std::vector<int> shares(std::span<const int> needs, int width)
{
    const long all = std::max(1L, std::accumulate(needs.begin(), needs.end(), 0L));
    std::vector<int> result;
    long before = 0;
    int given = 0;
    for (const int need : needs) {
        before += need;
        const int until = static_cast<int>(before * width / all);
        result.push_back(until - given);
        given = until;
    }
    return result;
}

} // namespace

CompareColumns compareColumns(const core::TokenizedText& a, const core::TokenizedText& b, const core::Alignment& alignment)
{
    CompareColumns result;
    result.a = stripItems(a);
    result.b = stripItems(b);
    result.sameTokens = alignment.sameTokens;
    Cutter cutter(a, b, result);
    for (std::size_t i = 0; i < alignment.units.size(); ++i)
        cutter.unit(static_cast<std::uint32_t>(i), alignment.units[i]);
    cutter.end();
    return result;
}

/// Tokens of a text given by ids have no bytes and are touched by none.
std::pair<std::size_t, std::size_t> CompareColumns::touching(core::ByteRange bytes) const
{
    std::size_t first = columns.size(), last = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const core::ByteRange own = columns[i].bytes;
        const bool touched = bytes.empty() ? own.begin <= bytes.begin && bytes.begin < own.end : own.overlaps(bytes);
        if (touched && !own.empty()) {
            first = std::min(first, i);
            last = i + 1;
        }
    }
    return first < last ? std::pair(first, last) : std::pair<std::size_t, std::size_t>(0, 0);
}

CompareLayout::CompareLayout(const CompareColumns& columns, std::span<const int> widthsA, std::span<const int> widthsB,
                             const std::vector<bool>& leftOut, const CompareMetrics& metrics)
    : m_metrics(metrics), m_placeOf(columns.columns.size()), m_a(columns.a.items.size()), m_b(columns.b.items.size())
{
    const int start = metrics.margin + metrics.gutter;
    const int right = std::max(metrics.width - metrics.margin, start + metrics.markWidth);
    int x = start;
    Line line{0, 0, metrics.margin};
    const auto endLine = [&] {
        line.last = static_cast<std::uint32_t>(m_places.size());
        if (line.first == line.last)
            return;
        m_lines.push_back(line);
        line = {line.last, line.last, line.top + metrics.lineHeight() + metrics.lineGap};
        x = start;
    };
    const auto place = [&](std::uint32_t first, std::uint32_t last, bool out, int wanted) {
        const int width = std::min(wanted, right - start);
        const bool firstOfLine = line.first == m_places.size();
        int left = firstOfLine ? x : x + metrics.columnGap;
        if (!firstOfLine && left + width > right) {
            endLine();
            left = x;
        }
        for (std::uint32_t column = first; column < last; ++column)
            m_placeOf[column] = static_cast<std::uint32_t>(m_places.size());
        m_places.push_back({first, last, out, left, width});
        x = left + width;
    };
    const auto spread = [&](std::vector<Span>& spans, std::span<const int> widths, Items items) {
        const Place& at = m_places.back();
        int left = at.left;
        const std::vector<int> given = shares(widths.subspan(items.first, items.second - items.first), at.width);
        for (std::uint32_t i = items.first; i < items.second; ++i) {
            spans[i] = {left, given[i - items.first], static_cast<std::uint32_t>(m_lines.size())};
            left += spans[i].width;
        }
    };
    const auto count = static_cast<std::uint32_t>(columns.columns.size());
    for (std::uint32_t i = 0; i < count;) {
        std::uint32_t end = i;
        while (end < count && end < leftOut.size() && leftOut[end])
            ++end;
        if (end > i) {
            place(i, end, true, metrics.markWidth);
            i = end;
            continue;
        }
        const CompareColumn& column = columns.columns[i];
        if (breaks(columns, column, StripItem::Break::Before))
            endLine();
        place(i, i + 1, false, std::max(widthOf(widthsA, column.a), widthOf(widthsB, column.b)));
        spread(m_a, widthsA, column.a);
        spread(m_b, widthsB, column.b);
        if (breaks(columns, column, StripItem::Break::After))
            endLine();
        ++i;
    }
    endLine();
}

int CompareLayout::height() const
{
    return m_lines.empty() ? 0 : m_lines.back().top + m_metrics.lineHeight() + m_metrics.margin;
}

std::size_t CompareLayout::lineOf(std::size_t place) const
{
    const auto after = std::upper_bound(m_lines.begin(), m_lines.end(), place,
                                        [](std::size_t i, const Line& line) { return i < line.first; });
    return static_cast<std::size_t>(after - m_lines.begin()) - 1;
}

std::size_t CompareLayout::placeOf(std::size_t column) const
{
    return m_placeOf[column];
}

int CompareLayout::topOf(Part part) const
{
    switch (part) {
    case Part::LabelA: return 0;
    case Part::ExpertsA: return m_metrics.labelHeight;
    case Part::Band: return m_metrics.labelHeight + m_metrics.expertHeight;
    case Part::ExpertsB: return m_metrics.labelHeight + m_metrics.expertHeight + m_metrics.bandHeight;
    case Part::LabelB: return m_metrics.labelHeight + 2 * m_metrics.expertHeight + m_metrics.bandHeight;
    }
    return 0;
}

int CompareLayout::heightOf(Part part) const
{
    switch (part) {
    case Part::LabelA: return m_metrics.labelHeight;
    case Part::Band: return m_metrics.bandHeight;
    case Part::LabelB: return m_metrics.labelsOfB ? m_metrics.labelHeight : 0;
    default: return m_metrics.expertHeight;
    }
}

QRect CompareLayout::rect(std::size_t place) const
{
    return {m_places[place].left, m_lines[lineOf(place)].top, m_places[place].width, m_metrics.lineHeight()};
}

QRect CompareLayout::part(std::size_t place, Part part) const
{
    return {m_places[place].left, m_lines[lineOf(place)].top + topOf(part), m_places[place].width, heightOf(part)};
}

QRect CompareLayout::itemRect(const Span& span, Part part) const
{
    return {span.left, m_lines[span.line].top + topOf(part), span.width, heightOf(part)};
}

QRect CompareLayout::itemOfA(std::size_t item, Part part) const
{
    return itemRect(m_a[item], part);
}

QRect CompareLayout::itemOfB(std::size_t item, Part part) const
{
    return itemRect(m_b[item], part);
}

std::pair<std::size_t, std::size_t> CompareLayout::linesIn(int top, int bottom) const
{
    const int height = m_metrics.lineHeight();
    const auto first =
        std::partition_point(m_lines.begin(), m_lines.end(), [&](const Line& line) { return line.top + height <= top; });
    const auto last = std::partition_point(first, m_lines.end(), [&](const Line& line) { return line.top < bottom; });
    return {static_cast<std::size_t>(first - m_lines.begin()), static_cast<std::size_t>(last - m_lines.begin())};
}

std::optional<std::size_t> CompareLayout::at(QPoint point) const
{
    const auto [first, last] = linesIn(point.y(), point.y() + 1);
    if (first == last)
        return std::nullopt;
    for (std::size_t place = m_lines[first].first; place < m_lines[first].last; ++place)
        if (point.x() >= m_places[place].left && point.x() < m_places[place].left + m_places[place].width)
            return place;
    return std::nullopt;
}

} // namespace headscope::widgets
