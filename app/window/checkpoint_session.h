// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/compute.h"
#include "app/window/file_stamp.h"
#include "app/window/trace_controller.h"
#include "core/checkpoint/files_in_use.h"
#include "core/families/model.h"

#include <QObject>
#include <QString>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>

namespace headscope::app {

/// Opens a checkpoint on a worker thread: core::openModel, or a stand-in of a test.
using ModelOpener = std::function<std::shared_ptr<const core::Model>(const std::filesystem::path&, const core::OpenOptions&,
                                                                     const core::Progress&)>;

/// One checkpoint of the window, from the wish to open it on: its model and the trace of the text it was last given.
/// Its destructor does not wait for long: closing() lets running work end first.
class CheckpointSession : public QObject
{
    Q_OBJECT

public:
    enum class State : std::uint8_t { Opening, Ready, Failed, Closing };

    CheckpointSession(std::filesystem::path path, core::OpenOptions options, Compute& compute, QObject* parent = nullptr);
    ~CheckpointSession() override;

    /// Starts to open; ends with opened() or openFailed().
    void open(const ModelOpener& opener);
    /// Opening: gives up, ends with openFailed of an empty sentence. Ready: lets go of the model. closed() follows when
    /// nothing runs.
    void close();

    const std::filesystem::path& path() const { return m_path; }
    const core::OpenOptions& options() const { return m_options; }
    State state() const { return m_state; }
    const ProgressReport& progress() const { return m_progress; }
    /// Failed: the hyper-parameters with which it could be opened.
    const std::vector<core::MissingParameter>& missing() const { return m_missing; }
    /// What tells it from others in a list: "switchhead/model-1400.pth".
    QString name() const;
    /// nullptr until it is ready.
    std::shared_ptr<const core::ModelInfo> info() const;
    /// nullptr until it is ready.
    const std::shared_ptr<const core::Model>& model() const { return m_model; }
    /// Of its file, from before it was read; ready only.
    const FileStamp& stamp() const { return m_stamp; }
    bool hasTokenizer() const { return m_model && m_model->tokenizer(); }
    /// Where its work is done; ready only.
    ComputeQueue& queue() const;

    void setText(const std::string& text, TraceManner manner);
    /// Gives up the trace that runs; what was traced before stays.
    void stopTracing();
    std::shared_ptr<const core::Trace> trace() const;
    bool busy() const { return m_state == State::Opening || tracing(); }
    bool tracing() const { return m_tracer && m_tracer->busy(); }
    /// The trace is of the text that was set last.
    bool current() const { return m_tracer && m_tracer->current(); }

Q_SIGNALS:
    void changed(); // state or progress of opening
    void opened();
    void openFailed(const QString& sentence); // empty when it was cancelled
    void closed();
    void traced(const std::shared_ptr<const headscope::core::Trace>& trace);
    void traceFailed(const QString& sentence);
    void asked(const headscope::app::LongTrace& cost); // instead of a trace
    void traceStateChanged(); // busy() or current()
    void traceProgressed(const headscope::app::ProgressReport& report);
    void changedOnDisk(); // once

private:
    struct Opened {
        std::shared_ptr<const core::Model> model;
        FileStamp stamp;
        std::shared_ptr<const core::FilesInUse> files; // that were read
    };

    void finish(Outcome<Opened> outcome);
    void startTracer(FileStamp stamp);
    void closeWhenQuiet();

    std::filesystem::path m_path;
    core::OpenOptions m_options;
    Compute& m_compute;
    State m_state = State::Opening;
    ProgressReport m_progress;
    std::vector<core::MissingParameter> m_missing;
    std::shared_ptr<const core::Model> m_model;
    FileStamp m_stamp; // of the file, from before it was read
    std::shared_ptr<const core::FilesInUse> m_files; // nothing is written over them while it is open
    bool m_toldOfChange = false;
    std::unique_ptr<TraceController> m_tracer;
    Job m_job; // last: it ends before anything it delivers to
};

} // namespace headscope::app
