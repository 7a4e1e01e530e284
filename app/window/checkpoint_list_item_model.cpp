// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/checkpoint_list_item_model.h"

#include "core/trace/model_info.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace headscope::app {

QString countText(std::int64_t count)
{
    static constexpr struct {
        double unit;
        char16_t letter;
    } units[]{{1e9, u'G'}, {1e6, u'M'}, {1e3, u'k'}};
    const double value = static_cast<double>(count);
    for (const auto& [unit, letter] : units)
        if (value >= unit) {
            const double shown = value / unit;
            const int decimals = shown < 10 ? 2 : shown < 100 ? 1 : 0;
            return QStringLiteral("%1 %2").arg(QLocale::c().toString(shown, 'f', decimals), QChar(letter));
        }
    return QString::number(count);
}

CheckpointListItemModel::CheckpointListItemModel(Compute& compute, QObject* parent)
    : QAbstractListModel(parent), m_compute(compute)
{
}

CheckpointListItemModel::~CheckpointListItemModel() = default;

int CheckpointListItemModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_sessions.size());
}

QVariant CheckpointListItemModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const CheckpointSession& shown = *m_sessions[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return shown.name();
    case Qt::ToolTipRole: return QString::fromStdString(shown.path().string());
    case Qt::AccessibleTextRole: {
        const QString slot = data(index, SlotRole).toString();
        return QStringLiteral("%1%2, %3").arg(slot.isEmpty() ? slot : slot + QStringLiteral(": "), shown.name(), subtitle(shown));
    }
    case SubtitleRole: return subtitle(shown);
    case OpeningRole: return shown.state() == CheckpointSession::State::Opening;
    case FractionRole: return shown.progress().fraction;
    case CurrentRole: return &shown == m_slots.a;
    case SlotRole:
        return &shown == m_slots.a ? QStringLiteral("A") : &shown == m_slots.b ? QStringLiteral("B") : QString();
    default: return {};
    }
}

QString CheckpointListItemModel::subtitle(const CheckpointSession& session) const
{
    if (const auto info = session.info()) {
        QString what = tr("%1 parameters").arg(countText(info->parameters));
        if (const auto notes = static_cast<int>(info->notes.size()); notes > 0)
            what += notes == 1 ? tr(" · 1 note") : tr(" · %1 notes").arg(notes);
        return QStringLiteral("%1 · %2").arg(what, QString::fromStdString(info->variant));
    }
    const QString& stage = session.progress().stage;
    return stage.isEmpty() ? tr("opening…") : tr("opening: %1…").arg(stage);
}

CheckpointSession& CheckpointListItemModel::add(std::filesystem::path path, core::OpenOptions options)
{
    const int at = rowCount();
    auto session = std::make_unique<CheckpointSession>(std::move(path), std::move(options), m_compute);
    CheckpointSession& added = *session;
    connect(&added, &CheckpointSession::changed, this, [this, &added] { refresh(&added); });
    beginInsertRows({}, at, at);
    m_sessions.push_back(std::move(session));
    endInsertRows();
    return added;
}

void CheckpointListItemModel::close(CheckpointSession* session)
{
    const int at = row(session);
    if (at < 0)
        return;
    beginRemoveRows({}, at, at);
    CheckpointSession* leaving = m_sessions[static_cast<std::size_t>(at)].release();
    m_sessions.erase(m_sessions.begin() + at);
    endRemoveRows();
    CheckpointSlots left = m_slots.without(session);
    const auto ready = std::ranges::find_if(
        m_sessions, [](const auto& other) { return other->state() == CheckpointSession::State::Ready; });
    if (!left.a && ready != m_sessions.end())
        left.a = ready->get();
    setSlots(left);
    leaving->disconnect(this);
    leaving->setParent(this);
    connect(leaving, &CheckpointSession::closed, leaving, &QObject::deleteLater);
    leaving->close();
}

void CheckpointListItemModel::setSlots(CheckpointSlots wanted)
{
    const CheckpointSlots former = std::exchange(m_slots, wanted);
    if (former == wanted)
        return;
    for (const CheckpointSession* session : {former.a, former.b, wanted.a, wanted.b})
        refresh(session);
    if (former.a != wanted.a)
        Q_EMIT currentChanged(wanted.a);
    if (former.b != wanted.b)
        Q_EMIT secondChanged(wanted.b);
}

CheckpointSession* CheckpointListItemModel::session(int row) const
{
    return row >= 0 && row < rowCount() ? m_sessions[static_cast<std::size_t>(row)].get() : nullptr;
}

int CheckpointListItemModel::row(const CheckpointSession* session) const
{
    const auto found = std::ranges::find(m_sessions, session, &std::unique_ptr<CheckpointSession>::get);
    return found == m_sessions.end() ? -1 : static_cast<int>(found - m_sessions.begin());
}

void CheckpointListItemModel::refresh(const CheckpointSession* session)
{
    if (const int at = row(session); at >= 0)
        Q_EMIT dataChanged(index(at), index(at));
}

} // namespace headscope::app
