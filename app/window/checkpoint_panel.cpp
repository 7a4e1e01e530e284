// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/checkpoint_panel.h"

#include "app/window/checkpoint_delegate.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QPointer>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

namespace headscope::app {

CheckpointPanel::CheckpointPanel(Workspace& workspace, QWidget* parent)
    : QWidget(parent), m_workspace(workspace), m_list(new QListView),
      m_empty(new QLabel(tr("No checkpoint is open.\nOpen a file or a folder, or drop it on this window."))),
      m_stage(new QLabel), m_bar(new QProgressBar), m_openingRow(makeOpeningRow())
{
    m_list->setModel(&workspace.checkpoints());
    m_list->setItemDelegate(new CheckpointDelegate(m_list));
    m_list->setUniformItemSizes(true);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setAccessibleName(tr("Open checkpoints"));
    m_list->installEventFilter(this);
    m_empty->setWordWrap(true);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setMargin(12);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_empty, 1);
    column->addWidget(m_list, 1);
    column->addWidget(m_openingRow);

    m_list->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_list, &QListView::clicked, this, [this](const QModelIndex& index) { choose(index, Slot::A); });
    connect(m_list, &QListView::activated, this, [this](const QModelIndex& index) { choose(index, Slot::A); });
    connect(m_list, &QListView::customContextMenuRequested, this, &CheckpointPanel::showMenu);
    connect(&workspace.checkpoints(), &CheckpointListItemModel::currentChanged, this, [this](CheckpointSession* session) {
        if (session)
            m_list->setCurrentIndex(m_workspace.checkpoints().index(m_workspace.checkpoints().row(session)));
    });
    connect(&workspace, &Workspace::stateChanged, this, &CheckpointPanel::showOpening);
    showOpening();
}

QWidget* CheckpointPanel::makeOpeningRow()
{
    auto* row = new QWidget;
    m_stage->setTextFormat(Qt::PlainText);
    m_bar->setRange(0, 1000);
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(tr("Progress of opening"));
    auto* cancel = new QPushButton(tr("Cancel"));
    cancel->setObjectName(QStringLiteral("cancelOpening"));
    connect(cancel, &QPushButton::clicked, this, [this] { m_workspace.cancelOpening(); });
    auto* texts = new QVBoxLayout;
    texts->setSpacing(3);
    texts->addWidget(m_stage);
    texts->addWidget(m_bar);
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(8, 6, 8, 6);
    layout->addLayout(texts, 1);
    layout->addWidget(cancel);
    return row;
}

void CheckpointPanel::showOpening()
{
    const bool empty = m_workspace.checkpoints().rowCount() == 0;
    m_empty->setVisible(empty);
    m_list->setVisible(!empty);
    const CheckpointSession* session = m_workspace.opening();
    m_openingRow->setVisible(session);
    if (!session)
        return;
    const QString stage = session->progress().stage;
    m_stage->setText(stage.isEmpty() ? tr("Opening…") : stage);
    m_stage->setToolTip(QString::fromStdString(session->path().string()));
    m_bar->setValue(static_cast<int>(session->progress().fraction * 1000));
}

void CheckpointPanel::choose(const QModelIndex& index, Slot slot)
{
    CheckpointSession* session = m_workspace.checkpoints().session(index);
    if (session && session->state() == CheckpointSession::State::Ready)
        m_workspace.put(slot, session);
}

void CheckpointPanel::showMenu(const QPoint& position)
{
    CheckpointSession* session = m_workspace.checkpoints().session(m_list->indexAt(position));
    if (!session)
        return;
    const CheckpointSlots& slotted = m_workspace.checkpoints().inSlots();
    const bool ready = session->state() == CheckpointSession::State::Ready;
    auto* menu = new QMenu(m_list);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto add = [&](const QString& text, bool possible, auto act) {
        QAction* action = menu->addAction(text);
        action->setEnabled(possible);
        connect(action, &QAction::triggered, this, [act, at = QPointer(session)] {
            if (at)
                act(at.data());
        });
    };
    add(tr("Show as &A"), ready && session != slotted.a,
        [this](CheckpointSession* chosen) { m_workspace.put(Slot::A, chosen); });
    if (session == slotted.b)
        add(tr("Not as &B"), true, [this](CheckpointSession*) { m_workspace.put(Slot::B, nullptr); });
    else
        add(tr("Compare as &B"), ready && (session != slotted.a || slotted.b),
            [this](CheckpointSession* chosen) { m_workspace.put(Slot::B, chosen); });
    add(tr("&Swap A and B"), slotted.b, [this](CheckpointSession*) { m_workspace.swapSlots(); });
    menu->addSeparator();
    add(ready ? tr("&Close") : tr("&Cancel opening"), true,
        [this](CheckpointSession* chosen) { m_workspace.close(chosen); });
    menu->popup(m_list->viewport()->mapToGlobal(position));
}

bool CheckpointPanel::keyPressed(const QKeyEvent& event)
{
    const QModelIndex index = m_list->currentIndex();
    if (event.matches(QKeySequence::Delete)) {
        if (CheckpointSession* session = m_workspace.checkpoints().session(index))
            m_workspace.close(session);
        return true;
    }
    if (event.key() == Qt::Key_Return && event.modifiers() == Qt::ShiftModifier) {
        choose(index, Slot::B);
        return true;
    }
    return false;
}

bool CheckpointPanel::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::KeyPress && keyPressed(static_cast<const QKeyEvent&>(*event)))
        return true;
    return QWidget::eventFilter(watched, event);
}

} // namespace headscope::app
