// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/compare_columns.h"
#include "widgets/compared_models.h"
#include "widgets/text_cache.h"
#include "widgets/theme.h"

#include <QFont>

#include <vector>

class QPainter;

namespace headscope::widgets {

/// Everything that decides how two strips look, but font and theme.
struct CompareStripContents {
    CompareColumns columns;
    CompareLayout layout;
    ShownRouter routerA;
    ShownRouter routerB;
    UnitTints tints;
};

/// Draws two strips and the bands between them with one font and one theme.
class CompareStripPainter
{
public:
    static constexpr int mostCells = 4; // experts drawn of a token; of more the last cell is "…"

    CompareStripPainter() = default;
    CompareStripPainter(const QFont& font, const Theme& theme);

    CompareMetrics metrics(int width, bool sameTokens);
    /// What each item of a strip needs.
    std::vector<int> widths(const StripItems& strip, const ShownRouter& router);
    void drawBand(QPainter& painter, const CompareStripContents& contents, int top, int bottom);
    void drawOutline(QPainter& painter, const CompareLayout& layout, std::pair<std::size_t, std::size_t> places,
                     const QColor& color, double width) const;

    const Theme& theme() const { return m_theme; }
    const QFont& font() const { return m_labels.font(); }

private:
    struct Side;
    void drawSide(QPainter& painter, const CompareStripContents& contents, const Side& side);
    void drawLabel(QPainter& painter, const QRect& rect, const StripItem& item, const QString& label);
    void drawExperts(QPainter& painter, const QRect& rect, const StripItem& item, const ShownRouter& router);
    void drawTint(QPainter& painter, const QRect& rect, const QColor& color) const;
    void drawMark(QPainter& painter, const QRect& rect, std::uint32_t columns);
    int cellWidth(const QString& name) { return m_numbers.width(name) + 6; }

    TextCache m_labels;
    TextCache m_numbers;
    Theme m_theme;
};

} // namespace headscope::widgets
