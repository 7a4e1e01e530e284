// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/context_delegate.h"

#include "widgets/cell_roles.h"
#include "widgets/context_item_model.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QPainter>

namespace headscope::widgets {

namespace {

constexpr int padding = 5;

/// A part of a line, each with a direction of its own, cut at the side that is far from the keyword.
struct LinePainter {
    QPainter& painter;
    QRect area;

    void draw(const QRect& where, Qt::Alignment alignment, const QString& text, Qt::TextElideMode cut) const
    {
        if (where.width() <= 0 || text.isEmpty())
            return;
        const QString shown = painter.fontMetrics().elidedText(text, cut, where.width());
        painter.drawText(where, static_cast<int>(alignment | Qt::AlignVCenter) | Qt::TextSingleLine | Qt::TextDontClip,
                         shown);
    }
    int width(const QString& text) const { return painter.fontMetrics().horizontalAdvance(text); }
};

void paintLine(QPainter& painter, const QRect& area, const ContextLine& line, const QFont& font, const QColor& text,
               const QColor& muted)
{
    const LinePainter parts{painter, area};
    const int middle = area.left() + area.width() * 9 / 20;
    QFont bold = font;
    bold.setBold(true);

    painter.setFont(font);
    painter.setPen(text);
    const QRect before(area.left(), area.top(), middle - area.left(), area.height());
    const bool isCut = parts.width(line.before) > before.width();
    parts.draw(before, Qt::AlignRight | Qt::AlignAbsolute, line.before, Qt::ElideLeft);
    if (!isCut) {
        painter.setPen(muted);
        parts.draw(before.adjusted(0, 0, -parts.width(line.before), 0), Qt::AlignRight | Qt::AlignAbsolute, line.unseen,
                   Qt::ElideLeft);
        painter.setPen(text);
    }
    painter.setFont(bold);
    const QRect behind(middle, area.top(), area.right() - middle + 1, area.height());
    const int keyword = std::min(parts.width(line.keyword), behind.width());
    parts.draw(behind, Qt::AlignLeft | Qt::AlignAbsolute, line.keyword, Qt::ElideRight);
    painter.setFont(font);
    parts.draw(behind.adjusted(keyword, 0, 0, 0), Qt::AlignLeft | Qt::AlignAbsolute, line.after, Qt::ElideRight);
}

} // namespace

void ContextDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    if (index.data(ExpertRole).isValid())
        return ExpertDelegate::paint(painter, option, index);
    const Theme theme = themeOf(option.palette);
    const auto* model = qobject_cast<const ContextItemModel*>(index.model());
    const bool isTitle = model && model->isTitle(index.row());
    const bool isSelected = option.state.testFlag(QStyle::State_Selected);
    painter->save();
    painter->setClipRect(option.rect);
    painter->fillRect(option.rect, isTitle ? theme.window : isSelected ? theme.highlight : theme.base);
    const QRect area = option.rect.adjusted(padding, 0, -padding, 0);
    const QColor text = isSelected ? theme.highlightText : theme.text;
    const QColor muted = isSelected ? theme.highlightText : theme.mutedText;
    if (const QVariant line = index.data(ContextItemModel::LineRole); line.isValid()) {
        paintLine(*painter, area, line.value<ContextLine>(), option.font, text, muted);
    } else {
        QFont font = option.font;
        font.setBold(isTitle);
        painter->setFont(font);
        painter->setPen(isTitle ? theme.text : index.data(DoubtRole).toBool() && !isSelected ? theme.doubt : muted);
        QString shown = index.data().toString();
        if (index.data(DoubtRole).toBool())
            shown += QStringLiteral(" ?");
        LinePainter{*painter, area}.draw(area, Qt::AlignLeft | Qt::AlignAbsolute, shown, Qt::ElideMiddle);
    }
    painter->restore();
}

} // namespace headscope::widgets
