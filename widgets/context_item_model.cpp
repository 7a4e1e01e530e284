// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/context_item_model.h"

#include "widgets/cell_roles.h"
#include "widgets/number_text.h"
#include "widgets/visible_text.h"

#include <QStringList>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

QString running(std::string_view bytes)
{
    return visibleText(bytes).replace(QChar(spaceSign), QChar(u' '));
}

QString pieceOf(const core::Context& context)
{
    return visibleText(context.piece).replace(QChar(u'\u2581'), QChar(spaceSign));
}

QString gateText(const core::ExpertGate& chosen)
{
    return QStringLiteral("%1: %2").arg(QString::number(chosen.expert), fixedNumber(chosen.gate, 2));
}

QString fileName(const std::string& path)
{
    const QString whole = visibleText(path);
    return whole.mid(whole.lastIndexOf(u'/') + 1);
}

} // namespace

/// The white space that belongs to the token stands before the keyword.
ContextLine contextLine(const core::Context& context)
{
    const std::size_t word = std::min(context.keyword.find_first_not_of(" \t\r\n"), context.keyword.size());
    const std::string_view before = context.before;
    ContextLine line;
    line.unseen = running(before.substr(0, context.unseen));
    line.before = running(before.substr(context.unseen)) + running(std::string_view(context.keyword).substr(0, word));
    line.keyword =
        word < context.keyword.size() ? running(std::string_view(context.keyword).substr(word)) : pieceOf(context);
    line.after = running(context.after);
    return line;
}

void ContextItemModel::setContexts(std::shared_ptr<const core::Contexts> contexts, std::optional<int> expert)
{
    beginResetModel();
    m_contexts = std::move(contexts);
    m_expert = expert;
    m_severalRouters = false;
    if (m_contexts)
        for (const auto* group : {&m_contexts->chosen, &m_contexts->others})
            for (const core::Context& context : *group)
                m_severalRouters = m_severalRouters || context.router != group->front().router;
    endResetModel();
}

int ContextItemModel::chosenRows() const
{
    return m_contexts && m_contexts->windows > 0 ? 1 + static_cast<int>(m_contexts->chosen.size()) : 0;
}

const core::Context* ContextItemModel::context(int row) const
{
    if (!m_contexts || row <= 0)
        return nullptr;
    const int split = chosenRows();
    if (row < split)
        return &m_contexts->chosen[static_cast<std::size_t>(row) - 1];
    const auto other = static_cast<std::size_t>(row - split);
    return other == 0 || other > m_contexts->others.size() ? nullptr : &m_contexts->others[other - 1];
}

int ContextItemModel::rowCount(const QModelIndex& parent) const
{
    if (parent.isValid() || !m_contexts)
        return 0;
    const int others = m_expert && chosenRows() > 0 ? 1 + static_cast<int>(m_contexts->others.size()) : 0;
    return chosenRows() + others;
}

int ContextItemModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : columns;
}

Qt::ItemFlags ContextItemModel::flags(const QModelIndex& index) const
{
    return isTitle(index.row()) ? Qt::ItemFlags(Qt::ItemIsEnabled) : QAbstractTableModel::flags(index);
}

QString ContextItemModel::title(int row) const
{
    const auto shown = [](std::size_t rows, std::uint64_t all) {
        return rows < all ? tr("%1 of %2")
                                .arg(countText(static_cast<std::int64_t>(rows)), countText(static_cast<std::int64_t>(all)))
                          : countText(static_cast<std::int64_t>(all));
    };
    if (!m_expert)
        return tr("All occurrences, by the highest gate: %1").arg(shown(m_contexts->chosen.size(), m_contexts->decisions));
    const std::uint64_t chosen = m_contexts->selections.at(static_cast<std::size_t>(*m_expert));
    if (row == 0)
        return tr("Expert %1 is chosen, by its gate: %2")
            .arg(QString::number(*m_expert), shown(m_contexts->chosen.size(), chosen));
    return tr("Counter-examples, other experts are chosen, by the highest gate: %1")
        .arg(shown(m_contexts->others.size(), m_contexts->decisions - chosen));
}

