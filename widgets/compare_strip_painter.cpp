// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare_strip_painter.h"

#include "widgets/visible_text.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

constexpr int sidePadding = 4;
constexpr double radius = 3;

QFont smaller(QFont font)
{
    if (font.pixelSize() > 0)
        font.setPixelSize(std::max(8, font.pixelSize() * 4 / 5));
    else
        font.setPointSizeF(font.pointSizeF() * 0.8);
    return font;
}

QString ellipsis()
{
    return QStringLiteral("…");
}

} // namespace

/// One model's part of a column.
struct CompareStripPainter::Side {
    const StripItems& strip;
    const ShownRouter& router;
    CompareColumn::Items items;
    bool ofB = false;
};

CompareStripPainter::CompareStripPainter(const QFont& font, const Theme& theme)
    : m_labels(font), m_numbers(smaller(font)), m_theme(theme)
{
}

CompareMetrics CompareStripPainter::metrics(int width, bool sameTokens)
{
    CompareMetrics metrics;
    metrics.width = width;
    metrics.gutter = m_labels.width(QStringLiteral("M")) + 8;
    metrics.labelHeight = m_labels.height() + 3;
    metrics.expertHeight = m_numbers.height() + 1;
    metrics.bandHeight = std::max(8, m_numbers.height() * 2 / 3);
    metrics.markWidth = m_labels.width(QStringLiteral("…")) + 14;
    metrics.labelsOfB = !sameTokens;
    return metrics;
}

std::vector<int> CompareStripPainter::widths(const StripItems& strip, const ShownRouter& router)
{
    std::vector<int> labels(strip.labels.size());
    std::ranges::transform(strip.labels, labels.begin(),
                           [this](const QString& label) { return m_labels.width(label) + 2 * sidePadding; });
    std::vector<int> cells(router.names.size());
    std::ranges::transform(router.names, cells.begin(), [this](const QString& name) { return cellWidth(name); });
    std::vector<int> widths(strip.items.size());
    for (std::size_t i = 0; i < strip.items.size(); ++i) {
        const StripItem& item = strip.items[i];
        widths[i] = labels[item.label];
        if (item.kind == StripItem::Kind::Gap || !router.decides(item.index))
            continue;
        int all = 0;
        const int shown = std::min(router.site->router.chosen, mostCells);
        for (int position = 0; position < shown; ++position)
            all += cells[static_cast<std::size_t>(router.expert(item.index, position))];
        if (router.site->router.chosen > shown)
            all += cellWidth(ellipsis());
        widths[i] = std::max(widths[i], all);
    }
    return widths;
}

void CompareStripPainter::drawBand(QPainter& painter, const CompareStripContents& contents, int top, int bottom)
{
    painter.setRenderHint(QPainter::Antialiasing);
    const CompareLayout& layout = contents.layout;
    const CompareMetrics& metrics = layout.metrics();
    const auto [firstLine, lastLine] = layout.linesIn(top, bottom);
    for (std::size_t line = firstLine; line < lastLine; ++line) {
        const int lineTop = layout.lines()[line].top;
        const int height = metrics.labelHeight + metrics.expertHeight;
        painter.setPen(m_theme.mutedText);
        const int room = metrics.gutter - 4;
        m_labels.draw(painter, {metrics.margin, lineTop, room, height}, Qt::AlignLeft | Qt::AlignVCenter,
                      QStringLiteral("A"));
        const int belowTop = lineTop + height + metrics.bandHeight;
        m_labels.draw(painter, {metrics.margin, belowTop, room, lineTop + metrics.lineHeight() - belowTop},
                      Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("B"));
        for (std::size_t place = layout.lines()[line].first; place < layout.lines()[line].last; ++place) {
            const auto& at = layout.places()[place];
            if (at.leftOut) {
                drawMark(painter, layout.rect(place), at.last - at.first);
                continue;
            }
            const CompareColumn& column = contents.columns.columns[at.first];
            drawSide(painter, contents, {contents.columns.a, contents.routerA, column.a, false});
            drawSide(painter, contents, {contents.columns.b, contents.routerB, column.b, true});
            if (column.unit)
                drawTint(painter, layout.part(place, CompareLayout::Part::Band),
                         contents.tints.color(*column.unit, m_theme));
        }
    }
}

void CompareStripPainter::drawSide(QPainter& painter, const CompareStripContents& contents, const Side& side)
{
    using Part = CompareLayout::Part;
    const CompareLayout& layout = contents.layout;
    const bool labels = !side.ofB || layout.metrics().labelsOfB;
    for (std::uint32_t i = side.items.first; i < side.items.second; ++i) {
        const StripItem& item = side.strip.items[i];
        const auto rect = [&](Part ofA, Part ofB) {
            QRect place = side.ofB ? layout.itemOfB(i, ofB) : layout.itemOfA(i, ofA);
            if (i > side.items.first) // a hair line keeps the tokens of a unit apart
                place.setLeft(place.left() + 1);
            return place;
        };
        if (labels)
            drawLabel(painter, rect(Part::LabelA, Part::LabelB), item, side.strip.labels[item.label]);
        if (item.kind != StripItem::Kind::Gap)
            drawExperts(painter, rect(Part::ExpertsA, Part::ExpertsB), item, side.router);
    }
}

