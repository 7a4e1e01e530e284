// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/flat_header.h"

#include "widgets/oklab.h"
#include "widgets/theme.h"

#include <QItemSelectionModel>
#include <QEvent>
#include <QPainter>
#include <QPixmap>

#include <algorithm>

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
    TextCache& texts = m_texts.in(font(), selected);
    painter->setPen(theme.text);
    const QVariant aligned = model()->headerData(section, orientation(), Qt::TextAlignmentRole);
    const Qt::Alignment alignment = aligned.isValid() ? Qt::Alignment(aligned.toInt()) : defaultAlignment();
    QString text = model()->headerData(section, orientation(), Qt::DisplayRole).toString();
    if (texts.width(text) > words.width())
        text = QFontMetrics(texts.font()).elidedText(text, Qt::ElideMiddle, words.width());
    texts.draw(*painter, words, alignment, text);
    painter->restore();
}

/// Rows come and go with every keystroke: their heads are measured once each.
QSize FlatHeader::sizeHint() const
{
    if (orientation() == Qt::Horizontal || !model())
        return QHeaderView::sizeHint();
    constexpr int enough = 100; // rows at the beginning and at the end
    TextCache& texts = m_texts.in(font(), true);
    const auto measure = [&](int row) {
        m_widest = std::max(m_widest, texts.width(model()->headerData(row, Qt::Vertical, Qt::DisplayRole).toString()) + 13);
    };
    const int rows = model()->rowCount();
    for (int row = 0; row < std::min(rows, enough); ++row)
        measure(row);
    for (int row = std::max(rows - enough, enough); row < rows; ++row)
        measure(row);
    return {m_widest, 0};
}

void FlatHeader::changeEvent(QEvent* event)
{
    QHeaderView::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        m_widest = 0;
}

} // namespace headscope::widgets