/// The expert that the row is sorted by.
core::ExpertGate ContextItemModel::leading(const core::Context& context) const
{
    const core::ExpertGate* wanted = m_expert ? context.find(*m_expert) : nullptr;
    if (wanted)
        return *wanted;
    return context.experts.empty() ? core::ExpertGate{} : context.experts.front();
}

QString ContextItemModel::text(const core::Context& context, int column) const
{
    switch (column) {
    case GateColumn: return gateText(leading(context));
    case OthersColumn: {
        QStringList others;
        for (const core::ExpertGate& chosen : context.experts)
            if (chosen.expert != leading(context).expert)
                others << gateText(chosen);
        return others.join(QStringLiteral("  "));
    }
    case DocumentColumn: return isolated(fileName(context.path)) + QStringLiteral(" #%1").arg(context.document);
    case RouterColumn: return QString::fromStdString(context.router.toString());
    case TextColumn: {
        const ContextLine line = contextLine(context);
        return isolated(line.unseen + line.before) + isolated(line.keyword) + isolated(line.after);
    }
    default: return {};
    }
}

QString ContextItemModel::toolTip(const core::Context& context) const
{
    QStringList lines{tr("%1, document %2, byte %3")
                          .arg(visibleText(context.path), QString::number(context.document),
                               countText(static_cast<std::int64_t>(context.bytes.begin))),
                      tr("%1, token %2 of window %3")
                          .arg(isolated(pieceOf(context)), countText(context.position),
                               countText(static_cast<std::int64_t>(context.window)))};
    for (const core::ExpertGate& chosen : context.experts)
        lines << tr("expert %1, gate %2").arg(QString::number(chosen.expert), exactNumber(chosen.gate));
    if (!std::isnan(context.margin))
        lines << (context.doubtful ? tr("margin %1: a doubtful choice") : tr("margin %1")).arg(marginNumber(context.margin));
    if (!m_severalRouters)
        lines << QString::fromStdString(context.router.toString());
    lines << (context.passage.remembers ? tr("Double-click: the passage goes to the text editor. The model remembered the "
                                             "text before it here, which it does\n"
                                             "not there, so that gates and choices may be others.")
              : context.passage.sameTokens
                  ? tr("Double-click: the passage goes to the text editor, where it is decided the same way.")
                  : tr("Double-click: the passage goes to the text editor. The window begins inside of a word, so that its "
                       "first\n"
                       "tokens are others there, and the choice may be another one."));
    return lines.join(u'\n');
}

QVariant ContextItemModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const core::Context* at = context(index.row());
    if (!at)
        return role == Qt::DisplayRole && index.column() == 0 ? QVariant(title(index.row())) : QVariant();
    switch (role) {
    case Qt::DisplayRole: return text(*at, index.column());
    case Qt::ToolTipRole: return toolTip(*at);
    case Qt::TextAlignmentRole: return static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter);
    case LineRole: return index.column() == TextColumn ? QVariant::fromValue(contextLine(*at)) : QVariant();
    case ExpertRole: return index.column() == GateColumn ? QVariant(leading(*at).expert) : QVariant();
    case StrengthRole:
        return index.column() == GateColumn ? QVariant(std::clamp(double{leading(*at).gate}, 0.0, 1.0)) : QVariant();
    case DoubtRole: return index.column() == OthersColumn && at->doubtful;
    default: return {};
    }
}

QVariant ContextItemModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case GateColumn: return tr("gate");
    case OthersColumn: return tr("other experts");
    case DocumentColumn: return tr("document");
    case RouterColumn: return tr("router");
    case TextColumn: return tr("context");
    default: return {};
    }
}

} // namespace headscope::widgets
