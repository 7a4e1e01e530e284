// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/router_shades.h"
#include "widgets/text_cache.h"
#include "widgets/theme.h"
#include "widgets/token_strip_layout.h"

#include <QFont>

#include <vector>

class QPainter;

namespace headscope::widgets {

/// Draws the items of a strip with one font and one theme.
class TokenStripPainter
{
public:
    TokenStripPainter() = default;
    /// `experts`: room is kept for the number of any expert below it; 0 keeps none.
    TokenStripPainter(const QFont& font, const Theme& theme, int experts);

    /// For a space of this width.
    StripMetrics metrics(int width) const;
    std::vector<int> labelWidths(const std::vector<QString>& labels);

    /// Everything of a strip in the band [top, bottom), in the strip's coordinates.
    void drawBand(QPainter& painter, const StripItems& items, const TokenStripLayout& layout, const RouterShades& shades,
                  int top, int bottom);
    /// An outline around each line of items [first, last).
    void drawOutline(QPainter& painter, const TokenStripLayout& layout, std::pair<std::size_t, std::size_t> items,
                     const QColor& color, double width) const;

    const Theme& theme() const { return m_theme; }
    const QFont& font() const { return m_labels.font(); }
    int experts() const { return m_experts; }

private:
    void drawGap(QPainter& painter, const QRect& rect, const QString& label);
    void drawToken(QPainter& painter, const QRect& rect, const StripItem& item, const QString& label,
                   const TokenShade* shade, bool joinedAfter);
    void drawLabel(QPainter& painter, const QRect& room, const QString& label, const QColor& color);
    int labelWidth(const QString& label);

    TextCache m_labels; // without a leading space sign, which is drawn fainter
    TextCache m_numbers;
    Theme m_theme;
    int m_experts = 0;
    int m_numberWidth = 0;
    int m_spaceWidth = 0;
};

} // namespace headscope::widgets
