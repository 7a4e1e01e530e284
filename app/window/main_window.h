// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/central_pane.h"
#include "app/window/checkpoint_panel.h"
#include "app/window/compare_page.h"
#include "app/window/dialogs.h"
#include "app/window/info_panel.h"
#include "app/window/series_page.h"
#include "app/window/slot_button.h"
#include "app/window/specialisation_page.h"
#include "app/window/status_line.h"
#include "app/window/window_actions.h"
#include "app/window/window_settings.h"
#include "app/window/workspace.h"

#include <QMainWindow>
#include <QTimer>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <vector>

class QDockWidget;

namespace headscope::app {

/// The window: wires the workspace, the views and the actions to each other, and holds nothing else.
class MainWindow : public QMainWindow
{
    Q_OBJECT

public:
    enum class Memory : std::uint8_t { None, Settings }; // what is kept between starts

    /// The workspace outlives the window.
    MainWindow(Workspace& workspace, Memory memory, widgets::Theme::Kind systemTheme);
    ~MainWindow() override;

    /// Of a file, a folder, or relative to the working folder.
    void open(const QString& path, Slot slot = Slot::A);
    /// The demonstration checkpoint, or a message that it is not there.
    void openDemo();
    void setText(const std::string& text);
    void setTheme(ThemeChoice choice);

    Workspace& workspace() { return m_workspace; }
    CentralPane& views() { return *m_views; }
    SpecialisationPage& specialisation() { return *m_specialisation; }
    ComparePage& compare() { return *m_compare; }
    SeriesPage& series() { return *m_series; }
    CheckpointPanel& checkpoints() { return *m_checkpoints; }
    widgets::RouterMap& routerMap() { return *m_routerMap; }
    StatusLine& status() { return *m_status; }

protected:
    void showEvent(QShowEvent* event) override;
    void closeEvent(QCloseEvent* event) override;

private:
    void makeDocks();
    void connectActions();
    void connectWorkspace();
    void connectSlots();
    void connectText();
    void showContext(const core::Context& context);
    void restore();
    void arrange();

    void ask(FileQuestion::Kind kind, Slot slot = Slot::A);
    void askMemory();
    void openSecond();
    void openWith(const CheckpointSession& session, const std::filesystem::path& tokenizer, const std::string& device);
    QList<QWidget*> panes() const; // in the order of tabs
    void goToPane(int direction);

    void checkpointShown(CheckpointSession* session);
    void secondShown(CheckpointSession* session);
    void checkpointOpened(CheckpointSession* session);
    void openingDidFail(const std::filesystem::path& path, const QString& sentence);
    void askParameters(const std::filesystem::path& path, const core::OpenOptions& options,
                       const std::vector<core::MissingParameter>& missing);
    void keepParameters(const CheckpointSession& session);
    void showTrace(const std::shared_ptr<const core::Trace>& trace);
    void reveal();
    void showState();

    Memory m_memory;
    widgets::Theme::Kind m_systemTheme;
    WindowSettings m_settings;
    std::string m_device = "auto"; // for what is opened next
    Workspace& m_workspace;
    CentralPane* m_views;
    SpecialisationPage* m_specialisation;
    ComparePage* m_compare;
    SeriesPage* m_series;
    CheckpointPanel* m_checkpoints;
    QList<QDockWidget*> m_docks;
    widgets::RouterMap* m_routerMap;
    InfoPanel* m_info;
    StatusLine* m_status;
    WindowActions* m_actions;
    SlotButton* m_slotA;
    SlotButton* m_slotB;
    QTimer m_dim; // views are dimmed only when the answer takes its time
    std::optional<std::size_t> m_toReveal; // a byte of the text, once its trace is there
    bool m_arranged = false;
    bool m_devicesAsked = false;
    std::set<std::filesystem::path> m_saveParameters; // beside the checkpoint, once it is open
    Job m_devicesJob;
    std::vector<Job> m_saving;
};

} // namespace headscope::app
