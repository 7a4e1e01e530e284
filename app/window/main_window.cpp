// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/main_window.h"

#include "app/window/file_drop.h"
#include "app/window/resources.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QListView>
#include <QPlainTextEdit>
#include <QSplitter>
#include <QTabWidget>

#include <chrono>

namespace headscope::app {

using namespace std::chrono_literals;

namespace {
const QString textSubject = QStringLiteral("text");
const QString tokenizerSubject = QStringLiteral("tokenizer");
const QString demoSubject = QStringLiteral("demonstration");

QString shown(const std::filesystem::path& path)
{
    return QString::fromStdString(path.string());
}
} // namespace

MainWindow::MainWindow(Workspace& workspace, Memory memory, widgets::Theme::Kind systemTheme)
    : m_memory(memory), m_systemTheme(systemTheme), m_workspace(workspace),
      m_views(new CentralPane(m_workspace.selection(), m_workspace.tiles())),
      m_checkpoints(new CheckpointPanel(m_workspace)), m_routerMap(new widgets::RouterMap), m_info(new InfoPanel),
      m_status(new StatusLine), m_actions(new WindowActions(this))
{
    setWindowTitle(tr("Headscope"));
    setCentralWidget(m_views);
    setStatusBar(m_status);
    m_routerMap->setSelection(&m_workspace.selection());
    makeDocks();
    m_dim.setSingleShot(true);
    m_dim.setInterval(150ms);
    connect(&m_dim, &QTimer::timeout, this, [this] {
        m_views->setStale(true);
        m_routerMap->setStale(true);
    });
    connectActions();
    connectWorkspace();
    connectText();
    auto* drop = new FileDrop(this);
    connect(drop, &FileDrop::dropped, this, [this](const QStringList& paths) {
        for (const QString& path : paths)
            open(path);
    });
    restore();
    m_views->editor()->edit()->setFocus();
}

MainWindow::~MainWindow() = default;

void MainWindow::makeDocks()
{
    const auto addDock = [this](const QString& title, const QString& name, QWidget* content) {
        auto* dock = new QDockWidget(title, this);
        dock->setObjectName(name);
        dock->setWidget(content);
        addDockWidget(Qt::LeftDockWidgetArea, dock);
        m_actions->addToView(dock->toggleViewAction());
        return dock;
    };
    QDockWidget* checkpoints = addDock(tr("Checkpoints"), QStringLiteral("checkpoints"), m_checkpoints);
    QDockWidget* routers = addDock(tr("Router map"), QStringLiteral("routerMap"), m_routerMap);
    QDockWidget* info = addDock(tr("About the checkpoint"), QStringLiteral("info"), m_info);
    info->toggleViewAction()->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_I));
    resizeDocks({checkpoints, routers, info}, {90, 320, 260}, Qt::Vertical);
    resizeDocks({checkpoints}, {270}, Qt::Horizontal);
    const QList<QWidget*> order = panes();
    for (qsizetype i = 1; i < order.size(); ++i)
        setTabOrder(order[i - 1], order[i]);
}

void MainWindow::connectActions()
{
    connect(m_actions, &WindowActions::openFile, this, [this] { ask(FileQuestion::Kind::Checkpoint); });
    connect(m_actions, &WindowActions::openFolder, this, [this] { ask(FileQuestion::Kind::Folder); });
    connect(m_actions, &WindowActions::chooseTokenizer, this, [this] { ask(FileQuestion::Kind::Tokenizer); });
    connect(m_actions, &WindowActions::openPath, this, &MainWindow::open);
    connect(m_actions, &WindowActions::closeCheckpoint, this,
            [this] { m_workspace.close(m_workspace.checkpoints().current()); });
    connect(m_actions, &WindowActions::sampleText, this, &MainWindow::setText);
    connect(m_actions, &WindowActions::themeChosen, this, &MainWindow::setTheme);
    connect(m_actions, &WindowActions::about, this, [this] { showAbout(this); });
    connect(m_actions, &WindowActions::nextPane, this, [this] { goToPane(1); });
    connect(m_actions, &WindowActions::previousPane, this, [this] { goToPane(-1); });
    connect(m_actions, &WindowActions::pageChosen, m_views->pages(), &QTabWidget::setCurrentIndex);
    for (int page = 0; page < m_views->pages()->count(); ++page)
        m_actions->addPage(m_views->pages()->tabText(page), page);
    connect(m_actions, &WindowActions::deviceChosen, this, [this](const QString& device) {
        m_device = device.toStdString();
        if (const CheckpointSession* session = m_workspace.checkpoints().current())
            openWith(*session, session->options().tokenizer, m_device);
    });
    m_actions->setDemos(demoCheckpoints());
}

