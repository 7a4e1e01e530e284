// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/flat_header.h"

#include "widgets/oklab.h"
#include "widgets/theme.h"

#include <QItemSelectionModel>
#include <QPainter>
#include <QPixmap>

namespace headscope::widgets {

FlatHeader::FlatHeader(Qt::Orientation orientation, QWidget* parent) : QHeaderView(orientation, parent)
{
    setSectionsClickable(true);
    setSectionResizeMode(Fixed);
    setHighlightSections(true);
}

void FlatHeader::paintSection(QPainter* painter, const QRect& rect, int section) const
{
    const Theme theme = themeOf(palette());
    const bool rows = orientation() == Qt::Vertical;
    const bool selected = rows && selectionModel() && selectionModel()->rowIntersectsSelection(section, {});
    painter->save();
    painter->fillRect(rect, selected ? mix(theme.window, theme.highlight, 0.22) : theme.window);
    painter->setPen(theme.grid);
    painter->drawLine(rect.bottomLeft(), rect.bottomRight());
    if (rows)
        painter->drawLine(rect.topRight(), rect.bottomRight());

    QRect words = rect.adjusted(6, 0, -6, 0);
    const auto swatch = model()->headerData(section, orientation(), Qt::DecorationRole).value<QPixmap>();
    if (!swatch.isNull()) {
        const int left = rect.left() + 6;
        painter->drawPixmap(left, rect.center().y() - swatch.height() / 2, swatch);
        words.setLeft(left + swatch.width() + 2);
    }
    QFont bold = font();
    bold.setBold(selected);
    painter->setFont(bold);
    painter->setPen(theme.text);
    const QVariant aligned = model()->headerData(section, orientation(), Qt::TextAlignmentRole);
    const Qt::Alignment alignment = aligned.isValid() ? Qt::Alignment(aligned.toInt()) : defaultAlignment();
    const QString text = model()->headerData(section, orientation(), Qt::DisplayRole).toString();
    painter->drawText(words, static_cast<int>(alignment) | Qt::TextSingleLine,
                      QFontMetrics(bold).elidedText(text, Qt::ElideMiddle, words.width()));
    painter->restore();
}

} // namespace headscope::widgets