void CompareStripPainter::drawLabel(QPainter& painter, const QRect& rect, const StripItem& item, const QString& label)
{
    const QRectF body = QRectF(rect).adjusted(0, 0.5, 0, -0.5);
    if (item.kind == StripItem::Kind::Gap) {
        painter.setPen(QPen(m_theme.border, 1, Qt::DotLine));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(body.adjusted(0.5, 1, -0.5, -1), radius, radius);
        painter.setPen(m_theme.mutedText);
    } else {
        const double corner = item.kind == StripItem::Kind::Special ? body.height() / 2 : radius;
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_theme.neutral);
        painter.drawRoundedRect(body, corner, corner);
        painter.setPen(m_theme.text);
    }
    const QRect room = rect.adjusted(2, 0, -2, 0);
    const bool fits = m_labels.width(label) <= room.width();
    m_labels.draw(painter, room, (fits ? Qt::AlignHCenter : Qt::AlignLeft) | Qt::AlignVCenter, label);
}

/// The chosen experts beside each other in order of descending gate; the stronger the colour, the larger the gate.
void CompareStripPainter::drawExperts(QPainter& painter, const QRect& rect, const StripItem& item, const ShownRouter& router)
{
    if (!router.decides(item.index))
        return;
    const int chosen = router.site->router.chosen;
    const int shown = std::min(chosen, mostCells);
    std::vector<QString> names;
    int needed = 0;
    for (int position = 0; position < shown; ++position) {
        names.push_back(router.names[static_cast<std::size_t>(router.expert(item.index, position))]);
        needed += cellWidth(names.back());
    }
    if (chosen > shown)
        needed += cellWidth(ellipsis());
    double left = rect.left();
    const double stretch = needed > 0 ? static_cast<double>(rect.width()) / needed : 1;
    for (int position = 0; position < shown; ++position) {
        const int color = router.colors[static_cast<std::size_t>(router.expert(item.index, position))];
        const double strength = static_cast<double>(router.strength(item.index, position));
        const QColor fill = color >= 0 ? expertColor(color, strength, m_theme) : m_theme.base;
        const QRectF cell(left, rect.top(), cellWidth(names[static_cast<std::size_t>(position)]) * stretch, rect.height());
        painter.setPen(color >= 0 ? QPen(Qt::NoPen) : QPen(m_theme.border, 1));
        painter.setBrush(fill);
        painter.drawRect(cell.adjusted(0.5, 0.5, -0.5, -0.5));
        painter.setPen(color >= 0 ? textOn(fill) : m_theme.mutedText);
        m_numbers.draw(painter, cell.toRect(), Qt::AlignCenter, names[static_cast<std::size_t>(position)]);
        left = cell.right();
    }
    if (chosen > shown) {
        painter.setPen(m_theme.mutedText);
        m_numbers.draw(painter, QRectF(left, rect.top(), rect.right() + 1 - left, rect.height()).toRect(), Qt::AlignCenter,
                       ellipsis());
    }
}

/// Joins what stands for the same bytes; blank where there is no value.
void CompareStripPainter::drawTint(QPainter& painter, const QRect& rect, const QColor& color) const
{
    const QRectF body = QRectF(rect).adjusted(0.5, 1, -0.5, -1);
    if (color.alpha() == 0) {
        painter.setPen(QPen(m_theme.border, 1, Qt::DotLine));
        painter.setBrush(Qt::NoBrush);
        painter.drawLine(QPointF(body.left() + 0.5, body.top()), QPointF(body.left() + 0.5, body.bottom()));
        painter.drawLine(QPointF(body.right() - 0.5, body.top()), QPointF(body.right() - 0.5, body.bottom()));
        return;
    }
    painter.setPen(QPen(m_theme.border, 0.5));
    painter.setBrush(color);
    painter.drawRect(body);
}

void CompareStripPainter::drawMark(QPainter& painter, const QRect& rect, std::uint32_t columns)
{
    painter.setPen(m_theme.mutedText);
    const int half = rect.height() / 2;
    m_labels.draw(painter, rect.adjusted(0, 0, 0, -half), Qt::AlignHCenter | Qt::AlignBottom, ellipsis());
    m_numbers.draw(painter, rect.adjusted(0, half, 0, 0), Qt::AlignHCenter | Qt::AlignTop, QString::number(columns));
}

void CompareStripPainter::drawOutline(QPainter& painter, const CompareLayout& layout,
                                      std::pair<std::size_t, std::size_t> places, const QColor& color, double width) const
{
    const auto [first, last] = places;
    if (first >= last)
        return;
    painter.setPen(QPen(color, width));
    painter.setBrush(Qt::NoBrush);
    for (std::size_t line = layout.lineOf(first); line <= layout.lineOf(last - 1); ++line) {
        const std::size_t begin = std::max<std::size_t>(first, layout.lines()[line].first);
        const std::size_t end = std::min<std::size_t>(last, layout.lines()[line].last);
        const QRectF around = QRectF(layout.rect(begin)).united(layout.rect(end - 1));
        painter.drawRoundedRect(around.adjusted(-1.5, -1.5, 1.5, 1.5), radius + 1, radius + 1);
    }
}

} // namespace headscope::widgets
