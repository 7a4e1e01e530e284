// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/routing/router.h"
#include "widgets/token_item_model.h"

#include <optional>
#include <vector>

namespace headscope::widgets {

/// The first choice of every token in every layer: tokens × layers for the routers that differ from one only in their layer.
class OverviewItemModel : public TokenItemModel
{
    Q_OBJECT

public:
    using TokenItemModel::TokenItemModel;

    /// The routers of the trace that have the stack, block, site and head of this one, in order of the forward pass.
    void setRouter(std::shared_ptr<const core::Trace> trace, const std::optional<core::RouterAddress>& router);
    core::RouterAddress router(int column) const;
    /// −1 when it is not among the columns.
    int columnOf(const core::RouterAddress& router) const;
    int topExpert(int row, int column) const;

protected:
    QVariant cell(int row, int column, int role) const override;
    QVariant columnHeader(int column, int role) const override;

private:
    struct Layer {
        std::shared_ptr<const core::SiteRouting> site;
        int head = 0;
        core::DoubtThreshold doubt;
    };
    QString toolTip(int row, int column) const;

    std::vector<Layer> m_layers;
};

} // namespace headscope::widgets
