// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/checkpoint_slots.h"
#include "app/window/theme_choice.h"

#include <QObject>
#include <QString>

#include <filesystem>
#include <vector>

class QAction;
class QActionGroup;
class QComboBox;
class QMainWindow;
class QMenu;
class QPushButton;
class QToolBar;

namespace headscope::app {

/// Everything that can be asked of the window, as actions in menus and toolbar with their keys. Knows no workspace: it says
/// what was asked for, and the window connects it.
class WindowActions : public QObject
{
    Q_OBJECT

public:
    explicit WindowActions(QMainWindow* window);

    void setRecent(const QStringList& paths);
    void setDemos(const std::vector<std::filesystem::path>& files);
    /// The devices offered; the first is the one in use until another is chosen.
    void setDevices(const QStringList& devices);
    /// The device of what is shown.
    void showDevice(const QString& device);
    void setTheme(ThemeChoice choice);
    /// What needs a checkpoint.
    void setHasCheckpoint(bool has);
    /// What needs a checkpoint that cuts texts into segments.
    void setHasSegments(bool has);
    /// A trace is shown to be under way.
    void setTracing(bool tracing);
    /// There is a B.
    void setHasSecond(bool has);
    /// A panel or page that can be shown and hidden, or gone to.
    void addToView(QAction* action);
    void addPage(const QString& title, int index);
    /// Beside the buttons for opening.
    void addToToolBar(QWidget* widget);

Q_SIGNALS:
    void openFile();
    void openFolder();
    void openPath(const QString& path);
    void chooseTokenizer();
    void chooseMemory();
    void closeCheckpoint();
    void chooseSlot(headscope::app::Slot slot);
    void swapSlots();
    void stopTracing();
    void sampleText(const std::string& text);
    void deviceChosen(const QString& device);
    void themeChosen(headscope::app::ThemeChoice choice);
    void pageChosen(int index);
    void nextPane();
    void previousPane();
    void about();

private:
    void makeFileMenu();
    void makeTextMenu();
    void makeCompareMenu();
    void makeViewMenu();
    void makeHelpMenu();
    void makeToolBar();
    void colorSymbols();
    bool eventFilter(QObject* watched, QEvent* event) override;

    template <class Signal>
    QAction* add(QMenu* menu, const QString& text, const QKeySequence& key, Signal signal, const QString& symbolName = {});

    QMainWindow* m_window;
    QMenu* m_recent = nullptr;
    QMenu* m_demos = nullptr;
    QMenu* m_samples = nullptr;
    QMenu* m_view = nullptr;
    QMenu* m_themes = nullptr;
    QAction* m_openFile = nullptr;
    QAction* m_openFolder = nullptr;
    QAction* m_pagesEnd = nullptr;
    std::vector<QAction*> m_needCheckpoint;
    std::vector<std::pair<QAction*, QString>> m_symbols; // names of the pictures
    std::vector<std::pair<QPushButton*, QString>> m_buttonSymbols;
    QActionGroup* m_themeGroup = nullptr;
    QAction* m_memory = nullptr;
    QAction* m_stop = nullptr;
    QAction* m_swap = nullptr;
    QToolBar* m_bar = nullptr;
    QAction* m_slotsEnd = nullptr; // in the tool bar
    QComboBox* m_devices = nullptr;
};

} // namespace headscope::app
