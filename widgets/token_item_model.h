// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/trace/trace.h"

#include <QAbstractTableModel>

#include <functional>
#include <memory>

namespace headscope::widgets {

/// A table whose rows are the tokens of one stream of a trace. A subclass says what stands in the columns.
class TokenItemModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    using QAbstractTableModel::QAbstractTableModel;

    int rowCount(const QModelIndex& parent = {}) const final;
    int columnCount(const QModelIndex& parent = {}) const final;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const final;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const final;

    const core::Trace* trace() const { return m_trace.get(); }
    int stream() const { return m_stream; }
    const core::Token& token(int row) const;

protected:
    /// Takes another trace; `assign` changes what the subclass keeps of it. As long as the columns stay, views keep their
    /// place.
    void replace(std::shared_ptr<const core::Trace> trace, int stream, int columns, const std::function<void()>& assign);

    virtual QVariant cell(int row, int column, int role) const = 0;
    virtual QVariant columnHeader(int column, int role) const = 0;

private:
    int rowsOf(const core::Trace* trace, int stream) const;

    std::shared_ptr<const core::Trace> m_trace;
    int m_stream = 0;
    int m_rows = 0;
    int m_columns = 0;
};

} // namespace headscope::widgets