void MainWindow::connectWorkspace()
{
    connect(&m_workspace.checkpoints(), &CheckpointListItemModel::currentChanged, this, &MainWindow::checkpointShown);
    connect(&m_workspace, &Workspace::opened, this, &MainWindow::checkpointOpened);
    connect(&m_workspace, &Workspace::openFailed, this, &MainWindow::openingFailed);
    connect(&m_workspace, &Workspace::changedOnDisk, this, &MainWindow::changedOnDisk);
    connect(&m_workspace, &Workspace::traceChanged, this, &MainWindow::showTrace);
    connect(&m_workspace, &Workspace::stateChanged, this, &MainWindow::showState);
    connect(&m_workspace, &Workspace::traceProgressed, this,
            [this](const ProgressReport& report) { m_status->setTraceProgress(report.fraction); });
    connect(&m_workspace, &Workspace::traceFailed, this, [this](CheckpointSession*, const QString& sentence) {
        m_views->textMessages()->show({textSubject, Message::Kind::Error, sentence, {}, {}});
    });
}

void MainWindow::connectText()
{
    connect(m_views->editor(), &widgets::TextEditor::bytesChanged, this,
            [this] { m_workspace.setText(m_views->editor()->bytes().toStdString()); });
}

void MainWindow::restore()
{
    if (m_memory == Memory::Settings)
        m_settings = WindowSettings::load();
    resize(1280, 860);
    restoreGeometry(m_settings.geometry);
    restoreState(m_settings.docks);
    m_views->splitter()->restoreState(m_settings.splitter);
    m_actions->setRecent(m_settings.recent);
    setTheme(m_settings.theme);
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (m_memory == Memory::Settings) {
        m_settings.geometry = saveGeometry();
        m_settings.docks = saveState();
        m_settings.splitter = m_views->splitter()->saveState();
        m_settings.save();
    }
    QMainWindow::closeEvent(event);
}

void MainWindow::open(const QString& path)
{
    core::OpenOptions options;
    options.device = m_device;
    m_workspace.open(std::filesystem::path(path.toStdString()), options);
}

void MainWindow::openWith(const CheckpointSession& session, const std::filesystem::path& tokenizer,
                          const std::string& device)
{
    core::OpenOptions options = session.options();
    options.tokenizer = tokenizer;
    options.device = device;
    m_workspace.open(session.path(), options);
}

void MainWindow::ask(FileQuestion::Kind kind)
{
    askForPath(this, {kind, m_settings.folder}, [this, kind](const QString& path) {
        const CheckpointSession* session = m_workspace.checkpoints().current();
        if (kind != FileQuestion::Kind::Tokenizer)
            open(path);
        else if (session)
            openWith(*session, path.toStdString(), session->options().device);
    });
}

void MainWindow::openDemo()
{
    if (const auto demos = demoCheckpoints(); !demos.empty())
        open(shown(demos.front()));
    else
        m_views->messages()->show({demoSubject, Message::Kind::Notice,
                                   tr("The demonstration checkpoints are not installed (folder demo in share/headscope, or "
                                      "where HEADSCOPE_RESOURCES points): "
                                      "open a checkpoint of your own."),
                                   tr("Open file…"), [this] { ask(FileQuestion::Kind::Checkpoint); }});
}

void MainWindow::setText(const std::string& text)
{
    m_views->editor()->setBytes(QByteArray::fromStdString(text));
    m_workspace.setText(text);
}

void MainWindow::setTheme(ThemeChoice choice)
{
    m_settings.theme = choice;
    m_actions->setTheme(choice);
    applyTheme(choice, m_systemTheme);
}

