// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/router_pair_item_model.h"

#include "widgets/compare_tooltip.h"
#include "widgets/number_text.h"

#include <QFont>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headscope::widgets {

namespace {

using Model = RouterPairItemModel;

QString addressText(const core::RouterAddress& address)
{
    return QString::fromStdString(address.toString());
}

/// NaN for a column that holds no number.
double valueOf(const core::RouterComparison& pair, int column)
{
    switch (column) {
    case Model::Agreement: return pair.agreement;
    case Model::AgreementInterval: return pair.interval.high - pair.interval.low;
    case Model::Chance: return pair.chance;
    case Model::NullMean: return pair.nullMean;
    case Model::NullInterval: return pair.null.high - pair.null.low;
    case Model::Bound: return pair.bound;
    case Model::LoadDivergence: return pair.loadDivergence;
    case Model::MutualInformation: return pair.mutualInformation;
    case Model::GateCorrelation: return pair.gateCorrelation;
    case Model::Matched: return static_cast<double>(std::ranges::count_if(pair.expertOfB, [](int b) { return b >= 0; }));
    default: return std::nan("");
    }
}

/// Why a value is blank.
QString whyBlank(const core::RouterComparison& pair, int column)
{
    switch (column) {
    case Model::NullMean:
    case Model::NullInterval: return Model::tr("Blank: the null has not been drawn (yet), or the text is too short for it.");
    case Model::AgreementInterval: return Model::tr("Blank: too few blocks of text to draw an interval from.");
    case Model::GateCorrelation:
        return Model::tr("Blank: ranks need gates that differ and experts that are chosen in both models.");
    case Model::Agreement: return Model::tr("Blank: the routers decide nowhere in this text.");
    default: break;
    }
    return pair.notes.empty() ? Model::tr("Blank: it is not defined for this text.")
                              : QString::fromStdString(pair.notes.front());
}

QString textOf(const core::RouterComparison& pair, int column)
{
    switch (column) {
    case Model::RouterA: return addressText(pair.a);
    case Model::RouterB: return addressText(pair.b);
    case Model::AgreementInterval: return intervalText(pair.interval, 2);
    case Model::NullInterval: return intervalText(pair.null, 2);
    case Model::Matched:
        return QStringLiteral("%1/%2").arg(valueOf(pair, column)).arg(std::max(pair.expertsA, pair.expertsB));
    case Model::Remark: return pair.tooLittleText ? Model::tr("too little text") : QString();
    default: break;
    }
    const double value = valueOf(pair, column);
    return std::isnan(value) ? QString() : fixedNumber(value, 3);
}

bool aboveNull(const core::RouterComparison& pair)
{
    return pair.verdict == core::NullVerdict::Above;
}

} // namespace

void RouterPairItemModel::setComparison(std::shared_ptr<const core::Comparison> comparison)
{
    const auto rows = [](const core::Comparison* of) {
        return of ? of->routers.size() + of->onlyA.size() + of->onlyB.size() : std::size_t{0};
    };
    const auto alike = [&] {
        const core::Comparison* before = m_comparison.get();
        return before && comparison && rows(before) == rows(comparison.get()) &&
               std::ranges::equal(before->routers, comparison->routers,
                                  [](const auto& x, const auto& y) { return x.a == y.a && x.b == y.b; });
    };
    if (alike() && m_sortColumn < 0) { // only the values are others: selection and scrolling stay
        m_comparison = std::move(comparison);
        if (rowCount() > 0)
            Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, Columns - 1));
        return;
    }
    beginResetModel();
    m_comparison = std::move(comparison);
    m_order.resize(m_comparison ? m_comparison->routers.size() : 0);
    sortRows();
    endResetModel();
}

std::optional<std::size_t> RouterPairItemModel::pairOf(int row) const
{
    return row >= 0 && row < static_cast<int>(m_order.size()) ? std::optional(m_order[static_cast<std::size_t>(row)])
                                                              : std::nullopt;
}

int RouterPairItemModel::rowOf(std::size_t pair) const
{
    const auto found = std::ranges::find(m_order, pair);
    return found == m_order.end() ? -1 : static_cast<int>(found - m_order.begin());
}

int RouterPairItemModel::reasonColumn(int row) const
{
    const std::size_t place = static_cast<std::size_t>(row) - m_order.size();
    return place < m_comparison->onlyA.size() ? RouterB : Agreement;
}

int RouterPairItemModel::rowCount(const QModelIndex& parent) const
{
    if (parent.isValid() || !m_comparison)
        return 0;
    return static_cast<int>(m_order.size() + m_comparison->onlyA.size() + m_comparison->onlyB.size());
}

int RouterPairItemModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : Columns;
}

const core::UnpairedRouter& RouterPairItemModel::leftOver(std::size_t place) const
{
    return place < m_comparison->onlyA.size() ? m_comparison->onlyA[place]
                                              : m_comparison->onlyB[place - m_comparison->onlyA.size()];
}

