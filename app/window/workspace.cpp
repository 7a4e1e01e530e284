// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/workspace.h"

#include "app/window/selection_defaults.h"

namespace headscope::app {

Workspace::Workspace(ModelOpener opener, QObject* parent)
    : QObject(parent), m_opener(std::move(opener)), m_checkpoints(m_compute)
{
    connect(&m_checkpoints, &CheckpointListItemModel::currentChanged, this, &Workspace::showCurrent);
    connect(&m_checkpoints, &CheckpointListItemModel::secondChanged, this, &Workspace::showSecond);
    connect(&m_tiles, &JobTileSource::settled, this, &Workspace::stateChanged);
}

Workspace::~Workspace() = default;

void Workspace::open(const std::filesystem::path& path, core::OpenOptions options, std::optional<Slot> slot)
{
    if (slot == Slot::B)
        m_forB.insert(path);
    else if (slot)
        m_forB.erase(path);
    CheckpointSession* replaced = nullptr;
    for (int row = 0; row < m_checkpoints.rowCount(); ++row)
        if (m_checkpoints.session(row)->path() == path)
            replaced = m_checkpoints.session(row);
    CheckpointSession& session = m_checkpoints.add(path, std::move(options));
    watch(session, replaced);
    session.open(m_opener);
    Q_EMIT stateChanged();
}

void Workspace::watch(CheckpointSession& session, CheckpointSession* replaced)
{
    connect(&session, &CheckpointSession::opened, this, [this, &session, former = QPointer(replaced)] {
        const bool second = (former && former == m_checkpoints.second()) || m_forB.erase(session.path()) > 0;
        m_checkpoints.put(second ? Slot::B : Slot::A, &session);
        if (former)
            m_checkpoints.close(former);
        Q_EMIT opened(&session);
    });
    connect(&session, &CheckpointSession::openFailed, this, [this, &session](const QString& sentence) {
        const auto path = session.path();
        const auto options = session.options();
        const auto missing = session.missing();
        m_checkpoints.close(&session);
        if (missing.empty())
            m_forB.erase(path);
        Q_EMIT stateChanged();
        if (!missing.empty())
            Q_EMIT parametersMissing(path, options, missing, sentence);
        else if (!sentence.isEmpty())
            Q_EMIT openFailed(path, sentence);
    });
    connect(&session, &CheckpointSession::changed, this, &Workspace::stateChanged);
    connect(&session, &CheckpointSession::traceStateChanged, this, &Workspace::stateChanged);
    connect(&session, &CheckpointSession::traced, this, [this, &session](const std::shared_ptr<const core::Trace>& trace) {
        if (&session == m_checkpoints.current())
            show(trace);
        else if (&session == m_checkpoints.second())
            Q_EMIT secondTraceChanged(trace);
    });
    connect(&session, &CheckpointSession::traceFailed, this, [this, &session](const QString& sentence) {
        if (&session == m_checkpoints.current())
            Q_EMIT traceFailed(&session, sentence);
        else if (&session == m_checkpoints.second())
            Q_EMIT secondTraceFailed(&session, sentence);
    });
    connect(&session, &CheckpointSession::asked, this, [this, &session](const LongTrace& cost) {
        if (&session == m_checkpoints.current())
            Q_EMIT asked(&session, cost);
        else if (&session == m_checkpoints.second())
            Q_EMIT secondAsked(&session, cost);
    });
    connect(&session, &CheckpointSession::traceProgressed, this, [this, &session](const ProgressReport& report) {
        if (&session == m_checkpoints.current())
            Q_EMIT traceProgressed(report);
    });
    connect(&session, &CheckpointSession::changedOnDisk, this, [this, &session] { Q_EMIT changedOnDisk(&session); });
}

void Workspace::cancelOpening()
{
    while (CheckpointSession* session = opening())
        m_checkpoints.close(session);
    Q_EMIT stateChanged();
}

CheckpointSession* Workspace::opening() const
{
    for (int row = 0; row < m_checkpoints.rowCount(); ++row)
        if (m_checkpoints.session(row)->state() == CheckpointSession::State::Opening)
            return m_checkpoints.session(row);
    return nullptr;
}

void Workspace::setText(std::string text)
{
    if (text == m_text)
        return;
    m_text = std::move(text);
    m_whenLong = WhenLong::Ask;
    traceAll();
    Q_EMIT textChanged(m_text);
    Q_EMIT stateChanged();
}

/// A first, so that it is done first.
void Workspace::traceAll()
{
    if (CheckpointSession* session = m_checkpoints.current())
        session->setText(m_text, {Priority::TypedText, m_whenLong});
    if (CheckpointSession* session = m_checkpoints.second())
        session->setText(m_text, {Priority::ComparedText, m_whenLong});
}

void Workspace::stopTracing()
{
    const bool stopping = tracing();
    for (CheckpointSession* session : {m_checkpoints.current(), m_checkpoints.second()})
        if (session)
            session->stopTracing();
    if (stopping)
        Q_EMIT stopped();
}

void Workspace::traceAgain(WhenLong whenLong)
{
    m_whenLong = whenLong;
    traceAll();
    Q_EMIT stateChanged();
}

bool Workspace::current() const
{
    const CheckpointSession* session = m_checkpoints.current();
    return session && session->current() && session->trace() == m_trace;
}

bool Workspace::tracing() const
{
    const CheckpointSession* session = m_checkpoints.current();
    return session && session->tracing();
}

std::shared_ptr<const core::Trace> Workspace::secondTrace() const
{
    const CheckpointSession* session = m_checkpoints.second();
    return session ? session->trace() : nullptr;
}

bool Workspace::secondCurrent() const
{
    const CheckpointSession* session = m_checkpoints.second();
    return session && session->current();
}

bool Workspace::idle() const
{
    const CheckpointSession* second = m_checkpoints.second();
    return !opening() && !tracing() && !(second && second->tracing()) && m_tiles.outstanding() == 0;
}

/// A checkpoint that has traced nothing yet leaves the former picture, dimmed, until it has.
void Workspace::showCurrent()
{
    CheckpointSession* session = m_checkpoints.current();
    if (!session)
        show(nullptr);
    else if (session->trace())
        show(session->trace());
    traceAll();
    Q_EMIT stateChanged();
}

void Workspace::showSecond()
{
    traceAll();
    Q_EMIT secondTraceChanged(secondTrace());
    Q_EMIT stateChanged();
}

void Workspace::show(std::shared_ptr<const core::Trace> trace)
{
    m_trace = std::move(trace);
    CheckpointSession* session = m_checkpoints.current();
    m_tiles.setQueue(session && m_trace ? &session->queue() : nullptr);
    m_tiles.setTrace(m_trace);
    Q_EMIT traceChanged(m_trace);
    if (m_trace)
        m_selection.setState(adapted(m_selection.state(), *m_trace));
    Q_EMIT stateChanged();
}

} // namespace headscope::app
