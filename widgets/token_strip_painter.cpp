// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/token_strip_painter.h"

#include "widgets/oklab.h"
#include "widgets/palette.h"
#include "widgets/visible_text.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace headscope::widgets {

namespace {

constexpr int sidePadding = 5;
constexpr int numberGap = 4;
constexpr double radius = 4;

/// A chip; sides that touch a neighbour of the same group are straight.
QPainterPath chip(const QRectF& rect, double corner, bool straightLeft, bool straightRight)
{
    QPainterPath path;
    path.setFillRule(Qt::WindingFill);
    path.addRoundedRect(rect, corner, corner);
    const double half = rect.width() / 2;
    if (straightLeft)
        path.addRect(rect.adjusted(0, 0, -half, 0));
    if (straightRight)
        path.addRect(rect.adjusted(half, 0, 0, 0));
    return straightLeft || straightRight ? path.simplified() : path;
}

QFont smaller(QFont font)
{
    if (font.pixelSize() > 0)
        font.setPixelSize(std::max(8, font.pixelSize() * 3 / 4));
    else
        font.setPointSizeF(font.pointSizeF() * 0.75);
    return font;
}

QColor faded(QColor color, double alpha)
{
    color.setAlphaF(static_cast<float>(alpha));
    return color;
}

/// It starts with a space sign that is drawn apart, fainter; a run of spaces ("␣×37") is one sign.
bool hasSpace(const QString& label)
{
    return label.startsWith(QChar(spaceSign)) && !(label.size() > 1 && label.at(1) == QChar(u'\u00d7'));
}

} // namespace

TokenStripPainter::TokenStripPainter(const QFont& font, const Theme& theme, int experts)
    : m_labels(font), m_numbers(smaller(font)), m_theme(theme), m_experts(experts)
{
    m_spaceWidth = m_labels.width(QString(QChar(spaceSign)));
    if (experts > 0)
        m_numberWidth = m_numbers.width(QString(QString::number(experts - 1).size(), QLatin1Char('0')));
}

StripMetrics TokenStripPainter::metrics(int width) const
{
    StripMetrics metrics;
    metrics.width = width;
    metrics.itemHeight = m_labels.height() + 8;
    metrics.padding = 2 * sidePadding + (m_numberWidth > 0 ? numberGap + m_numberWidth : 0);
    metrics.leastWidth = metrics.padding + 4;
    return metrics;
}

int TokenStripPainter::labelWidth(const QString& label)
{
    return hasSpace(label) ? m_spaceWidth + m_labels.width(label.mid(1)) : m_labels.width(label);
}

std::vector<int> TokenStripPainter::labelWidths(const std::vector<QString>& labels)
{
    std::vector<int> widths(labels.size());
    std::ranges::transform(labels, widths.begin(), [this](const QString& label) { return labelWidth(label); });
    return widths;
}

void TokenStripPainter::drawBand(QPainter& painter, const StripItems& items, const TokenStripLayout& layout,
                                 const RouterShades& shades, int top, int bottom)
{
    painter.setRenderHint(QPainter::Antialiasing);
    const auto [firstLine, lastLine] = layout.linesIn(top, bottom);
    for (std::size_t line = firstLine; line < lastLine; ++line) {
        for (std::size_t i = layout.lines()[line].first; i < layout.lines()[line].last; ++i) {
            const auto& item = items.items[i];
            const QString& label = items.labels[item.label];
            if (item.kind == StripItem::Kind::Gap) {
                drawGap(painter, layout.rect(i), label);
                continue;
            }
            const auto* shade = item.index < shades.tokens.size() ? &shades.tokens[item.index] : nullptr;
            const bool joinedAfter = i + 1 < items.items.size() && items.items[i + 1].joined;
            drawToken(painter, layout.rect(i), item, label, shade, joinedAfter);
        }
    }
}

