// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/expert_delegate.h"

#include "widgets/cell_roles.h"
#include "widgets/palette.h"
#include "widgets/theme.h"

#include <QPainter>

namespace headscope::widgets {

namespace {

QColor fillOf(const QModelIndex& index, const Theme& theme)
{
    const QVariant strength = index.data(StrengthRole);
    if (strength.isValid())
        return expertColor(index.data(ExpertRole).toInt(), strength.toDouble(), theme);
    const QVariant place = index.data(ScaleRole);
    return place.isValid() ? scaleColor(ColorScale::Diverging, place.toDouble(), theme) : theme.base;
}

/// A small diamond: a mark of its own shape, so that it does not depend on colour.
void paintDoubt(QPainter& painter, const QRectF& cell, const Theme& theme)
{
    const QPointF center(cell.left() + 10, cell.center().y());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.doubt);
    painter.drawConvexPolygon(
        QPolygonF{center + QPointF(0, -4), center + QPointF(4, 0), center + QPointF(0, 4), center + QPointF(-4, 0)});
}

} // namespace

void ExpertDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const Theme theme = themeOf(option.palette);
    const QColor fill = fillOf(index, theme);
    const QRectF cell = QRectF(option.rect).adjusted(1, 1, -1, -1);
    painter->save();
    painter->fillRect(option.rect, theme.base);
    painter->fillRect(cell, fill);
    if (index.data(ChosenRole).toBool()) {
        painter->setPen(QPen(expertColor(index.data(ExpertRole).toInt()), 2));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(cell.adjusted(1, 1, -1, -1));
    }
    const bool doubtful = index.data(DoubtRole).toBool();
    if (doubtful)
        paintDoubt(*painter, cell, theme);
    painter->setPen(fill == theme.base ? (doubtful ? theme.doubt : theme.mutedText) : textOn(fill));
    const auto alignment = Qt::Alignment(index.data(Qt::TextAlignmentRole).toInt());
    TextCache& texts = m_texts.in(option.font, doubtful || index.data(StrengthRole).isValid());
    texts.draw(*painter, option.rect.adjusted(5, 1, -5, -1), alignment, index.data().toString());
    painter->restore();
}

} // namespace headscope::widgets
