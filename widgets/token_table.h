// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/selection.h"
#include "widgets/token_item_model.h"

#include <QPointer>
#include <QTableView>

namespace headscope::widgets {

/// A table with a token per row, tied to the shared selection: the selected tokens' rows are outlined, moving the mouse
/// points at tokens, clicking or moving with the keys selects them. What a column means is the owner's matter.
class TokenTable : public QTableView
{
    Q_OBJECT

public:
    explicit TokenTable(TokenItemModel* model, QWidget* parent = nullptr);

    void setSelection(Selection* selection);
    /// Outlined like the selected rows; −1 for none.
    void setMarkedColumn(int column);
    int markedColumn() const { return m_markedColumn; }
    /// Scrolls to the row of the token that holds a byte.
    void reveal(std::size_t byte);
    core::TokenRange selectedRows() const { return m_selectedRows; }
    core::TokenRange hoveredRows() const { return m_hoveredRows; }

Q_SIGNALS:
    /// The user went to a cell; the selected token is already set. −1: to a token as a whole.
    void columnChosen(int row, int column);
    /// The user clicked the head of a column.
    void headerChosen(int column);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    enum class Scroll { No, ToSelection };

    void choose(int row, int column);
    void pointAt(int row);
    void follow(Scroll scroll);
    core::TokenRange rowsOf(const std::optional<core::ByteRange>& bytes) const;
    QRect rectOf(core::TokenRange rows) const;
    void sizeRows();

    TokenItemModel* m_model;
    QPointer<Selection> m_selection;
    core::TokenRange m_selectedRows;
    core::TokenRange m_hoveredRows;
    int m_markedColumn = -1;
    bool m_following = false; // what happens now comes from the selection, not from the user
};

} // namespace headscope::widgets
