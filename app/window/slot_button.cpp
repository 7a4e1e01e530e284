// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/slot_button.h"

#include <QActionGroup>
#include <QMenu>
#include <QPointer>

namespace headscope::app {

namespace {

constexpr int widestName = 190; // pixels; longer names lose their middle

QString escaped(QString text)
{
    return text.replace(u'&', QStringLiteral("&&"));
}

} // namespace

SlotButton::SlotButton(Slot slot, CheckpointListItemModel& checkpoints, QWidget* parent)
    : QPushButton(parent), m_slot(slot), m_checkpoints(checkpoints), m_menu(new QMenu(this))
{
    setFlat(true);
    setMenu(m_menu);
    connect(m_menu, &QMenu::aboutToShow, this, &SlotButton::fillMenu);
    connect(&checkpoints, &CheckpointListItemModel::currentChanged, this, &SlotButton::showChoice);
    connect(&checkpoints, &CheckpointListItemModel::secondChanged, this, &SlotButton::showChoice);
    connect(&checkpoints, &QAbstractItemModel::dataChanged, this, &SlotButton::showChoice);
    connect(&checkpoints, &QAbstractItemModel::rowsRemoved, this, &SlotButton::showChoice);
    showChoice();
}

void SlotButton::showChoice()
{
    const CheckpointSession* session = m_checkpoints.inSlots().at(m_slot);
    const QString letter = m_slot == Slot::A ? QStringLiteral("A") : QStringLiteral("B");
    const QString name = session ? session->name() : tr("none");
    setText(QStringLiteral("%1  %2 ").arg(letter, escaped(fontMetrics().elidedText(name, Qt::ElideMiddle, widestName))));
    setAccessibleName(QStringLiteral("%1: %2").arg(letter, name));
    const QString about = m_slot == Slot::A ? tr("A: the checkpoint that the views show (Ctrl+Shift+A)")
                                            : tr("B: the checkpoint that A is compared with (Ctrl+Shift+B)");
    setToolTip(session ? about + QStringLiteral("\n") + QString::fromStdString(session->path().string()) : about);
    setEnabled(m_checkpoints.current() != nullptr);
}

void SlotButton::fillMenu()
{
    m_menu->clear();
    auto* group = new QActionGroup(m_menu);
    const auto add = [&](const QString& text, CheckpointSession* session) {
        QAction* action = m_menu->addAction(text);
        action->setCheckable(true);
        action->setChecked(m_checkpoints.inSlots().at(m_slot) == session);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, at = QPointer(session)] { m_checkpoints.put(m_slot, at); });
        return action;
    };
    for (int row = 0; row < m_checkpoints.rowCount(); ++row)
        if (CheckpointSession* session = m_checkpoints.session(row); session->state() == CheckpointSession::State::Ready) {
            QString text = QStringLiteral("&%1  %2").arg(row + 1).arg(escaped(session->name()));
            if (session == m_checkpoints.inSlots().at(m_slot == Slot::A ? Slot::B : Slot::A))
                text += m_slot == Slot::A ? tr("  (now B)") : tr("  (now A)");
            QAction* action = add(text, session);
            // The only checkpoint of the window cannot be compared with itself.
            action->setEnabled(m_slot == Slot::A || session != m_checkpoints.current() || m_checkpoints.second());
        }
    if (m_slot == Slot::B) {
        m_menu->addSeparator();
        add(tr("&None"), nullptr);
    }
}

} // namespace headscope::app
