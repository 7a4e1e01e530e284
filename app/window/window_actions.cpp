// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/window_actions.h"

#include "app/window/resources.h"

#include <QAction>
#include <QActionGroup>
#include <QComboBox>
#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QLabel>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QToolBar>

namespace headscope::app {

WindowActions::WindowActions(QMainWindow* window) : QObject(window), m_window(window)
{
    makeFileMenu();
    makeTextMenu();
    makeCompareMenu();
    makeViewMenu();
    makeHelpMenu();
    makeToolBar();
    setHasCheckpoint(false);
    colorSymbols();
    window->installEventFilter(this);
}

template <class Signal>
QAction* WindowActions::add(QMenu* menu, const QString& text, const QKeySequence& key, Signal signal,
                            const QString& symbolName)
{
    auto* action = menu->addAction(text);
    action->setShortcut(key);
    connect(action, &QAction::triggered, this, [this, signal] { (this->*signal)(); });
    if (!symbolName.isEmpty())
        m_symbols.emplace_back(action, symbolName);
    return action;
}

void WindowActions::makeFileMenu()
{
    QMenu* menu = m_window->menuBar()->addMenu(tr("&File"));
    m_openFile = add(menu, tr("&Open file…"), QKeySequence::Open, &WindowActions::openFile, QStringLiteral("open-file"));
    m_openFolder = add(menu, tr("Open &folder…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O), &WindowActions::openFolder,
                       QStringLiteral("open-folder"));
    m_recent = menu->addMenu(tr("Open &recent"));
    m_demos = menu->addMenu(tr("Open &demonstration"));
    menu->addSeparator();
    m_needCheckpoint.push_back(add(menu, tr("Choose &tokenizer…"), {}, &WindowActions::chooseTokenizer));
    m_memory = add(menu, tr("Choose &memory…"), {}, &WindowActions::chooseMemory);
    setHasSegments(false);
    m_needCheckpoint.push_back(
        add(menu, tr("&Close checkpoint"), QKeySequence::Close, &WindowActions::closeCheckpoint, QStringLiteral("close")));
    menu->addSeparator();
    QAction* quit = menu->addAction(tr("&Quit"), QKeySequence::Quit, m_window, &QWidget::close);
    quit->setMenuRole(QAction::QuitRole);
    setRecent({});
    setDemos({});
}

void WindowActions::makeTextMenu()
{
    QMenu* menu = m_window->menuBar()->addMenu(tr("&Text"));
    m_samples = menu->addMenu(tr("&Samples"));
    m_stop = add(menu, tr("S&top the trace"), QKeySequence(Qt::Key_Escape), &WindowActions::stopTracing);
    setTracing(false);
    int number = 1;
    for (const SampleText& sample : sampleTexts()) {
        QAction* action = m_samples->addAction(QStringLiteral("&%1  %2").arg(number++).arg(sample.title));
        connect(action, &QAction::triggered, this, [this, text = sample.text] { Q_EMIT sampleText(text); });
    }
}

void WindowActions::makeCompareMenu()
{
    QMenu* menu = m_window->menuBar()->addMenu(tr("&Compare"));
    for (const Slot slot : {Slot::A, Slot::B}) {
        QAction* action = menu->addAction(slot == Slot::A ? tr("Choose &A…") : tr("Choose &B…"));
        action->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | (slot == Slot::A ? Qt::Key_A : Qt::Key_B)));
        connect(action, &QAction::triggered, this, [this, slot] { Q_EMIT chooseSlot(slot); });
        m_needCheckpoint.push_back(action);
    }
    m_swap = add(menu, tr("&Swap A and B"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S), &WindowActions::swapSlots);
    m_swap->setEnabled(false);
}

void WindowActions::makeViewMenu()
{
    m_view = m_window->menuBar()->addMenu(tr("&View"));
    m_pagesEnd = m_view->addSeparator();
    m_themes = m_view->addMenu(tr("&Theme"));
    m_themeGroup = new QActionGroup(this);
    const std::pair<ThemeChoice, QString> choices[]{
        {ThemeChoice::System, tr("As the &system")}, {ThemeChoice::Light, tr("&Light")}, {ThemeChoice::Dark, tr("&Dark")}};
    for (const auto& [choice, text] : choices) {
        QAction* action = m_themes->addAction(text);
        action->setCheckable(true);
        action->setData(static_cast<int>(choice));
        m_themeGroup->addAction(action);
        connect(action, &QAction::triggered, this, [this, chosen = choice] { Q_EMIT themeChosen(chosen); });
    }
    add(m_view, tr("&Next pane"), QKeySequence(Qt::Key_F6), &WindowActions::nextPane);
    add(m_view, tr("Pre&vious pane"), QKeySequence(Qt::SHIFT | Qt::Key_F6), &WindowActions::previousPane);
    m_view->addSeparator();
}

