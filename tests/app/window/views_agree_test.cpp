// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses in one view and reads in every other. Views know only the selection, so each pair is a pair of sentences about it.
#include "app/window/main_window.h"
#include "tests/app/window/fake_model.h"
#include "widgets/load_bars.h"
#include "widgets/token_table.h"

#include <QPlainTextEdit>
#include <QTabWidget>
#include <QTest>

#include <functional>

using namespace headscope;
using namespace headscope::app;

namespace {

/// A view that lets a token be chosen and says which one is.
struct TokenView {
    const char* name;
    int page; // that has to be in front; -1: any
    std::function<void(MainWindow&, int)> choose;
    std::function<int(MainWindow&)> chosen; // -1: none
};

const core::TokenizedText& textOf(MainWindow& window)
{
    return window.workspace().trace()->text();
}

void chooseInEditor(MainWindow& window, int token)
{
    widgets::TextEditor* editor = window.views().editor();
    const core::ByteRange span = textOf(window).tokens[static_cast<std::size_t>(token)].span;
    QTextCursor cursor = editor->edit()->textCursor();
    cursor.setPosition(editor->positionAt(static_cast<qsizetype>(span.begin), widgets::DocumentBytes::Round::Down));
    cursor.setPosition(editor->positionAt(static_cast<qsizetype>(span.end), widgets::DocumentBytes::Round::Up),
                       QTextCursor::KeepAnchor);
    editor->edit()->setTextCursor(cursor);
}

int chosenInEditor(MainWindow& window)
{
    widgets::TextEditor* editor = window.views().editor();
    std::optional<core::ByteRange> range = editor->tinted();
    const QTextCursor cursor = editor->edit()->textCursor();
    if (!range && cursor.hasSelection())
        range = core::ByteRange{static_cast<std::size_t>(editor->byteAt(cursor.selectionStart())),
                                static_cast<std::size_t>(editor->byteAt(cursor.selectionEnd()))};
    if (!range)
        return -1;
    const core::TokenRange tokens = core::tokensTouching(textOf(window).tokens, *range);
    return tokens.last == tokens.first + 1 ? static_cast<int>(tokens.first) : -1;
}

void chooseInStrip(MainWindow& window, int token)
{
    widgets::TokenStrip* strip = window.views().strip();
    const std::size_t item = strip->items().ofToken[static_cast<std::size_t>(token)];
    QTest::mouseClick(strip->viewport(), Qt::LeftButton, Qt::NoModifier, strip->itemRect(item).center());
}

int chosenInStrip(MainWindow& window)
{
    const widgets::TokenStrip* strip = window.views().strip();
    const auto [first, last] = strip->selectedItems();
    return last == first + 1 ? static_cast<int>(strip->items().items[first].index) : -1;
}

void chooseInRouting(MainWindow& window, int token)
{
    widgets::TokenTable* table = window.views().routing()->expertsTable();
    const QModelIndex index = table->model()->index(token, 1);
    table->scrollTo(index);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, Qt::NoModifier, table->visualRect(index).center());
}

int chosenInRouting(MainWindow& window)
{
    const core::TokenRange rows = window.views().routing()->expertsTable()->selectedRows();
    return rows.last == rows.first + 1 ? static_cast<int>(rows.first) : -1;
}

void chooseInMap(MainWindow& window, int token)
{
    window.views().attention()->mapWidget()->chooseCell({token, 0});
}

int chosenInMap(MainWindow& window)
{
    const auto& rows = window.views().attention()->mapWidget()->highlights().selectedRows;
    return rows.end == rows.begin + 1 ? static_cast<int>(rows.begin) : -1;
}

const TokenView tokenViews[]{
    {"editor", -1, chooseInEditor, chosenInEditor},
    {"strip", -1, chooseInStrip, chosenInStrip},
    {"routing", 0, chooseInRouting, chosenInRouting},
    {"attention", 1, chooseInMap, chosenInMap},
};

