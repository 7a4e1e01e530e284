// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/router_shades.h"
#include "widgets/theme.h"
#include "widgets/token_strip_layout.h"

#include <QFont>
#include <QStaticText>

#include <vector>

class QPainter;

namespace headscope::widgets {

/// Draws the items of a strip with one font and one theme. Keeps the laid-out text of every label it has drawn.
class TokenStripPainter
{
public:
    TokenStripPainter() = default;
    /// `experts`: room is kept for the number of any expert below it; 0 keeps none.
    TokenStripPainter(const QFont& font, const Theme& theme, int experts);

    /// For a space of this width.
    StripMetrics metrics(int width) const;
    std::vector<int> labelWidths(const std::vector<QString>& labels) const;

    /// Everything of a strip in the band [top, bottom), in the strip's coordinates.
    void drawBand(QPainter& painter, const StripItems& items, const TokenStripLayout& layout, const RouterShades& shades,
                  int top, int bottom);
    /// An outline around each line of items [first, last).
    void drawOutline(QPainter& painter, const TokenStripLayout& layout, std::pair<std::size_t, std::size_t> items,
                     const QColor& color, double width) const;

    const Theme& theme() const { return m_theme; }
    /// Forgets laid-out labels: the table they belong to is another one now.
    void forgetLabels() { m_texts.clear(); }

private:
    struct Text {
        QStaticText rest;   // without a leading space sign
        bool space = false; // it has one, drawn fainter
        bool ready = false;
    };

    void drawGap(QPainter& painter, const QRect& rect, const QString& label, std::uint32_t place);
    void drawToken(QPainter& painter, const QRect& rect, const StripItem& item, const QString& label,
                   const TokenShade* shade, bool joinedAfter);
    void drawLabel(QPainter& painter, const QRect& room, const QString& label, std::uint32_t place, const QColor& color);
    const Text& text(const QString& label, std::uint32_t place);

    QFont m_font;
    QFont m_numberFont;
    Theme m_theme;
    int m_numberWidth = 0;
    int m_spaceWidth = 0;
    int m_textHeight = 0;
    std::vector<Text> m_texts; // by place of the label
};

} // namespace headscope::widgets
