// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/checkpoint_session.h"

namespace headscope::app {

CheckpointSession::CheckpointSession(std::filesystem::path path, core::OpenOptions options, Compute& compute,
                                     QObject* parent)
    : QObject(parent), m_path(std::move(path)), m_options(std::move(options)), m_compute(compute)
{
}

CheckpointSession::~CheckpointSession()
{
    m_tracer.reset();
    if (m_model)
        m_compute.dispose(std::move(m_model));
}

void CheckpointSession::open(const ModelOpener& opener)
{
    m_job = m_compute.files().submit(
        Priority::Opening,
        [opener, path = m_path, options = m_options](const core::Progress& progress) {
            FileStamp stamp = FileStamp::of(path); // before reading: a change meanwhile is seen
            const auto files = std::make_shared<core::FilesInUse>(core::FilesInUse::Readers::ThisThread);
            auto model = opener(path, options, progress);
            files->stopAdding();
            return Opened{std::move(model), std::move(stamp), files};
        },
        this, [this](Outcome<Opened> outcome) { finish(std::move(outcome)); },
        [this](const ProgressReport& report) {
            m_progress = report;
            Q_EMIT changed();
        });
}

void CheckpointSession::finish(Outcome<Opened> outcome)
{
    if (m_state == State::Closing) {
        if (const auto* opened = std::get_if<Opened>(&outcome))
            m_model = opened->model;
        closeWhenQuiet();
        return;
    }
    if (auto* opened = std::get_if<Opened>(&outcome)) {
        m_model = std::move(opened->model);
        m_state = State::Ready;
        m_stamp = std::move(opened->stamp);
        m_files = std::move(opened->files);
        startTracer(m_stamp);
        Q_EMIT changed();
        Q_EMIT this->opened();
        return;
    }
    m_state = State::Failed;
    const auto* failure = std::get_if<Failure>(&outcome);
    if (failure)
        m_missing = failure->missing;
    Q_EMIT changed();
    Q_EMIT openFailed(failure ? QString::fromStdString(failure->sentence) : QString());
}

void CheckpointSession::startTracer(FileStamp stamp)
{
    const auto work = [tracer = std::make_shared<TextTracer>(m_model), path = m_path,
                       stamp = std::move(stamp)](const TraceRequest& request, const core::Progress& progress) {
        TraceResult result = (*tracer)(request, progress);
        result.checkpointChanged = FileStamp::of(path) != stamp;
        return result;
    };
    m_tracer = std::make_unique<TraceController>(work, queue());
    connect(m_tracer.get(), &TraceController::failed, this, &CheckpointSession::traceFailed);
    connect(m_tracer.get(), &TraceController::asked, this, &CheckpointSession::asked);
    connect(m_tracer.get(), &TraceController::progressed, this, &CheckpointSession::traceProgressed);
    connect(m_tracer.get(), &TraceController::stateChanged, this, [this] {
        if (m_state == State::Closing)
            closeWhenQuiet();
        else
            Q_EMIT traceStateChanged();
    });
    connect(m_tracer.get(), &TraceController::traced, this, [this](const TraceResult& result) {
        if (m_state == State::Closing)
            return;
        Q_EMIT traced(result.trace);
        if (result.checkpointChanged && !std::exchange(m_toldOfChange, true))
            Q_EMIT changedOnDisk();
    });
}

void CheckpointSession::close()
{
    m_state = State::Closing;
    m_job.cancel();
    if (m_tracer)
        m_tracer->stop();
    closeWhenQuiet();
}

void CheckpointSession::closeWhenQuiet()
{
    if (!m_job.pending() && !(m_tracer && m_tracer->busy()))
        Q_EMIT closed();
}

QString CheckpointSession::name() const
{
    auto path = m_path;
    if (!path.has_filename()) // "folder/"
        path = path.parent_path();
    const auto folder = path.parent_path().filename();
    const auto shown = folder.empty() ? path.filename() : folder / path.filename();
    return QString::fromStdString(shown.string());
}

std::shared_ptr<const core::ModelInfo> CheckpointSession::info() const
{
    return m_model ? m_model->info() : nullptr;
}

ComputeQueue& CheckpointSession::queue() const
{
    return m_compute.device(m_model->info()->device);
}

void CheckpointSession::setText(const std::string& text, TraceManner manner)
{
    if (m_tracer && m_state == State::Ready)
        m_tracer->setText(text, manner);
}

void CheckpointSession::stopTracing()
{
    if (m_tracer)
        m_tracer->stop();
}

std::shared_ptr<const core::Trace> CheckpointSession::trace() const
{
    return m_tracer ? m_tracer->trace() : nullptr;
}

} // namespace headscope::app
