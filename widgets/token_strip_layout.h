// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tokenizer/tokens.h"

#include <QRect>
#include <QString>

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace headscope::widgets {

/// One thing in the strip: a token, or bytes that the tokenizer dropped.
struct StripItem {
    enum class Kind : std::uint8_t { Token, Special, Gap };
    enum class Break : std::uint8_t { None, Before, After }; // where its bytes hold a line end
    Kind kind = Kind::Token;
    Break lineBreak = Break::None;
    bool joined = false;     // to the item before: tokens of one group
    std::uint32_t index = 0; // of the token or gap
    std::uint32_t label = 0; // into StripItems::labels

    bool operator==(const StripItem&) const = default;
};

/// Tokens and gaps of a text in the order of its bytes, with what is written on them. Equal labels are kept once, so that
/// they are measured and laid out once.
struct StripItems {
    std::vector<StripItem> items;
    std::vector<QString> labels;
    std::vector<std::uint32_t> ofToken; // place in `items` of every token
    std::vector<std::uint32_t> ofGap;

    /// Items [first, last) that a byte range touches: whole groups, and gaps it overlaps.
    std::pair<std::size_t, std::size_t> touching(const core::TokenizedText& text, core::ByteRange bytes) const;
    /// The bytes of items [first, last) with their groups; nothing when they have none.
    std::optional<core::ByteRange> bytesOf(const core::TokenizedText& text, std::size_t first, std::size_t last) const;
    /// Items [first, last) widened to whole groups.
    std::pair<std::size_t, std::size_t> wholeGroups(std::size_t first, std::size_t last) const;
    /// The bytes of an item; empty for tokens without any.
    static core::ByteRange bytes(const core::TokenizedText& text, const StripItem& item);
};
StripItems stripItems(const core::TokenizedText& text);

/// Sizes in pixels that a layout needs.
struct StripMetrics {
    int width = 400; // of the space to fill
    int margin = 8;  // around everything
    int itemHeight = 24;
    int itemGap = 3; // between neighbours; joined items touch
    int lineGap = 5;
    int padding = 12;    // of an item beyond its label
    int leastWidth = 18; // of an item

    bool operator==(const StripMetrics&) const = default;
};

/// Items flowing in lines, as words of a paragraph do. A plain value: knows no fonts and no widget.
class TokenStripLayout
{
public:
    struct Line {
        std::uint32_t first = 0; // items [first, last)
        std::uint32_t last = 0;
        int top = 0;

        bool operator==(const Line&) const = default;
    };

    TokenStripLayout() = default;
    /// `labelWidths` are of StripItems::labels, in pixels.
    TokenStripLayout(std::span<const StripItem> items, std::span<const int> labelWidths, const StripMetrics& metrics);

    const std::vector<Line>& lines() const { return m_lines; }
    std::size_t size() const { return m_left.size(); }
    int height() const;
    QRect rect(std::size_t item) const;
    int left(std::size_t item) const { return m_left[item]; }
    int width(std::size_t item) const { return m_width[item]; }
    /// Top and bottom of a line's chips with the space below them.
    std::pair<int, int> band(std::size_t line) const
    {
        return {m_lines[line].top, m_lines[line].top + m_metrics.itemHeight + m_metrics.lineGap};
    }
    std::size_t lineOf(std::size_t item) const;

    /// The item under a point; gaps between items belong to none.
    std::optional<std::size_t> at(QPoint point) const;
    /// The item nearest to a point, for dragging; nothing only when there are no items.
    std::optional<std::size_t> nearest(QPoint point) const;
    /// The lines that a band [top, bottom) of the strip touches, as [first, last).
    std::pair<std::size_t, std::size_t> linesIn(int top, int bottom) const;
    /// The item below (+1) or above (-1) in the neighbouring line; the item itself at the first and last line.
    std::size_t vertical(std::size_t item, int direction) const;

private:
    std::size_t nearestInLine(std::size_t line, int x) const;

    StripMetrics m_metrics;
    std::vector<int> m_left;
    std::vector<int> m_width;
    std::vector<Line> m_lines;
};

} // namespace headscope::widgets