void MainWindow::checkpointShown(CheckpointSession* session)
{
    const auto info = session ? session->info() : nullptr;
    m_info->setInfo(info.get());
    m_status->setInfo(info.get());
    m_actions->setHasCheckpoint(session);
    setWindowTitle(session ? tr("%1 – Headscope").arg(session->name()) : tr("Headscope"));
    m_views->textMessages()->dismiss(textSubject);
    m_views->textMessages()->dismiss(tokenizerSubject);
    if (!session)
        return;
    m_actions->showDevice(QString::fromStdString(info->device));
    if (!session->hasTokenizer())
        m_views->textMessages()->show({tokenizerSubject, Message::Kind::Notice,
                                       tr("%1 has no tokenizer beside it: the text is read as a list of ids from 0 to %2. "
                                          "Choose the tokenizer it was trained with "
                                          "to type words.")
                                           .arg(session->name())
                                           .arg(info->vocabulary - 1),
                                       tr("Choose tokenizer…"), [this] { ask(FileQuestion::Kind::Tokenizer); }});
}

void MainWindow::checkpointOpened(CheckpointSession* session)
{
    m_views->messages()->dismiss(shown(session->path()));
    m_views->messages()->dismiss(demoSubject);
    if (m_memory == Memory::Settings) {
        m_settings.remember(shown(std::filesystem::absolute(session->path())));
        m_actions->setRecent(m_settings.recent);
    }
    if (!std::exchange(m_devicesAsked, true))
        askDevices();
}

/// After the first opening, which looks for devices anyway, so that the window is there sooner.
void MainWindow::askDevices()
{
    m_devicesJob = m_workspace.compute().files().submit(
        Priority::Overview, [](const core::Progress&) { return core::availableDevices(); }, this,
        [this](const Outcome<std::vector<std::string>>& outcome) {
            const auto* devices = std::get_if<std::vector<std::string>>(&outcome);
            if (!devices)
                return;
            QStringList names;
            for (const std::string& name : *devices)
                names << QString::fromStdString(name);
            m_actions->setDevices(names);
            if (const CheckpointSession* session = m_workspace.checkpoints().current())
                m_actions->showDevice(QString::fromStdString(session->info()->device));
        });
}

void MainWindow::openingFailed(const std::filesystem::path& path, const QString& sentence)
{
    m_views->messages()->show({shown(path), Message::Kind::Error, sentence, {}, {}});
}

void MainWindow::changedOnDisk(CheckpointSession* session)
{
    m_views->messages()->show(
        {shown(session->path()), Message::Kind::Notice,
         tr("%1 has changed on disk since it was opened; what is shown comes from what was read then.").arg(session->name()),
         tr("Open again"),
         [this, path = session->path(), options = session->options()] { m_workspace.open(path, options); }});
}

void MainWindow::showTrace(const std::shared_ptr<const core::Trace>& trace)
{
    m_views->setTrace(trace);
    m_routerMap->setTrace(trace);
    m_status->setTrace(trace.get());
    if (trace)
        m_views->textMessages()->dismiss(textSubject);
}

void MainWindow::showState()
{
    const bool current = m_workspace.current() || !m_workspace.trace();
    if (!current) {
        if (!m_dim.isActive())
            m_dim.start();
        return;
    }
    m_dim.stop();
    m_views->setStale(false);
    m_routerMap->setStale(false);
    m_status->setTraceProgress(-1);
}

QList<QWidget*> MainWindow::panes() const
{
    return {m_checkpoints->list(), m_routerMap, m_views->editor()->edit(), m_views->strip(), m_views->pages()};
}

void MainWindow::goToPane(int direction)
{
    const QList<QWidget*> all = panes();
    const qsizetype count = all.size();
    qsizetype at = 0;
    for (qsizetype i = 0; i < count; ++i)
        if (all[i]->hasFocus() || all[i]->isAncestorOf(QApplication::focusWidget()))
            at = i;
    for (qsizetype i = 1; i <= count; ++i) {
        QWidget* pane = all[(at + direction * i + 2 * count) % count];
        if (pane->isVisible())
            return pane->setFocus(Qt::ShortcutFocusReason);
    }
}

} // namespace headscope::app
