// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/main_window.h"

#include "app/window/device_list.h"
#include "app/window/file_drop.h"
#include "app/window/memory_form.h"
#include "app/window/parameter_form.h"
#include "app/window/resources.h"
#include "app/window/window_messages.h"
#include "core/checkpoint/hyper_parameters.h"
#include "core/trace/evaluation_mode.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDir>
#include <QDockWidget>
#include <QListView>
#include <QPlainTextEdit>
#include <QSplitter>
#include <QStandardPaths>
#include <QTabWidget>

#include <algorithm>
#include <chrono>

namespace headscope::app {

using namespace std::chrono_literals;

namespace {

QString shown(const std::filesystem::path& path)
{
    return QString::fromStdString(path.string());
}

} // namespace

MainWindow::MainWindow(Workspace& workspace, Memory memory, widgets::Theme::Kind systemTheme)
    : m_memory(memory), m_systemTheme(systemTheme), m_workspace(workspace),
      m_views(new CentralPane(m_workspace.selection(), m_workspace.tiles())),
      m_specialisation(new SpecialisationPage(m_workspace)), m_compare(new ComparePage(m_workspace)), m_series(new SeriesPage(m_workspace)),
      m_checkpoints(new CheckpointPanel(m_workspace)), m_routerMap(new widgets::RouterMap), m_info(new InfoPanel),
      m_status(new StatusLine), m_actions(new WindowActions(this)),
      m_slotA(new SlotButton(Slot::A, m_workspace.checkpoints())), m_slotB(new SlotButton(Slot::B, m_workspace.checkpoints()))
{
    setWindowTitle(tr("Headscope"));
    m_views->pages()->addTab(m_specialisation, tr("Specialisation"));
    m_views->pages()->addTab(m_compare, tr("Compare"));
    m_views->pages()->addTab(m_series, tr("Series"));
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
    connectSlots();
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
        m_docks << dock;
    };
    addDock(tr("Checkpoints"), QStringLiteral("checkpoints"), m_checkpoints);
    addDock(tr("Router map"), QStringLiteral("routerMap"), m_routerMap);
    addDock(tr("About the checkpoint"), QStringLiteral("info"), m_info);
    m_docks.last()->toggleViewAction()->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_I));
    const QList<QWidget*> order = panes();
    for (qsizetype i = 1; i < order.size(); ++i)
        setTabOrder(order[i - 1], order[i]);
}

void MainWindow::connectActions()
{
    connect(m_actions, &WindowActions::openFile, this, [this] { ask(FileQuestion::Kind::Checkpoint); });
    connect(m_actions, &WindowActions::openFolder, this, [this] { ask(FileQuestion::Kind::Folder); });
    connect(m_actions, &WindowActions::chooseTokenizer, this, [this] { ask(FileQuestion::Kind::Tokenizer); });
    connect(m_actions, &WindowActions::chooseMemory, this, &MainWindow::askMemory);
    connect(m_actions, &WindowActions::openPath, this, [this](const QString& path) { open(path); });
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
    connect(&m_workspace, &Workspace::openFailed, this, &MainWindow::openingDidFail);
    connect(&m_workspace, &Workspace::parametersMissing, this, &MainWindow::askParameters);
    connect(&m_workspace, &Workspace::changedOnDisk, this, [this](CheckpointSession* session) {
        m_views->messages()->show(changedOnDisk(
            *session, [this, path = session->path(), options = session->options()] { m_workspace.open(path, options); }));
    });
    connect(&m_workspace, &Workspace::traceChanged, this, &MainWindow::showTrace);
    connect(&m_workspace, &Workspace::stateChanged, this, &MainWindow::showState);
    connect(&m_workspace, &Workspace::traceProgressed, this,
            [this](const ProgressReport& report) { m_status->setTraceProgress(report.fraction); });
    connect(&m_workspace, &Workspace::traceFailed, this,
            [this](CheckpointSession*, const QString& sentence) { m_views->textMessages()->show(textFailed(sentence)); });
}

