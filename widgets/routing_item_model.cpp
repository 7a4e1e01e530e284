// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/routing_item_model.h"

#include "widgets/cell_roles.h"
#include "widgets/expert_swatch.h"
#include "widgets/number_text.h"
#include "widgets/token_text.h"

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

float largestLogitOf(const core::SiteRouting& site, int head)
{
    float largest = 0;
    if (!site.logits.empty())
        for (std::int64_t token = 0; token < site.tokens; ++token)
            for (int expert = 0; expert < site.router.experts; ++expert)
                largest = std::max(largest, std::abs(site.logits[site.logit(token, head, expert)]));
    return largest > 0 ? largest : 1;
}

} // namespace

void RoutingItemModel::setSite(std::shared_ptr<const core::Trace> trace, std::shared_ptr<const core::SiteRouting> site,
                               int head)
{
    const int columns = site ? columnOf(site->router.experts) : 0;
    const int stream = site ? site->router.stream : 0;
    replace(std::move(trace), stream, columns, [&] {
        m_site = std::move(site);
        m_head = head;
        m_doubt = m_site ? core::doubtThreshold(*m_site, head) : core::DoubtThreshold{};
        m_largestLogit = m_site ? largestLogitOf(*m_site, head) : 1;
    });
}

void RoutingItemModel::setMode(Mode mode)
{
    if (mode == m_mode)
        return;
    m_mode = mode;
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

bool RoutingItemModel::isDoubtful(int row) const
{
    return core::doubtful(*m_site, row, m_head, m_doubt);
}

int RoutingItemModel::placeOf(int row, int expert) const
{
    for (int place = 0; place < m_site->router.chosen; ++place)
        if (m_site->experts[m_site->slot(row, m_head, place)] == expert)
            return place;
    return -1;
}

QVariant RoutingItemModel::cell(int row, int column, int role) const
{
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>(column == MarginColumn ? Qt::AlignRight | Qt::AlignVCenter : Qt::AlignCenter);
    return column == MarginColumn ? marginCell(row, role) : expertCell(row, expertOf(column), role);
}

QVariant RoutingItemModel::marginCell(int row, int role) const
{
    switch (role) {
    case Qt::DisplayRole: return marginNumber(margin(row));
    case DoubtRole: return isDoubtful(row);
    case Qt::ToolTipRole: {
        if (std::isnan(margin(row)))
            return tr("No margin: every expert is chosen.");
        const QString text = tr("margin %1 (k-th minus next score, in logits)").arg(exactNumber(margin(row)));
        return isDoubtful(row) ? text + tr("\ndoubtful: within the rounding of bfloat16, or among the smallest percent of "
                                           "this text (below %1)")
                                            .arg(exactNumber(m_doubt.percentile))
                               : text;
    }
    default: return {};
    }
}

QVariant RoutingItemModel::expertCell(int row, int expert, int role) const
{
    const int place = placeOf(row, expert);
    const bool logits = m_mode == Mode::Logits && hasLogits();
    switch (role) {
    case Qt::DisplayRole:
        if (logits)
            return fixedNumber(static_cast<double>(logit(row, expert)), 2);
        return place < 0 ? QString() : fixedNumber(static_cast<double>(gate(row, place)), 3);
    case ExpertRole: return expert;
    case StrengthRole: return place < 0 || logits ? QVariant() : QVariant(static_cast<double>(gate(row, place)));
    case ScaleRole:
        return logits ? QVariant(0.5 + 0.5 * static_cast<double>(logit(row, expert) / m_largestLogit)) : QVariant();
    case ChosenRole: return place >= 0;
    case Qt::ToolTipRole: return expertToolTip(row, expert);
    default: return {};
    }
}

QString RoutingItemModel::expertToolTip(int row, int expert) const
{
    const int place = placeOf(row, expert);
    QString text = tr("%1, expert %2").arg(numberedPiece(token(row), row), QString::number(expert));
    if (hasLogits())
        text += tr("\nlogit %1").arg(exactNumber(logit(row, expert)));
    if (place < 0)
        return text + tr("\nnot chosen");
    return text +
           tr("\ngate %1, choice %2 of %3").arg(exactNumber(gate(row, place))).arg(place + 1).arg(m_site->router.chosen);
}

QVariant RoutingItemModel::columnHeader(int column, int role) const
{
    const int expert = expertOf(column);
    switch (role) {
    case Qt::DisplayRole: return expert < 0 ? tr("margin") : QString::number(expert);
    case Qt::DecorationRole: return expert < 0 ? QVariant() : QVariant(expertSwatch(expert));
    case Qt::ToolTipRole:
        return expert < 0 ? tr("k-th minus (k+1)-th score, in logits; small margins are doubtful")
                          : tr("expert %1").arg(expert);
    default: return {};
    }
}

} // namespace headscope::widgets