/// A view that lets a router be chosen and says which one is.
struct RouterView {
    const char* name;
    std::function<void(MainWindow&, const core::RouterAddress&)> choose; // empty: it only follows
    std::function<bool(MainWindow&, const core::RouterAddress&)> shows;
};

void chooseInRouterMap(MainWindow& window, const core::RouterAddress& router)
{
    widgets::RouterMap& map = window.routerMap();
    const auto cell = map.grid().cellOf(router);
    QVERIFY(cell);
    QTest::mouseClick(map.viewport(), Qt::LeftButton, Qt::NoModifier, map.cellRect(*cell).center());
}

bool shownInRouterMap(MainWindow& window, const core::RouterAddress& router)
{
    const auto cell = window.routerMap().chosenCell();
    return cell && window.routerMap().grid().cells[*cell].address == router;
}

/// The overview of layers: the router of the same site and head in another layer.
void chooseInLayers(MainWindow& window, const core::RouterAddress& router)
{
    widgets::RoutingView* routing = window.views().routing();
    window.workspace().selection().setRouter([&] {
        core::RouterAddress other = router;
        other.depth = 1 - router.depth;
        return other;
    }());
    routing->setPage(widgets::RoutingView::Page::Layers);
    widgets::TokenTable* table = routing->layersTable();
    const QModelIndex index = table->model()->index(2, routing->layersModel()->columnOf(router));
    table->scrollTo(index);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, Qt::NoModifier, table->visualRect(index).center());
    routing->setPage(widgets::RoutingView::Page::Experts);
}

bool shownInRouting(MainWindow& window, const core::RouterAddress& router)
{
    const widgets::RoutingItemModel* model = window.views().routing()->expertsModel();
    return model->site() && model->site()->address(model->head()) == router;
}

bool shownInStrip(MainWindow& window, const core::RouterAddress& router)
{
    const core::SiteRouting* site = window.workspace().trace()->site(router);
    const auto expected =
        widgets::routerShades(*site, router.head.value_or(0), window.workspace().selection().state().expert);
    const auto& shown = window.views().strip()->shades();
    return std::equal(expected.tokens.begin(), expected.tokens.end(), shown.tokens.begin(), shown.tokens.end(),
                      [](const auto& a, const auto& b) { return a.expert == b.expert && a.strength == b.strength; });
}

bool shownInAttention(MainWindow& window, const core::RouterAddress& router)
{
    const auto& map = window.views().attention()->shownMap();
    return map && map->address == router.mapAddress() && map->index == router.head.value_or(0);
}

const RouterView routerViews[]{
    {"router map", chooseInRouterMap, shownInRouterMap},
    {"layers", chooseInLayers, shownInRouting},
    {"strip", {}, shownInStrip},
    {"attention", {}, shownInAttention},
};

} // namespace

class ViewsAgreeTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void tokens_data();
    void tokens();
    void routers_data();
    void routers();
    void expertsOfTheTableAndTheBars();
    void theListChoosesForAllViews();

private:
    std::shared_ptr<samples::FakeControl> m_control = std::make_shared<samples::FakeControl>();
    std::unique_ptr<Workspace> m_workspace;
    std::unique_ptr<MainWindow> m_window;
};

void ViewsAgreeTest::init()
{
    m_window.reset();
    m_workspace = std::make_unique<Workspace>(samples::fakeOpener(m_control));
    m_window = std::make_unique<MainWindow>(*m_workspace, MainWindow::Memory::None, widgets::Theme::Kind::Light);
    m_window->resize(1400, 1000);
    m_window->show();
    m_window->setText("one two three four five six seven eight nine ten");
    m_window->open(QStringLiteral("/x/switchhead.fake"));
    QTRY_VERIFY(m_workspace->current() && m_workspace->idle());
}

