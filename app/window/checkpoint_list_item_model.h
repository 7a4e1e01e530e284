// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/checkpoint_session.h"
#include "app/window/checkpoint_slots.h"

#include <QAbstractListModel>

#include <memory>
#include <vector>

namespace headscope::app {

/// The open checkpoints, in the order they were opened; owns their sessions.
class CheckpointListItemModel : public QAbstractListModel
{
    Q_OBJECT

public:
    enum Role {
        SubtitleRole = Qt::UserRole, // "2.93 M parameters · SwitchHead …", or what opening is doing
        OpeningRole,                 // bool
        FractionRole,                // double in [0, 1] while it opens
        CurrentRole,                 // bool: shown in the views
        SlotRole,                    // "A", "B" or ""
    };

    explicit CheckpointListItemModel(Compute& compute, QObject* parent = nullptr);
    ~CheckpointListItemModel() override;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

    CheckpointSession& add(std::filesystem::path path, core::OpenOptions options);
    /// Takes it out of the list at once; its work ends and its memory returns in the background.
    void close(CheckpointSession* session);
    const CheckpointSlots& inSlots() const { return m_slots; }
    void setSlots(CheckpointSlots wanted);
    void put(Slot slot, CheckpointSession* session) { setSlots(m_slots.with(slot, session)); }

    CheckpointSession* session(int row) const;
    CheckpointSession* session(const QModelIndex& index) const { return index.isValid() ? session(index.row()) : nullptr; }
    int row(const CheckpointSession* session) const; // -1 when it is not in the list
    /// In slot A: what the views show.
    CheckpointSession* current() const { return m_slots.a; }
    void setCurrent(CheckpointSession* session) { put(Slot::A, session); }
    /// In slot B: what it is compared with.
    CheckpointSession* second() const { return m_slots.b; }

Q_SIGNALS:
    /// Another one, or none (nullptr).
    void currentChanged(headscope::app::CheckpointSession* session);
    void secondChanged(headscope::app::CheckpointSession* session);

private:
    void refresh(const CheckpointSession* session);
    QString subtitle(const CheckpointSession& session) const;

    Compute& m_compute;
    std::vector<std::unique_ptr<CheckpointSession>> m_sessions;
    CheckpointSlots m_slots;
};

/// "2.93 M", "244 M", "7.2 G".
QString countText(std::int64_t count);

} // namespace headscope::app
