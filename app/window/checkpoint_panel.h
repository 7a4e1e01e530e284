// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/workspace.h"

#include <QWidget>

class QKeyEvent;
class QLabel;
class QListView;
class QProgressBar;

namespace headscope::app {

/// The list of open checkpoints. Choosing one shows it as A (Return, click), Shift+Return takes it as B, Delete closes it;
/// under the list stands what is being opened, with a button that gives it up.
class CheckpointPanel : public QWidget
{
    Q_OBJECT

public:
    explicit CheckpointPanel(Workspace& workspace, QWidget* parent = nullptr);

    QListView* list() const { return m_list; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeOpeningRow();
    void showOpening();
    void choose(const QModelIndex& index, Slot slot);
    void showMenu(const QPoint& position);
    bool keyPressed(const QKeyEvent& event);

    Workspace& m_workspace;
    QListView* m_list;
    QLabel* m_empty;
    QLabel* m_stage;
    QProgressBar* m_bar;
    QWidget* m_openingRow;
};

} // namespace headscope::app