void TokenStripPainter::drawGap(QPainter& painter, const QRect& rect, const QString& label)
{
    painter.setPen(QPen(m_theme.border, 1, Qt::DotLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 3.5, -0.5, -3.5), radius, radius);
    const int width = rect.width() - 2 * sidePadding;
    const int used = std::min(width, labelWidth(label));
    const QRect room(rect.left() + (rect.width() - used) / 2, rect.top(), used, rect.height());
    drawLabel(painter, room, label, m_theme.mutedText);
}

void TokenStripPainter::drawToken(QPainter& painter, const QRect& rect, const StripItem& item, const QString& label,
                                  const TokenShade* shade, bool joinedAfter)
{
    const bool shown = shade && shade->expert >= 0;
    const QColor fill = shown ? expertColor(shade->expert, shade->strength, m_theme) : m_theme.neutral;
    const QColor ink = textOn(fill);
    const bool special = item.kind == StripItem::Kind::Special;
    const QRectF body(rect);

    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    const double corner = special ? body.height() / 2 : radius;
    if (item.joined || joinedAfter)
        painter.drawPath(chip(body, corner, item.joined, joinedAfter));
    else
        painter.drawRoundedRect(body, corner, corner);
    if (item.joined) { // a hair line keeps the tokens of a group apart
        painter.setPen(QPen(faded(ink, 0.35), 1));
        painter.drawLine(QPointF(body.left() + 0.5, body.top() + 4), QPointF(body.left() + 0.5, body.bottom() - 4));
    }
    if (special) {
        painter.setPen(QPen(faded(ink, 0.6), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(body.adjusted(1.5, 1.5, -1.5, -1.5), body.height() / 2, body.height() / 2);
    }
    if (shade && shade->doubtful) {
        QPen pen(ink, 1.4);
        pen.setDashPattern({2.5, 2});
        painter.setPen(pen);
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(chip(body.adjusted(1.2, 1.2, -1.2, -1.2), radius - 1, false, false));
    }

    const int numberRoom = m_numberWidth > 0 ? numberGap + m_numberWidth : 0;
    drawLabel(painter, rect.adjusted(sidePadding, 0, -sidePadding - numberRoom, 0), label, ink);
    if (shown && m_numberWidth > 0) {
        const QRect room(rect.right() + 1 - sidePadding - m_numberWidth, rect.top(), m_numberWidth, rect.height() - 2);
        painter.setPen(ink);
        m_numbers.draw(painter, room, Qt::AlignRight | Qt::AlignBottom, QString::number(shade->expert));
    }
}

void TokenStripPainter::drawLabel(QPainter& painter, const QRect& room, const QString& label, const QColor& color)
{
    QRect rest = room;
    const bool space = hasSpace(label);
    if (space) {
        painter.setPen(faded(color, label.size() == 1 ? 0.9 : 0.45));
        m_labels.draw(painter, room, Qt::AlignLeft | Qt::AlignVCenter, QString(QChar(spaceSign)));
        rest.setLeft(rest.left() + m_spaceWidth);
    }
    painter.setPen(color);
    m_labels.draw(painter, rest, Qt::AlignLeft | Qt::AlignVCenter, space ? label.mid(1) : label);
}

void TokenStripPainter::drawOutline(QPainter& painter, const TokenStripLayout& layout,
                                    std::pair<std::size_t, std::size_t> items, const QColor& color, double width) const
{
    const auto [first, last] = items;
    if (first >= last)
        return;
    painter.setPen(QPen(color, width));
    painter.setBrush(Qt::NoBrush);
    for (std::size_t line = layout.lineOf(first); line <= layout.lineOf(last - 1); ++line) {
        const std::size_t begin = std::max<std::size_t>(first, layout.lines()[line].first);
        const std::size_t end = std::min<std::size_t>(last, layout.lines()[line].last);
        const QRectF around = QRectF(layout.rect(begin)).united(layout.rect(end - 1));
        painter.drawRoundedRect(around.adjusted(-0.5, -0.5, 0.5, 0.5), radius + 0.5, radius + 0.5);
    }
}

} // namespace headscope::widgets
