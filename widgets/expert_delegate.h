// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/text_cache.h"

#include <QStyledItemDelegate>

namespace headscope::widgets {

/// Paints a cell of any table that speaks the roles of cell_roles.h: filled with an expert's colour or a scale's, outlined
/// when chosen, marked when doubtful. Selection and hover are drawn by the table on top.
class ExpertDelegate : public QStyledItemDelegate
{
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    mutable TextCaches m_texts;
};

} // namespace headscope::widgets
