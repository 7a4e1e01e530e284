// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/expert_pair_item_model.h"

#include "widgets/expert_swatch.h"
#include "widgets/number_text.h"

#include <cmath>
#include <numeric>

namespace headscope::widgets {

namespace {

std::vector<std::int64_t> selections(const core::Trace& trace, const core::RouterAddress& address, int experts)
{
    const core::SiteRouting* site = trace.site(address);
    const int head = site ? site->headOf(address) : -1;
    std::vector<std::int64_t> result = head < 0 ? std::vector<std::int64_t>() : core::loadOf(*site, head).selections;
    result.resize(static_cast<std::size_t>(experts), 0);
    return result;
}

double share(std::int64_t count, const std::vector<std::int64_t>& all)
{
    const std::int64_t sum = std::accumulate(all.begin(), all.end(), std::int64_t{0});
    return sum > 0 ? static_cast<double>(count) / static_cast<double>(sum) : std::nan("");
}

} // namespace

void ExpertPairItemModel::setPair(const ComparedModels& models, std::size_t pair)
{
    beginResetModel();
    m_rows.clear();
    if (models.valid() && pair < models.comparison->routers.size()) {
        const core::RouterComparison& at = models.comparison->routers[pair];
        const std::vector<std::int64_t> a = selections(*models.traces.a, at.a, at.expertsA);
        const std::vector<std::int64_t> b = selections(*models.traces.b, at.b, at.expertsB);
        const auto addRow = [&](int expertA, int expertB) {
            Row row{expertA, expertB, 0, 0, std::nan(""), std::nan(""), std::nan("")};
            if (expertA >= 0) {
                const auto place = static_cast<std::size_t>(expertA);
                row.selectionsA = a[place];
                row.shareA = share(a[place], a);
                if (place < at.gateCorrelations.size())
                    row.correlation = at.gateCorrelations[place];
            }
            if (expertB >= 0 && expertB < at.expertsB) {
                row.selectionsB = b[static_cast<std::size_t>(expertB)];
                row.shareB = share(row.selectionsB, b);
            }
            m_rows.push_back(row);
        };
        const std::vector<int> back = expertOfA(at);
        for (int expert = 0; expert < at.expertsA; ++expert) {
            const auto place = static_cast<std::size_t>(expert);
            addRow(expert, place < at.expertOfB.size() ? at.expertOfB[place] : -1);
        }
        for (int expert = 0; expert < at.expertsB; ++expert)
            if (back[static_cast<std::size_t>(expert)] < 0)
                addRow(-1, expert);
    }
    endResetModel();
}

std::optional<int> ExpertPairItemModel::expertOfRow(int row) const
{
    if (row < 0 || row >= rowCount() || m_rows[static_cast<std::size_t>(row)].a < 0)
        return std::nullopt;
    return m_rows[static_cast<std::size_t>(row)].a;
}

int ExpertPairItemModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int ExpertPairItemModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : Columns;
}

QString ExpertPairItemModel::text(const Row& row, int column) const
{
    switch (column) {
    case ExpertA: return row.a < 0 ? QString() : QString::number(row.a);
    case ExpertB: return row.b < 0 ? QString() : matchedName(row.a, row.b, core::Matching::Coselection);
    case SelectionsA: return row.a < 0 ? QString() : countText(row.selectionsA);
    case SelectionsB: return row.b < 0 ? QString() : countText(row.selectionsB);
    case ShareA: return std::isnan(row.shareA) ? QString() : fixedNumber(row.shareA, 3);
    case ShareB: return std::isnan(row.shareB) ? QString() : fixedNumber(row.shareB, 3);
    default: return std::isnan(row.correlation) ? QString() : fixedNumber(row.correlation, 3);
    }
}

QString ExpertPairItemModel::toolTip(const Row& row, int column) const
{
    if (row.a < 0)
        return tr("Expert %1 of B has no counterpart in A: where it is chosen the models disagree").arg(row.b);
    if (row.b < 0)
        return tr("Expert %1 of A has no counterpart in B: where it is chosen the models disagree").arg(row.a);
    if (column == GateCorrelation && std::isnan(row.correlation))
        return tr("Blank: an expert that is never chosen, or always with the same gate, has no ranks");
    return tr("Expert %1 of A and expert %2 of B: chosen %3 and %4, rank correlation of the gates %5")
        .arg(row.a)
        .arg(row.b)
        .arg(counted(row.selectionsA, tr("time"), tr("times")), counted(row.selectionsB, tr("time"), tr("times")),
             readableNumber(row.correlation));
}

QVariant ExpertPairItemModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount() || index.column() >= Columns)
        return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return text(row, index.column());
    case Qt::ToolTipRole: return toolTip(row, index.column());
    case Qt::TextAlignmentRole:
        return static_cast<int>((index.column() <= ExpertB ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::DecorationRole:
        if ((index.column() == ExpertA || (index.column() == ExpertB && row.b >= 0)) && row.a >= 0)
            return expertSwatch(row.a);
        return {};
    default: return {};
    }
}

QVariant ExpertPairItemModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Vertical || section < 0 || section >= Columns)
        return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((section <= ExpertB ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        return section == ExpertB ? tr("The number of its counterpart in A, and its own in brackets") : QVariant();
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case ExpertA: return tr("expert of A");
    case ExpertB: return tr("expert of B");
    case SelectionsA: return tr("chosen by A");
    case SelectionsB: return tr("chosen by B");
    case ShareA: return tr("load in A");
    case ShareB: return tr("load in B");
    default: return tr("gates ρ");
    }
}

} // namespace headscope::widgets
