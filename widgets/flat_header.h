// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/text_cache.h"

#include <QHeaderView>

namespace headscope::widgets {

/// The head of a table of data: quiet, its text in the theme's colours, sections that hold selected cells emphasised.
class FlatHeader : public QHeaderView
{
    Q_OBJECT

public:
    explicit FlatHeader(Qt::Orientation orientation, QWidget* parent = nullptr);

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;
    QSize sizeHint() const override;
    void changeEvent(QEvent* event) override;

private:
    mutable TextCaches m_texts;
    mutable int m_widest = 0; // of the rows' heads so far: a head that follows every keystroke would move the table
};

} // namespace headscope::widgets