QVariant RouterPairItemModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount() || index.column() >= Columns)
        return {};
    if (role == Qt::TextAlignmentRole) {
        const bool words =
            index.column() == RouterA || index.column() == RouterB || index.column() == Remark || !pairOf(index.row());
        return static_cast<int>((words ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    if (const auto pair = pairOf(index.row()))
        return pairData(m_comparison->routers[*pair], index.column(), role);
    return leftOverData(static_cast<std::size_t>(index.row()) - m_order.size(), index.column(), role);
}

QVariant RouterPairItemModel::pairData(const core::RouterComparison& pair, int column, int role) const
{
    switch (role) {
    case Qt::DisplayRole: return textOf(pair, column);
    case Qt::FontRole:
        if (column == Agreement && aboveNull(pair)) {
            QFont bold;
            bold.setBold(true);
            return bold;
        }
        return {};
    case Qt::ToolTipRole: {
        QString html = routerPairTooltip(pair);
        const bool numbers = column >= Agreement && column < Matched;
        if (numbers && std::isnan(valueOf(pair, column)))
            html += QStringLiteral("<div>%1</div>").arg(whyBlank(pair, column).toHtmlEscaped());
        if (column == Agreement && aboveNull(pair))
            html += QStringLiteral("<div>%1</div>").arg(tr("Bold: above the null's 95 % interval.").toHtmlEscaped());
        if (column == Agreement && pair.verdict == core::NullVerdict::AtEdge)
            html += QStringLiteral("<div>%1</div>")
                        .arg(tr("At the edge of the null: another seed may put it on the other side.").toHtmlEscaped());
        return html;
    }
    default: return {};
    }
}

QVariant RouterPairItemModel::leftOverData(std::size_t place, int column, int role) const
{
    const core::UnpairedRouter& router = leftOver(place);
    const bool ofA = place < m_comparison->onlyA.size();
    if (role == Qt::ToolTipRole)
        return QString::fromStdString(router.why);
    if (role != Qt::DisplayRole)
        return {};
    if (column == (ofA ? RouterA : RouterB))
        return addressText(router.address);
    return column == reasonColumn(static_cast<int>(place + m_order.size()))
               ? tr("not paired: %1").arg(QString::fromStdString(router.why))
               : QString();
}

QVariant RouterPairItemModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation == Qt::Vertical)
        return role == Qt::DisplayRole ? QVariant(section + 1) : QVariant();
    struct Words {
        QString name;
        QString meaning;
    };
    const auto words = [section]() -> Words {
        switch (section) {
        case RouterA: return {tr("router of A"), tr("Its address in A")};
        case RouterB: return {tr("router of B"), tr("Its address in B")};
        case Agreement:
            return {tr("agreement"),
                    tr("Share of the chosen experts that both have in common after the matching, mean over the text. "
                       "Bold: above the null's 95 % interval")};
        case AgreementInterval: return {tr("95 %"), tr("Interval of the agreement, by Student’s t over stretches of the text")};
        case Chance: return {tr("chance"), tr("What the loads of the experts alone would give")};
        case NullMean:
            return {tr("null"), tr("Mean agreement when B's choices are permuted over token types and matched anew")};
        case NullInterval: return {tr("null 95 %"), tr("Interval of the null")};
        case Bound: return {tr("bound"), tr("The most that can be reached with experts left unmatched")};
        case LoadDivergence: return {tr("load JSD"), tr("Jensen–Shannon divergence of the loads of matched experts, bits")};
        case MutualInformation:
            return {tr("MI"), tr("Mutual information of both choices, bits, less what shuffled choices have")};
        case GateCorrelation: return {tr("gates ρ"), tr("Spearman's rank correlation of the matched experts' gates, mean")};
        case Matched: return {tr("matched"), tr("Experts that have a counterpart")};
        default:
            return {tr("remark"),
                    tr("Too little text: fewer than 50 choices for every expert, the matching is not to be trusted")};
        }
    };
    if (section < 0 || section >= Columns)
        return {};
    if (role == Qt::DisplayRole)
        return words().name;
    if (role == Qt::ToolTipRole)
        return words().meaning;
    if (role == Qt::TextAlignmentRole) {
        const bool left = section == RouterA || section == RouterB || section == Remark;
        return static_cast<int>((left ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    return {};
}

void RouterPairItemModel::sortRows()
{
    std::iota(m_order.begin(), m_order.end(), std::size_t{0});
    if (m_sortColumn < 0 || !m_comparison)
        return;
    const auto& pairs = m_comparison->routers;
    const bool descending = m_sortOrder == Qt::DescendingOrder;
    std::ranges::stable_sort(m_order, [&](std::size_t x, std::size_t y) {
        if (m_sortColumn == RouterA || m_sortColumn == RouterB) {
            const auto& member = m_sortColumn == RouterA ? &core::RouterComparison::a : &core::RouterComparison::b;
            return descending ? pairs[y].*member < pairs[x].*member : pairs[x].*member < pairs[y].*member;
        }
        const double keyX = valueOf(pairs[x], m_sortColumn);
        const double keyY = valueOf(pairs[y], m_sortColumn);
        if (std::isnan(keyX) || std::isnan(keyY))
            return !std::isnan(keyX) && std::isnan(keyY);
        return descending ? keyX > keyY : keyX < keyY;
    });
}

void RouterPairItemModel::sort(int column, Qt::SortOrder order)
{
    if (column >= Columns)
        return;
    Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
    const std::vector<std::size_t> before = m_order;
    m_sortColumn = column;
    m_sortOrder = order;
    sortRows();
    const QModelIndexList old = persistentIndexList();
    for (const QModelIndex& index : old)
        if (static_cast<std::size_t>(index.row()) < before.size())
            changePersistentIndex(index, this->index(rowOf(before[static_cast<std::size_t>(index.row())]), index.column()));
    Q_EMIT layoutChanged({}, VerticalSortHint);
}

} // namespace headscope::widgets
