// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/corpus/contexts.h"

#include <QAbstractTableModel>
#include <QString>

#include <memory>
#include <optional>

namespace headscope::widgets {

/// A context as a line with its keyword in the middle, for ContextDelegate. Every character is visible, spaces are spaces.
struct ContextLine {
    QString unseen; // before the window: nothing was decided by it
    QString before;
    QString keyword;
    QString after;

    bool operator==(const ContextLine&) const = default;
};
ContextLine contextLine(const core::Context& context);

/// Where a token stands in a corpus: two groups of rows, each under a title of its own: where an expert was chosen, and
/// counter-examples. In the order of core::Contexts.
class ContextItemModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column { GateColumn, OthersColumn, DocumentColumn, RouterColumn, TextColumn, columns };
    enum Role { LineRole = Qt::UserRole + 40 }; // ContextLine, of TextColumn

    using QAbstractTableModel::QAbstractTableModel;

    /// nullptr: empty. Without an expert there is one group.
    void setContexts(std::shared_ptr<const core::Contexts> contexts, std::optional<int> expert);

    /// nullptr for the title of a group.
    const core::Context* context(int row) const;
    bool isTitle(int row) const { return row >= 0 && row < rowCount() && context(row) == nullptr; }
    /// Several routers were added up, so that rows say which one they are of.
    bool hasSeveralRouters() const { return m_severalRouters; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

private:
    int chosenRows() const; // with their title
    QString title(int row) const;
    core::ExpertGate leading(const core::Context& context) const;
    QString text(const core::Context& context, int column) const;
    QString toolTip(const core::Context& context) const;

    std::shared_ptr<const core::Contexts> m_contexts;
    std::optional<int> m_expert;
    bool m_severalRouters = false;
};

} // namespace headscope::widgets

Q_DECLARE_METATYPE(headscope::widgets::ContextLine)