void MainWindow::connectSlots()
{
    m_actions->addToToolBar(m_slotA);
    m_actions->addToToolBar(m_slotB);
    connect(m_actions, &WindowActions::chooseSlot, this, [this](Slot slot) {
        SlotButton* button = slot == Slot::A ? m_slotA : m_slotB;
        button->showMenu();
    });
    connect(m_actions, &WindowActions::swapSlots, &m_workspace, &Workspace::swapSlots);
    connect(&m_workspace.checkpoints(), &CheckpointListItemModel::secondChanged, this, &MainWindow::secondShown);
    connect(&m_workspace, &Workspace::secondTraceChanged, this, [this](const std::shared_ptr<const core::Trace>& trace) {
        m_views->messages()->dismiss(secondSubject());
        showLossNote(*m_views->messages(), trace.get(), secondLossSubject(), tr("B: %1"));
    });
    connect(m_compare, &ComparePage::openSecondAsked, this, &MainWindow::openSecond);
    m_compare->counts().setSource(
        [this](const CheckpointSession* session) { return m_specialisation->controller().countsOf(session); });
    connect(&m_specialisation->controller(), &SpecialisationController::countsChanged, &m_compare->counts(),
            &CompareCountsController::refresh);
    connect(m_views->pages(), &QTabWidget::currentChanged, this, // the page has the tokens of A itself
            [this] { m_views->strip()->setVisible(m_views->pages()->currentWidget() != m_compare); });
    connect(&m_workspace, &Workspace::secondTraceFailed, this,
            [this](CheckpointSession* session, const QString& sentence) {
                m_views->messages()->show(secondFailed(*session, sentence));
            });
}

void MainWindow::connectText()
{
    connect(m_status, &StatusLine::tracingShown, m_actions, &WindowActions::setTracing);
    connect(m_status, &StatusLine::stopAsked, &m_workspace, &Workspace::stopTracing);
    connect(m_actions, &WindowActions::stopTracing, &m_workspace, &Workspace::stopTracing);
    connect(&m_workspace, &Workspace::stopped, this,
            [this] { m_views->textMessages()->show(textStopped([this] { m_workspace.traceAgain(WhenLong::Trace); })); });
    const auto traceAgain = [this](WhenLong how) { m_workspace.traceAgain(how); };
    connect(&m_workspace, &Workspace::asked, this, [this, traceAgain](CheckpointSession*, const LongTrace& cost) {
        m_views->textMessages()->show(textTakesLong(cost, traceAgain));
    });
    connect(&m_workspace, &Workspace::secondAsked, this, [this, traceAgain](CheckpointSession* session, const LongTrace& cost) {
        m_views->messages()->show(secondTakesLong(*session, cost, traceAgain));
    });
    connect(m_specialisation, &SpecialisationPage::contextChosen, this, &MainWindow::showContext);
    connect(m_views->editor(), &widgets::TextEditor::bytesChanged, this,
            [this] { m_workspace.setText(m_views->editor()->bytes().toStdString()); });
}

void MainWindow::restore()
{
    if (m_memory == Memory::Settings)
        m_settings = WindowSettings::load();
    if (m_memory == Memory::Settings)
        m_specialisation->controller().keepUnfinishedIn(
            QDir(QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation)).filePath(QStringLiteral("unfinished")).toStdString());
    resize(1280, 860);
    restoreGeometry(m_settings.geometry);
    restoreState(m_settings.docks);
    m_views->splitter()->restoreState(m_settings.splitter);
    m_actions->setRecent(m_settings.recent);
    setTheme(m_settings.theme);
    m_compare->setChoices(m_settings.compare);
}

/// As at the first start: docks and splitter know their room only once the window is shown.
void MainWindow::arrange()
{
    const int room = m_views->height();
    const int checkpoints = std::clamp(room * 15 / 100, 90, 160);
    const int information = std::clamp(room * 30 / 100, 120, 400);
    resizeDocks(m_docks, {checkpoints, room - checkpoints - information, information}, Qt::Vertical);
    resizeDocks(m_docks.first(1), {270}, Qt::Horizontal);
    m_views->arrange();
}

