// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/expert_delegate.h"

namespace headscope::widgets {

/// Paints the rows of a ContextItemModel: the text with its keyword in one column, what stands before it ending there;
/// titles of groups; cells of experts as everywhere.
class ContextDelegate : public ExpertDelegate
{
    Q_OBJECT

public:
    using ExpertDelegate::ExpertDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace headscope::widgets