void ViewsAgreeTest::tokens_data()
{
    QTest::addColumn<int>("from");
    QTest::addColumn<int>("to");
    for (int from = 0; from < static_cast<int>(std::size(tokenViews)); ++from)
        for (int to = 0; to < static_cast<int>(std::size(tokenViews)); ++to)
            if (from != to)
                QTest::addRow("%s to %s", tokenViews[from].name, tokenViews[to].name) << from << to;
}

void ViewsAgreeTest::tokens()
{
    QFETCH(int, from);
    QFETCH(int, to);
    const TokenView& chooser = tokenViews[from];
    const TokenView& reader = tokenViews[to];
    for (const int token : {3, 6, 4}) {
        if (chooser.page >= 0)
            m_window->views().pages()->setCurrentIndex(chooser.page);
        QCoreApplication::processEvents();
        chooser.choose(*m_window, token);
        QCOMPARE(chooser.chosen(*m_window), token);
        if (reader.page >= 0)
            m_window->views().pages()->setCurrentIndex(reader.page);
        QCoreApplication::processEvents();
        QCOMPARE(reader.chosen(*m_window), token);
    }
}

void ViewsAgreeTest::routers_data()
{
    QTest::addColumn<int>("from");
    QTest::addColumn<int>("to");
    for (int from = 0; from < static_cast<int>(std::size(routerViews)); ++from)
        for (int to = 0; to < static_cast<int>(std::size(routerViews)); ++to)
            if (from != to && routerViews[from].choose)
                QTest::addRow("%s to %s", routerViews[from].name, routerViews[to].name) << from << to;
}

void ViewsAgreeTest::routers()
{
    QFETCH(int, from);
    QFETCH(int, to);
    for (const std::size_t site : {3u, 0u, 2u})
        for (const int head : {1, 0}) {
            const core::RouterAddress router = m_workspace->trace()->sites.at(site)->address(head);
            m_window->views().pages()->setCurrentIndex(0);
            QCoreApplication::processEvents();
            routerViews[from].choose(*m_window, router);
            QVERIFY2(routerViews[from].shows(*m_window, router), router.toString().c_str());
            m_window->views().pages()->setCurrentIndex(to == 3 ? 1 : 0);
            QCoreApplication::processEvents();
            QVERIFY2(routerViews[to].shows(*m_window, router), router.toString().c_str());
        }
}

void ViewsAgreeTest::expertsOfTheTableAndTheBars()
{
    widgets::RoutingView* routing = m_window->views().routing();
    widgets::TokenTable* table = routing->expertsTable();
    const QModelIndex cell = table->model()->index(2, widgets::RoutingItemModel::columnOf(3));
    QTest::mouseClick(table->viewport(), Qt::LeftButton, Qt::NoModifier, table->visualRect(cell).center());
    QVERIFY(m_workspace->selection().state().expert == 3);
    for (const auto& shade : m_window->views().strip()->shades().tokens)
        QVERIFY(shade.expert == 3 || shade.expert == -1);
    Q_EMIT routing->loadBars()->expertChosen(1);
    QVERIFY(m_workspace->selection().state().expert == 1);
    QCOMPARE(table->markedColumn(), widgets::RoutingItemModel::columnOf(1));
}

void ViewsAgreeTest::theListChoosesForAllViews()
{
    m_window->open(QStringLiteral("/x/moa.fake"));
    QTRY_VERIFY(m_workspace->current() && m_workspace->idle() && m_control->alive >= 2);
    const auto router = m_workspace->trace()->sites.at(0)->address(0);
    QVERIFY(m_workspace->selection().state().router == router);
    QVERIFY(shownInRouterMap(*m_window, router));
    QVERIFY(shownInRouting(*m_window, router));
    QVERIFY(shownInStrip(*m_window, router));
    m_window->views().pages()->setCurrentIndex(1);
    QVERIFY(m_window->views().attention()->shownMap());
    QVERIFY(m_window->views().attention()->shownMap()->address == router.mapAddress());
}

QTEST_MAIN(ViewsAgreeTest)
#include "views_agree_test.moc"
