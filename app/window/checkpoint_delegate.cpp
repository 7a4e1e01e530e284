// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/checkpoint_delegate.h"

#include "app/window/checkpoint_list_item_model.h"
#include "widgets/oklab.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QPainter>

namespace headscope::app {

namespace {

constexpr int margin = 8;
constexpr int bar = 3; // height of the progress bar

struct Fonts {
    QFont title;
    QFont subtitle;

    Fonts(const QFont& font, bool current) : title(font), subtitle(font)
    {
        title.setBold(current);
        subtitle.setPointSizeF(font.pointSizeF() * 0.9);
    }
};

/// The letter of a slot on a round-cornered ground; takes its room whether there is a letter or not.
void drawSlot(QPainter& painter, const QRect& place, const QString& letter, bool current, const widgets::Theme& theme)
{
    if (letter.isEmpty())
        return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(current ? QPen(Qt::NoPen) : QPen(theme.highlight));
    painter.setBrush(current ? QBrush(theme.highlight) : QBrush(Qt::NoBrush));
    painter.drawRoundedRect(QRectF(place).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    painter.setPen(current ? theme.base : theme.text);
    painter.drawText(place, Qt::AlignCenter, letter);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void drawProgress(QPainter& painter, const QRect& row, double fraction, const widgets::Theme& theme)
{
    const QRect track(row.left(), row.bottom() - bar + 1, row.width(), bar);
    painter.fillRect(track, theme.grid);
    painter.fillRect(QRect(track.left(), track.top(), static_cast<int>(track.width() * fraction), bar), theme.highlight);
}

} // namespace

void CheckpointDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const auto theme = widgets::themeOf(option.palette);
    const bool current = index.data(CheckpointListItemModel::CurrentRole).toBool();
    const Fonts fonts(option.font, current);
    const QRect row = option.rect;
    const QFontMetrics title(fonts.title), subtitle(fonts.subtitle);
    const QRect inside = row.adjusted(margin, margin / 2 + 1, -margin, 0);
    const QRect slot(inside.topLeft(), QSize(title.height(), title.height()));
    const QRect text = inside.adjusted(slot.width() + margin, 0, 0, 0);

    painter->save();
    painter->setClipRect(row);
    if (option.state & QStyle::State_Selected)
        painter->fillRect(row, widgets::mix(theme.base, theme.highlight, 0.18));
    painter->setFont(fonts.title);
    drawSlot(*painter, slot, index.data(CheckpointListItemModel::SlotRole).toString(), current, theme);
    painter->setPen(theme.text);
    const QString name = title.elidedText(index.data().toString(), Qt::ElideMiddle, text.width());
    painter->drawText(QRect(text.topLeft(), QSize(text.width(), title.height())), Qt::AlignLeft | Qt::AlignVCenter, name);
    painter->setFont(fonts.subtitle);
    painter->setPen(theme.mutedText);
    const QString what =
        subtitle.elidedText(index.data(CheckpointListItemModel::SubtitleRole).toString(), Qt::ElideRight, text.width());
    painter->drawText(QRect(text.left(), text.top() + title.height(), text.width(), subtitle.height()),
                      Qt::AlignLeft | Qt::AlignVCenter, what);
    if (index.data(CheckpointListItemModel::OpeningRole).toBool())
        drawProgress(*painter, row, index.data(CheckpointListItemModel::FractionRole).toDouble(), theme);
    if (option.state & QStyle::State_HasFocus) {
        QStyleOptionFocusRect focus;
        focus.QStyleOption::operator=(option);
        QApplication::style()->drawPrimitive(QStyle::PE_FrameFocusRect, &focus, painter);
    }
    painter->restore();
}

QSize CheckpointDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const
{
    const Fonts fonts(option.font, true);
    return {120, QFontMetrics(fonts.title).height() + QFontMetrics(fonts.subtitle).height() + margin + 2 + bar};
}

} // namespace headscope::app
