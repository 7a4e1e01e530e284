// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overview_item_model.h"

#include "widgets/cell_roles.h"
#include "widgets/number_text.h"
#include "widgets/token_text.h"

namespace headscope::widgets {

void OverviewItemModel::setRouter(std::shared_ptr<const core::Trace> trace, const std::optional<core::RouterAddress>& router)
{
    std::vector<Layer> layers;
    int stream = 0;
    if (trace && router) {
        for (const auto& site : trace->sites) {
            core::RouterAddress wanted = *router;
            wanted.depth = site->router.address.depth;
            const int head = site->router.chosen > 0 ? site->headOf(wanted) : -1;
            if (head < 0)
                continue;
            layers.push_back({site, head, core::doubtThreshold(*site, head)});
            stream = site->router.stream;
        }
    }
    const int columns = static_cast<int>(layers.size());
    replace(std::move(trace), stream, columns, [&] { m_layers = std::move(layers); });
}

core::RouterAddress OverviewItemModel::router(int column) const
{
    const Layer& layer = m_layers[static_cast<std::size_t>(column)];
    return layer.site->address(layer.head);
}

int OverviewItemModel::columnOf(const core::RouterAddress& address) const
{
    for (int column = 0; column < columnCount(); ++column)
        if (router(column) == address)
            return column;
    return -1;
}

int OverviewItemModel::topExpert(int row, int column) const
{
    const Layer& layer = m_layers[static_cast<std::size_t>(column)];
    return layer.site->experts[layer.site->slot(row, layer.head, 0)];
}

QVariant OverviewItemModel::cell(int row, int column, int role) const
{
    const Layer& layer = m_layers[static_cast<std::size_t>(column)];
    switch (role) {
    case Qt::DisplayRole: return QString::number(topExpert(row, column));
    case Qt::TextAlignmentRole: return static_cast<int>(Qt::AlignCenter);
    case ExpertRole: return topExpert(row, column);
    case StrengthRole: return static_cast<double>(layer.site->gates[layer.site->slot(row, layer.head, 0)]);
    case DoubtRole: return core::doubtful(*layer.site, row, layer.head, layer.doubt);
    case Qt::ToolTipRole: return toolTip(row, column);
    default: return {};
    }
}

QString OverviewItemModel::toolTip(int row, int column) const
{
    const Layer& layer = m_layers[static_cast<std::size_t>(column)];
    QString text = numberedPiece(token(row), row) + QStringLiteral(", ") + QString::fromStdString(router(column).toString());
    for (int place = 0; place < layer.site->router.chosen; ++place) {
        const std::size_t slot = layer.site->slot(row, layer.head, place);
        text +=
            tr("\nexpert %1, gate %2").arg(QString::number(layer.site->experts[slot]), exactNumber(layer.site->gates[slot]));
    }
    text += tr("\nmargin %1").arg(exactNumber(layer.site->margins[layer.site->margin(row, layer.head)]));
    return core::doubtful(*layer.site, row, layer.head, layer.doubt) ? text + tr(" (doubtful)") : text;
}

QVariant OverviewItemModel::columnHeader(int column, int role) const
{
    switch (role) {
    case Qt::DisplayRole: return tr("layer %1").arg(router(column).depth);
    case Qt::ToolTipRole: return QString::fromStdString(router(column).toString());
    default: return {};
    }
}

} // namespace headscope::widgets