void MainWindow::showEvent(QShowEvent* event)
{
    QMainWindow::showEvent(event);
    if (!std::exchange(m_arranged, true) && m_settings.docks.isEmpty())
        QMetaObject::invokeMethod(this, &MainWindow::arrange, Qt::QueuedConnection);
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (m_memory == Memory::Settings) {
        m_settings.geometry = saveGeometry();
        m_settings.docks = saveState();
        m_settings.splitter = m_views->splitter()->saveState();
        m_settings.compare = m_compare->choices();
        m_settings.save();
    }
    QMainWindow::closeEvent(event);
}

void MainWindow::open(const QString& path, Slot slot)
{
    core::OpenOptions options;
    options.device = m_device;
    m_workspace.open(std::filesystem::path(path.toStdString()), options, slot);
}

void MainWindow::openWith(const CheckpointSession& session, const std::filesystem::path& tokenizer,
                          const std::string& device)
{
    core::OpenOptions options = session.options();
    options.tokenizer = tokenizer;
    options.device = device;
    m_workspace.open(session.path(), options);
}

/// How much of what is before a segment its tokens see.
void MainWindow::askMemory()
{
    const CheckpointSession* session = m_workspace.checkpoints().current();
    if (!session || !session->info())
        return;
    auto* form = new MemoryForm(core::evaluationMode(*session->info()), session->options(), this);
    form->setAttribute(Qt::WA_DeleteOnClose);
    connect(form, &QDialog::accepted, this, [this, form, path = session->path(), options = session->options()]() mutable {
        options.memoryBlocks = form->memoryBlocks();
        options.segment = form->segment();
        m_workspace.open(path, options);
    });
    form->open();
}

/// One of the open ones, or a file when there is no other.
void MainWindow::openSecond()
{
    int others = 0;
    for (int row = 0; row < m_workspace.checkpoints().rowCount(); ++row)
        others += m_workspace.checkpoints().session(row) != m_workspace.checkpoints().current();
    if (others > 0)
        m_slotB->showMenu();
    else
        ask(FileQuestion::Kind::Checkpoint, Slot::B);
}

void MainWindow::ask(FileQuestion::Kind kind, Slot slot)
{
    askForPath(this, {kind, m_settings.folder}, [this, kind, slot](const QString& path) {
        const CheckpointSession* session = m_workspace.checkpoints().current();
        if (kind != FileQuestion::Kind::Tokenizer)
            open(path, slot);
        else if (session)
            openWith(*session, path.toStdString(), session->options().device);
    });
}

void MainWindow::openDemo()
{
    if (const auto demos = demoCheckpoints(); !demos.empty())
        open(shown(demos.front()));
    else
        m_views->messages()->show(demoMissing([this] { ask(FileQuestion::Kind::Checkpoint); }));
}

void MainWindow::setText(const std::string& text)
{
    m_views->editor()->setBytes(QByteArray::fromStdString(text));
    m_workspace.setText(text);
}

/// The text first: a new text drops what was selected in the former one.
void MainWindow::showContext(const core::Context& context)
{
    setText(context.passage.text);
    widgets::SelectionState state = m_workspace.selection().state();
    state.stream = 0;
    state.bytes = context.passage.keyword.empty() ? std::nullopt : std::optional(context.passage.keyword);
    state.router = context.router;
    m_workspace.selection().setState(state);
    m_toReveal = context.passage.keyword.begin;
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
    m_actions->setHasSegments(info && info->visibility.segment > 0);
    setWindowTitle(session ? tr("%1 – Headscope").arg(session->name()) : tr("Headscope"));
    m_views->textMessages()->dismiss(textSubject());
    m_views->textMessages()->dismiss(tokenizerSubject());
    if (!session)
        return;
    m_actions->showDevice(QString::fromStdString(info->device));
    if (!session->hasTokenizer())
        m_views->textMessages()->show(tokenizerMissing(*session, [this] { ask(FileQuestion::Kind::Tokenizer); }));
}

void MainWindow::secondShown(CheckpointSession* session)
{
    m_actions->setHasSecond(session);
    m_views->messages()->dismiss(secondSubject());
}

