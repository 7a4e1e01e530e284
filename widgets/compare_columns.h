// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/alignment.h"
#include "widgets/token_strip_layout.h"

#include <QRect>

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace headscope::widgets {

/// What two tokenisations of one text put above each other: the tokens of a unit of their alignment, or what only one of
/// them has.
struct CompareColumn {
    using Items = std::pair<std::uint32_t, std::uint32_t>; // [first, last) of StripItems::items

    std::optional<std::uint32_t> unit; // none: specials, bytes that a tokenizer dropped
    Items a;
    Items b;
    core::ByteRange bytes; // of both; empty when there are none

    bool operator==(const CompareColumn&) const = default;
};

/// Two token strips of one text, cut into columns.
struct CompareColumns {
    StripItems a;
    StripItems b;
    std::vector<CompareColumn> columns; // in the order of the text
    std::vector<std::uint32_t> ofUnit;  // the column of every unit
    bool sameTokens = false;            // the labels of both are the same

    /// Columns [first, last) that a byte range touches.
    std::pair<std::size_t, std::size_t> touching(core::ByteRange bytes) const;
};
CompareColumns compareColumns(const core::TokenizedText& a, const core::TokenizedText& b, const core::Alignment& alignment);

/// Sizes in pixels that a layout needs.
struct CompareMetrics {
    int width = 800; // of the space to fill
    int margin = 8;
    int gutter = 18; // for the letters A and B
    int labelHeight = 18;
    int expertHeight = 15;
    int bandHeight = 10;
    int columnGap = 4;
    int lineGap = 10;
    int markWidth = 26; // of a run of columns that is left out
    bool labelsOfB = true;

    int lineHeight() const { return labelHeight * (labelsOfB ? 2 : 1) + 2 * expertHeight + bandHeight; }
    bool operator==(const CompareMetrics&) const = default;
};

/// Columns flowing in lines, as words of a paragraph do; in every line the tokens of A stand above those of B, and a band
/// between them joins what stands for the same bytes. Runs of columns that are left out become one mark. A plain value:
/// knows no fonts and no widget.
class CompareLayout
{
public:
    /// One column, or a run of them that is left out.
    struct Place {
        std::uint32_t first = 0; // columns [first, last)
        std::uint32_t last = 0;
        bool leftOut = false;
        int left = 0;
        int width = 0;
        bool operator==(const Place&) const = default;
    };
    struct Line {
        std::uint32_t first = 0; // places [first, last)
        std::uint32_t last = 0;
        int top = 0;
        bool operator==(const Line&) const = default;
    };
    enum class Part { LabelA, ExpertsA, Band, ExpertsB, LabelB };

    CompareLayout() = default;
    /// `widthsA`, `widthsB`: what each item needs; `leftOut`: [columns], empty: none is.
    CompareLayout(const CompareColumns& columns, std::span<const int> widthsA, std::span<const int> widthsB,
                  const std::vector<bool>& leftOut, const CompareMetrics& metrics);

    const CompareMetrics& metrics() const { return m_metrics; }
    const std::vector<Place>& places() const { return m_places; }
    const std::vector<Line>& lines() const { return m_lines; }
    int height() const;
    std::size_t lineOf(std::size_t place) const;
    std::size_t placeOf(std::size_t column) const;
    QRect rect(std::size_t place) const;
    QRect part(std::size_t place, Part part) const;
    /// Where an item of A (B) is, of the two parts that belong to it.
    QRect itemOfA(std::size_t item, Part part) const;
    QRect itemOfB(std::size_t item, Part part) const;
    /// The place under a point; the gaps between places belong to none.
    std::optional<std::size_t> at(QPoint point) const;
    /// [first, last) lines that a band [top, bottom) touches.
    std::pair<std::size_t, std::size_t> linesIn(int top, int bottom) const;

private:
    struct Span {
        int left = 0;
        int width = 0;
        std::uint32_t line = 0;
    };
    int topOf(Part part) const;
    int heightOf(Part part) const;
    QRect itemRect(const Span& span, Part part) const;

    CompareMetrics m_metrics;
    std::vector<Place> m_places;
    std::vector<Line> m_lines;
    std::vector<std::uint32_t> m_placeOf; // of columns
    std::vector<Span> m_a;                // of items
    std::vector<Span> m_b;
};

} // namespace headscope::widgets