void WindowActions::makeHelpMenu()
{
    QMenu* menu = m_window->menuBar()->addMenu(tr("&Help"));
    add(menu, tr("&About Headscope"), {}, &WindowActions::about)->setMenuRole(QAction::AboutRole);
}

void WindowActions::makeToolBar()
{
    QToolBar* bar = m_bar = m_window->addToolBar(tr("Tools"));
    bar->setObjectName(QStringLiteral("tools"));
    bar->setMovable(false);
    bar->setIconSize(QSize(20, 20));
    bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    bar->addAction(m_openFile);
    bar->addAction(m_openFolder);
    bar->addSeparator();
    m_slotsEnd = bar->addSeparator();
    const auto menuButton = [&](QMenu* menu, const QString& text, const QString& symbolName) {
        auto* button = new QPushButton(text);
        button->setMenu(menu);
        button->setFlat(true);
        button->setIconSize(bar->iconSize());
        m_buttonSymbols.emplace_back(button, symbolName);
        bar->addWidget(button);
    };
    menuButton(m_samples, tr("&Sample text"), QStringLiteral("text"));
    auto* space = new QWidget;
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(space);
    auto* label = new QLabel(tr("De&vice"));
    label->setContentsMargins(6, 0, 6, 0);
    m_devices = new QComboBox;
    m_devices->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_devices->setAccessibleName(tr("Device"));
    m_devices->setToolTip(tr("Where the model is computed; another choice opens the checkpoint again"));
    label->setBuddy(m_devices);
    bar->addWidget(label);
    bar->addWidget(m_devices);
    menuButton(m_themes, tr("T&heme"), QStringLiteral("theme"));
    connect(m_devices, &QComboBox::activated, this, [this] { Q_EMIT deviceChosen(m_devices->currentText()); });
    setDevices({QStringLiteral("cpu")});
}

void WindowActions::setRecent(const QStringList& paths)
{
    m_recent->clear();
    m_recent->setEnabled(!paths.isEmpty());
    int number = 1;
    for (const QString& path : paths) {
        const QFileInfo file(path);
        QString shown = QStringLiteral("%1/%2").arg(file.dir().dirName(), file.fileName());
        shown.replace(u'&', QStringLiteral("&&"));
        QAction* action = m_recent->addAction(QStringLiteral("&%1  %2").arg(number++).arg(shown));
        action->setToolTip(path);
        connect(action, &QAction::triggered, this, [this, path] { Q_EMIT openPath(path); });
    }
}

void WindowActions::setDemos(const std::vector<std::filesystem::path>& files)
{
    m_demos->clear();
    m_demos->setEnabled(!files.empty());
    for (const auto& file : files) {
        QAction* action = m_demos->addAction(QString::fromStdString(file.parent_path().filename().string()));
        connect(action, &QAction::triggered, this,
                [this, path = QString::fromStdString(file.string())] { Q_EMIT openPath(path); });
    }
}

void WindowActions::setDevices(const QStringList& devices)
{
    const QString chosen = m_devices->currentText();
    m_devices->clear();
    m_devices->addItems(devices);
    showDevice(chosen);
}

void WindowActions::showDevice(const QString& device)
{
    if (const int index = m_devices->findText(device); index >= 0)
        m_devices->setCurrentIndex(index);
}

void WindowActions::setTheme(ThemeChoice choice)
{
    for (QAction* action : m_themeGroup->actions())
        action->setChecked(action->data().toInt() == static_cast<int>(choice));
}

void WindowActions::setHasSegments(bool has)
{
    m_memory->setEnabled(has);
}

void WindowActions::setHasCheckpoint(bool has)
{
    for (QAction* action : m_needCheckpoint)
        action->setEnabled(has);
}

void WindowActions::setTracing(bool tracing)
{
    m_stop->setEnabled(tracing); // Esc is free otherwise
}

void WindowActions::setHasSecond(bool has)
{
    m_swap->setEnabled(has);
}

void WindowActions::addToToolBar(QWidget* widget)
{
    m_bar->insertWidget(m_slotsEnd, widget);
}

void WindowActions::addToView(QAction* action)
{
    m_view->addAction(action);
}

void WindowActions::addPage(const QString& title, int index)
{
    auto* action = new QAction(title, m_view);
    action->setShortcut(QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + index)));
    connect(action, &QAction::triggered, this, [this, index] { Q_EMIT pageChosen(index); });
    m_view->insertAction(m_pagesEnd, action);
}

void WindowActions::colorSymbols()
{
    const QColor color = widgets::themeOf(m_window->palette()).text;
    for (const auto& [action, name] : m_symbols)
        action->setIcon(symbol(name, color));
    for (const auto& [button, name] : m_buttonSymbols)
        button->setIcon(symbol(name, color));
}

bool WindowActions::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_window && event->type() == QEvent::PaletteChange)
        colorSymbols();
    return QObject::eventFilter(watched, event);
}

} // namespace headscope::app