void MainWindow::checkpointOpened(CheckpointSession* session)
{
    m_views->messages()->dismiss(checkpointSubject(session->path()));
    m_views->messages()->dismiss(demoSubject());
    keepParameters(*session);
    if (m_memory == Memory::Settings) {
        m_settings.remember(shown(std::filesystem::absolute(session->path())));
        m_actions->setRecent(m_settings.recent);
    }
    if (std::exchange(m_devicesAsked, true))
        return; // asked after the first opening, which looks for devices anyway, so that the window is there sooner
    m_devicesJob = askDevices(m_workspace.compute().files(), this, [this](const QStringList& devices) {
        m_actions->setDevices(devices);
        if (const CheckpointSession* current = m_workspace.checkpoints().current())
            m_actions->showDevice(QString::fromStdString(current->info()->device));
    });
}

void MainWindow::openingDidFail(const std::filesystem::path& path, const QString& sentence)
{
    m_views->messages()->show(openingFailed(path, sentence));
    const QString name = shown(std::filesystem::absolute(path));
    m_settings.setParameters(name, {}); // they may be why: the next opening asks for them
    m_saveParameters.erase(path);
    std::error_code failed;
    if (std::filesystem::exists(path, failed))
        return;
    m_settings.forget(name);
    m_actions->setRecent(m_settings.recent);
}

/// What was given for this path before is tried first.
void MainWindow::askParameters(const std::filesystem::path& path, const core::OpenOptions& options,
                               const std::vector<core::MissingParameter>& missing)
{
    const auto openWithGiven = [this, path, options](const core::GivenParameters& given) {
        core::OpenOptions complete = options;
        complete.parameters.insert(complete.parameters.end(), given.begin(), given.end());
        m_workspace.open(path, complete);
    };
    const core::GivenParameters former = m_settings.parametersOf(shown(std::filesystem::absolute(path)));
    const bool known = std::ranges::all_of(missing, [&](const core::MissingParameter& parameter) {
        return std::ranges::find(former, parameter.key, &core::GivenParameters::value_type::first) != former.end();
    });
    if (known && options.parameters.empty())
        return openWithGiven(former);
    auto* form = new ParameterForm(path, missing, former, this);
    form->setAttribute(Qt::WA_DeleteOnClose);
    connect(form, &QDialog::accepted, this, [this, form, path, openWithGiven] {
        if (form->save())
            m_saveParameters.insert(path);
        openWithGiven(form->values());
    });
    form->open();
}

/// The checkpoint could be opened with them.
void MainWindow::keepParameters(const CheckpointSession& session)
{
    const core::GivenParameters& given = session.options().parameters;
    if (given.empty())
        return;
    m_settings.setParameters(shown(std::filesystem::absolute(session.path())), given);
    if (m_saveParameters.erase(session.path()) == 0)
        return;
    std::erase_if(m_saving, [](const Job& job) { return !job.pending(); });
    m_saving.push_back(m_workspace.compute().files().submit(
        Priority::Opening, [path = session.path(), given](const core::Progress&) { return core::saveBeside(path, given); }, this,
        [this, path = session.path()](const Outcome<std::filesystem::path>& outcome) {
            if (const auto* failure = std::get_if<Failure>(&outcome))
                m_views->messages()->show(openingFailed(path, QString::fromStdString(failure->sentence)));
        }));
}

void MainWindow::showTrace(const std::shared_ptr<const core::Trace>& trace)
{
    m_views->setTrace(trace);
    m_specialisation->view().setTrace(trace);
    m_routerMap->setTrace(trace);
    m_status->setTrace(trace.get());
    if (trace)
        m_views->textMessages()->dismiss(textSubject());
    showLossNote(*m_views->textMessages(), trace.get(), lossSubject(), QStringLiteral("%1"));
    if (trace && m_toReveal) // when everything has its place again
        QMetaObject::invokeMethod(this, &MainWindow::reveal, Qt::QueuedConnection);
}

void MainWindow::reveal()
{
    if (!m_toReveal || !m_workspace.current())
        return;
    m_views->strip()->reveal(*m_toReveal);
    m_views->routing()->reveal(*m_toReveal);
    m_toReveal.reset();
}

void MainWindow::showState()
{
    if (!m_workspace.tracing())
        m_status->setTraceProgress(-1);
    const bool current = m_workspace.current() || !m_workspace.trace();
    if (!current) {
        if (!m_dim.isActive())
            m_dim.start();
        return;
    }
    m_dim.stop();
    m_views->setStale(false);
    m_routerMap->setStale(false);
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
