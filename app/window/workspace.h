// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/checkpoint_list_item_model.h"
#include "app/window/compute.h"
#include "app/window/job_tile_source.h"
#include "widgets/selection.h"

#include <QObject>
#include <QPointer>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

namespace headscope::app {

/// Everything of the window but its widgets: the open checkpoints, the text, the trace that is shown, the selection, the
/// tiles. The text is bytes; it belongs to the workspace and is traced by the current checkpoint whenever either changes.
class Workspace : public QObject
{
    Q_OBJECT

public:
    explicit Workspace(ModelOpener opener, QObject* parent = nullptr);
    ~Workspace() override;

    CheckpointListItemModel& checkpoints() { return m_checkpoints; }
    widgets::Selection& selection() { return m_selection; }
    JobTileSource& tiles() { return m_tiles; }
    Compute& compute() { return m_compute; }
    const ModelOpener& opener() const { return m_opener; }

    /// Opens in the background; what is open and shown stays until it is ready, and for good when it fails. The same path
    /// opened before is replaced then. It comes into the slot; without one into that of the checkpoint it replaces, or the one
    /// that was wished for when it could not be opened for want of parameters, else A.
    void open(const std::filesystem::path& path, core::OpenOptions options = {}, std::optional<Slot> slot = std::nullopt);
    void close(CheckpointSession* session) { m_checkpoints.close(session); }
    /// Slot A is what is shown; B is traced on the same text after it, at a lower priority.
    void put(Slot slot, CheckpointSession* session) { m_checkpoints.put(slot, session); }
    void swapSlots() { m_checkpoints.setSlots(m_checkpoints.inSlots().swapped()); }
    void cancelOpening();
    /// The session that opens at the moment; nullptr when none does.
    CheckpointSession* opening() const;

    const std::string& text() const { return m_text; }
    void setText(std::string text);
    /// Gives up the traces that run; stopped() follows when there was one of A.
    void stopTracing();
    /// Traces the text by what is not in step with it: after it was stopped, has failed or would take long. Holds until
    /// the text changes.
    void traceAgain(WhenLong whenLong);

    /// What the views show, of A; nullptr when there is nothing.
    const std::shared_ptr<const core::Trace>& trace() const { return m_trace; }
    /// The trace is of the text and the checkpoint shown.
    bool current() const;
    /// A trace of A is under way.
    bool tracing() const;
    /// The latest trace of B; nullptr when there is none.
    std::shared_ptr<const core::Trace> secondTrace() const;
    /// The trace of B is of the text.
    bool secondCurrent() const;
    /// Nothing opens, traces or draws tiles.
    bool idle() const;

Q_SIGNALS:
    void traceChanged(const std::shared_ptr<const headscope::core::Trace>& trace);
    void textChanged(const std::string& text);
    /// Another secondTrace().
    void secondTraceChanged(const std::shared_ptr<const headscope::core::Trace>& trace);
    /// current(), secondCurrent(), tracing(), idle() or opening() may have changed.
    void stateChanged();
    void opened(headscope::app::CheckpointSession* session);
    void openFailed(const std::filesystem::path& path, const QString& sentence);
    /// Instead of openFailed(), when it could be opened with these: open it again with OpenOptions::parameters.
    void parametersMissing(const std::filesystem::path& path, const headscope::core::OpenOptions& options,
                           const std::vector<headscope::core::MissingParameter>& missing, const QString& sentence);
    /// The text could not be traced by the current checkpoint; the trace shown is a former one.
    void traceFailed(headscope::app::CheckpointSession* session, const QString& sentence);
    /// The text waits for traceAgain(): its trace by the current checkpoint, or by B, would take long.
    void asked(headscope::app::CheckpointSession* session, const headscope::app::LongTrace& cost);
    void secondAsked(headscope::app::CheckpointSession* session, const headscope::app::LongTrace& cost);
    /// The user gave up the trace of the current checkpoint.
    void stopped();
    /// B could not trace the text; A is not concerned.
    void secondTraceFailed(headscope::app::CheckpointSession* session, const QString& sentence);
    /// Of the current checkpoint's trace, when it takes its time.
    void traceProgressed(const headscope::app::ProgressReport& report);
    void changedOnDisk(headscope::app::CheckpointSession* session);

private:
    void watch(CheckpointSession& session, CheckpointSession* replaced);
    void showCurrent();
    void showSecond();
    void traceAll();
    void show(std::shared_ptr<const core::Trace> trace);

    ModelOpener m_opener;
    Compute m_compute;
    std::string m_text;
    WhenLong m_whenLong = WhenLong::Ask; // for this text
    std::set<std::filesystem::path> m_forB; // not open yet
    std::shared_ptr<const core::Trace> m_trace;
    widgets::Selection m_selection;
    JobTileSource m_tiles;
    CheckpointListItemModel m_checkpoints; // last: its jobs end before anything they deliver to
};

} // namespace headscope::app
