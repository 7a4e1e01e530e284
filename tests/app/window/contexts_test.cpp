// SPDX-License-Identifier: GPL-3.0-or-later
// From a row of the Specialisation page to its contexts, and from there to the text editor, with the real demonstration
// checkpoint.
#include "app/window/contexts_controller.h"

#include "app/window/corpus_form.h"
#include "app/window/main_window.h"
#include "app/window/program.h"
#include "app/window/resources.h"
#include "core/tokenizer/fold_case.h"
#include "tests/widgets/pictures.h"
#include "widgets/context_item_model.h"
#include "widgets/marking_table.h"
#include "widgets/pair_item_model.h"
#include "widgets/top_tokens_item_model.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace headscope;
using namespace headscope::app;

namespace {

struct Fixture {
    Workspace workspace{modelOpener()};
    MainWindow window{workspace, MainWindow::Memory::None, widgets::Theme::Kind::Light};
    QTemporaryDir folder;
    SpecialisationPage& page = window.specialisation();
    SpecialisationController& controller = page.controller();
    ContextsController& contexts = page.contexts();
    widgets::SpecialisationView& view = page.view();

    Fixture()
    {
        window.resize(1280, 900);
        window.setText("In the beginning was the word");
        window.show();
        window.openDemo();
        window.views().pages()->setCurrentWidget(&page);
        settle();
    }
    void settle() const
    {
        QTRY_VERIFY_WITH_TIMEOUT(workspace.idle() && workspace.current() && controller.idle() && contexts.idle(), 120000);
    }
    std::filesystem::path path(const char* name) const { return std::filesystem::path(folder.path().toStdString()) / name; }
    /// So many lines, each a document.
    core::CountSettings corpus(int lines) const
    {
        std::ofstream out(path("corpus.txt"));
        for (int line = 0; line < lines; ++line)
            out << "She could not " << (line % 2 == 0 ? "believe the letter" : "read the old letter")
                << " that the man of the house had written to " << (line % 7) << " of them, said the dog, " << line << ".\n";
        core::CountSettings settings;
        settings.corpus = {path("corpus.txt")};
        settings.documents.kind = core::DocumentSplit::Kind::Line;
        settings.words = true;
        return settings;
    }
    void count(int lines)
    {
        controller.count(corpus(lines));
        // Of the last layer: in the first one the token alone decides.
        workspace.selection().setRouter(workspace.checkpoints().current()->info()->routers.back().address);
        settle();
        view.setPage(widgets::SpecialisationView::Page::Pairs);
    }
    /// Makes the pair with the most counter-examples the current row; false when no token has both.
    bool choosePair()
    {
        const auto& model = *view.pairModel();
        const auto& table = view.statistics()->table;
        for (int row = 0; row < model.rowCount(); ++row)
            if (model.pair(row).count > 1 && model.pair(row).count < table.rowCounts[model.pair(row).row]) {
                view.pairTable()->setCurrentIndex(model.index(row, 0));
                return true;
            }
        return false;
    }
    void press(Qt::Key key)
    {
        view.pairTable()->setFocus();
        QTest::keyClick(view.pairTable(), key);
    }
    QStringList sentences() { return page.messages().sentences(); }
};

} // namespace

class ContextsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void aRowShowsWhereItComesFrom();
    void aContextGoesToTheEditor();
    void wordsAndFoldedCase();
    void openedCountsAskForTheirTexts();
    void anotherCorpusIsSaid();
    void failingLeavesWhatIsShown();
    void theLatestQuestionWinsAndAnotherCheckpointClears();
    void stopping();
    void exportsWhatIsShown();
    void aCountThatRunsIsNotWaitedFor();
};

void ContextsTest::initTestCase()
{
    setenv("MKL_CBWR", "AUTO,STRICT", 0);
    qputenv("HEADSCOPE_RESOURCES", HEADSCOPE_RESOURCES);
    QCOMPARE(demoCheckpoints().size(), 2u);
}

void ContextsTest::aRowShowsWhereItComesFrom()
{
    Fixture f;
    f.count(60);
    QVERIFY(f.view.contexts()->isHidden());
    QVERIFY(f.choosePair());
    const auto pair = *f.view.chosenPair();
    f.press(Qt::Key_Return);
    QVERIFY(!f.view.contexts()->isHidden());
    f.settle();
    QVERIFY2(f.sentences().isEmpty(), qPrintable(f.sentences().join(u'|')));
    const auto& found = f.view.contexts()->contexts();
    QVERIFY(found != nullptr);
    const auto& table = f.view.statistics()->table;
    const core::TablePair expected = *std::ranges::find_if(table.pairs, [&](const core::TablePair& p) {
        return p.row == pair.row && static_cast<int>(p.expert) == pair.expert;
    });
    QCOMPARE(static_cast<std::int64_t>(found->corpus.positions), table.rowCounts[pair.row]);
    QCOMPARE(static_cast<std::int64_t>(found->selections[static_cast<std::size_t>(pair.expert)]), expected.count);
    QCOMPARE(static_cast<std::int64_t>(found->chosen.size()), std::min<std::int64_t>(100, expected.count));
    QVERIFY(!found->others.empty());
    QVERIFY(f.view.contexts()->title().contains(widgets::rowText(*f.view.statistics(), pair.row)));
    QCOMPARE(f.view.contexts()->note(), QString());
    samples::pictureOf(f.window, QStringLiteral("contexts_window"), widgets::Theme::light(), {1280, 900});

    // The same from the table of top tokens, by the button.
    f.view.setPage(widgets::SpecialisationView::Page::TopTokens);
    f.view.topTable()->setCurrentIndex(f.view.topModel()->index(1, 0));
    const core::PairStatistics top = *f.view.topModel()->pair(f.view.topModel()->index(1, 0));
    f.view.openContexts();
    const auto buttons = f.view.findChildren<QPushButton*>();
    (*std::ranges::find_if(buttons, [](const QPushButton* button) {
        return button->text() == QStringLiteral("Con&texts");
    }))->click();
    f.settle();
    QCOMPARE(f.view.contexts()->contexts()->selections[top.expert], static_cast<std::uint64_t>(top.count));
    f.view.setPage(widgets::SpecialisationView::Page::Tags); // no rows of tokens there
    QVERIFY(!f.view.chosenPair());
}

void ContextsTest::aContextGoesToTheEditor()
{
    Fixture f;
    f.count(60);
    QVERIFY(f.choosePair());
    const int expert = f.view.chosenPair()->expert;
    f.press(Qt::Key_Return);
    f.settle();
    auto& contexts = *f.view.contexts();
    for (const auto& [row, chosen] :
         {std::pair(1, true), std::pair(static_cast<int>(contexts.contexts()->chosen.size()) + 2, false)}) {
        const core::Context context = *contexts.model()->context(row);
        QVERIFY(context.passage.sameTokens); // every line is one window
        QCOMPARE(context.find(expert) != nullptr, chosen);
        contexts.table()->scrollTo(contexts.model()->index(row, 0));
        const auto seen =
            contexts.table()->visualRect(contexts.model()->index(row, widgets::ContextItemModel::TextColumn)).center();
        QTest::mouseClick(contexts.table()->viewport(), Qt::LeftButton, {}, seen);
        QTest::mouseDClick(contexts.table()->viewport(), Qt::LeftButton, {}, seen);
        QCOMPARE(f.window.views().editor()->bytes().toStdString(), context.passage.text);
        f.settle();
        const auto& state = f.workspace.selection().state();
        QVERIFY(state.bytes == context.passage.keyword);
        QVERIFY(state.router == context.router);
        // Traced there, the token chooses as it did in the corpus.
        const auto& trace = f.workspace.trace();
        QCOMPARE(trace->text().text, context.passage.text);
        const auto range = core::tokensTouching(trace->text().tokens, *state.bytes);
        QVERIFY(range.first <= static_cast<std::size_t>(context.position) &&
                static_cast<std::size_t>(context.position) < range.last);
        QCOMPARE(trace->text().tokens[static_cast<std::size_t>(context.position)].id, context.id);
        const core::SiteRouting& site = *trace->site(context.router);
        const int head = site.headOf(context.router);
        for (std::size_t i = 0; i < context.experts.size(); ++i) {
            const std::size_t slot = site.slot(context.position, head, static_cast<int>(i));
            QCOMPARE(site.experts[slot], context.experts[i].expert);
            QVERIFY(std::abs(site.gates[slot] - context.experts[i].gate) < 1e-4F);
        }
        QVERIFY(contexts.contexts() != nullptr && !contexts.isHidden()); // the list is still there
    }
}

void ContextsTest::wordsAndFoldedCase()
{
    Fixture f;
    f.count(30);
    auto statistics = std::make_shared<widgets::RouterStatistics>(*f.view.statistics());
    const auto foundFor = [&](core::RowUnit unit, core::LetterCase letters, core::Pooling pooling, const std::string& name) {
        widgets::StatisticsChoice choice = f.view.choice();
        choice.unit = unit;
        choice.letters = letters;
        choice.pooling = pooling;
        *statistics = widgets::routerStatistics(*f.view.counts(), statistics->router, choice);
        const auto& rows = *statistics->table.rows;
        const auto row = std::ranges::find(rows, name, &core::RowName::text) - rows.begin();
        if (row == std::ssize(rows))
            return false;
        f.contexts.find({{static_cast<std::uint32_t>(row), 0},
                         std::make_shared<widgets::RouterStatistics>(*statistics),
                         f.view.counts(),
                         widgets::Completeness::Whole,
                         *f.controller.corpus()});
        f.settle();
        const auto& found = *f.view.contexts()->contexts();
        std::vector<std::uint64_t> expected(found.selections.size());
        for (const core::TablePair& pair : statistics->table.pairs)
            if (pair.row == row)
                expected[pair.expert] = static_cast<std::uint64_t>(pair.count);
        return found.selections == expected && found.whole();
    };
    QVERIFY(foundFor(core::RowUnit::Words, core::LetterCase::Kept, core::Pooling::None, "letter"));
    QVERIFY(foundFor(core::RowUnit::Words, core::LetterCase::Folded, core::Pooling::None, "she"));
    QVERIFY(foundFor(core::RowUnit::Pieces, core::LetterCase::Folded, core::Pooling::None, core::foldCase("▁the")));
    QVERIFY(foundFor(core::RowUnit::Pieces, core::LetterCase::Kept, core::Pooling::Heads, "▁the"));
}

void ContextsTest::openedCountsAskForTheirTexts()
{
    Fixture f;
    core::CountSettings settings = f.corpus(20);
    settings.window = 48;
    f.controller.count(settings);
    f.settle();
    f.controller.saveCounts(f.path("some.counts"));
    f.settle();
    f.controller.openCounts(f.path("some.counts"));
    f.settle();
    QVERIFY(!f.controller.corpus());
    f.view.setPage(widgets::SpecialisationView::Page::Pairs);
    f.view.pairTable()->setCurrentIndex(f.view.pairModel()->index(0, 0));
    f.press(Qt::Key_Return);
    auto* form = f.page.findChild<CorpusForm*>();
    QVERIFY(form != nullptr);
    QCOMPARE(form->settings().window, 48); // as the counts say
    QVERIFY(form->settings().documents == settings.documents);
    form->addPaths({QString::fromStdString(f.path("corpus.txt").string())});
    form->accept();
    f.settle();
    QVERIFY2(f.sentences().size() <= 1, qPrintable(f.sentences().join(u'|'))); // that the counts are written
    QVERIFY(f.view.contexts()->contexts() != nullptr);
    QCOMPARE(f.view.contexts()->note(), QString());
    QVERIFY(f.controller.corpus()); // asked once
}

void ContextsTest::anotherCorpusIsSaid()
{
    Fixture f;
    f.count(20);
    f.view.pairTable()->setCurrentIndex(f.view.pairModel()->index(0, 0));
    core::CountSettings other = *f.controller.corpus();
    std::ofstream(f.path("other.txt")) << "The dog and the letter.\n";
    other.corpus = {f.path("other.txt")};
    f.controller.setCorpus(other);
    f.press(Qt::Key_Return);
    f.settle();
    QVERIFY2(f.view.contexts()->note().contains(QStringLiteral("other texts")), qPrintable(f.view.contexts()->note()));
    other = f.corpus(20);
    other.window = 9;
    f.controller.setCorpus(other);
    f.press(Qt::Key_Return);
    f.settle();
    QVERIFY2(f.view.contexts()->note().contains(QStringLiteral("windows of 9 tokens")),
             qPrintable(f.view.contexts()->note()));
}

void ContextsTest::failingLeavesWhatIsShown()
{
    Fixture f;
    f.count(20);
    f.view.pairTable()->setCurrentIndex(f.view.pairModel()->index(0, 0));
    f.press(Qt::Key_Return);
    f.settle();
    const auto found = f.view.contexts()->contexts();
    std::filesystem::remove(f.path("corpus.txt"));
    f.view.pairTable()->setCurrentIndex(f.view.pairModel()->index(2, 0));
    f.press(Qt::Key_Return);
    f.settle();
    QCOMPARE(f.sentences().size(), 1);
    QVERIFY(f.sentences().first().contains(QStringLiteral("does not exist")));
    QVERIFY(f.view.contexts()->contexts() == found);
    f.press(Qt::Key_Return); // now it asks where the texts are
    QVERIFY(f.page.findChild<CorpusForm*>() != nullptr);
}

void ContextsTest::theLatestQuestionWinsAndAnotherCheckpointClears()
{
    Fixture f;
    f.count(200);
    for (int row = 0; row < 5; ++row) {
        f.view.pairTable()->setCurrentIndex(f.view.pairModel()->index(row, 0));
        f.press(Qt::Key_Return);
    }
    const auto pair = *f.view.chosenPair();
    f.settle();
    QVERIFY(f.view.contexts()->title().contains(widgets::rowText(*f.view.statistics(), pair.row)));
    QCOMPARE(static_cast<std::int64_t>(f.view.contexts()->contexts()->corpus.positions),
             f.view.statistics()->table.rowCounts[pair.row]);
    f.press(Qt::Key_Return);
    f.window.open(QString::fromStdString(demoCheckpoints().back().string()));
    f.settle();
    QVERIFY(f.view.contexts()->isHidden());
    QVERIFY(f.view.contexts()->contexts() == nullptr);
}

void ContextsTest::stopping()
{
    Fixture f;
    f.count(2000);
    QVERIFY(f.choosePair());
    f.press(Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(f.view.contexts()->contexts() != nullptr || f.contexts.idle(), 60000); // some have arrived
    f.contexts.stop();
    f.settle();
    QVERIFY(f.view.contexts()->contexts() != nullptr);
    QVERIFY(!f.view.contexts()->searching());
    QVERIFY(f.sentences().isEmpty());
}

void ContextsTest::exportsWhatIsShown()
{
    Fixture f;
    f.count(40);
    QVERIFY(f.choosePair());
    f.press(Qt::Key_Return);
    f.settle();
    const auto& shown = *f.view.contexts()->contexts();
    f.contexts.exportTable(f.path("contexts.json"));
    f.settle();
    QCOMPARE(f.sentences().size(), 1); // that it is written
    QFile file(QString::fromStdString(f.path("contexts.json").string()));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QJsonObject json = QJsonDocument::fromJson(file.readAll()).object();
    QCOMPARE(json.value(QStringLiteral("rows")).toArray().size(),
             static_cast<qsizetype>(shown.chosen.size() + shown.others.size()));
    const QJsonObject about = json.value(QStringLiteral("about")).toObject();
    QCOMPARE(about.value(QStringLiteral("expert")).toInt(), f.view.chosenPair()->expert);
    QVERIFY(about.value(QStringLiteral("row")).toString().startsWith(QStringLiteral("token ")));
    QCOMPARE(about.value(QStringLiteral("checkpoint_fingerprint")).toString().toStdString(),
             f.view.counts()->basis.fingerprint);
    f.contexts.exportTable(f.path("contexts.xls"));
    QVERIFY(f.sentences().join(u'|').contains(QStringLiteral("contexts.xls does not")));
}

void ContextsTest::aCountThatRunsIsNotWaitedFor()
{
    Fixture f;
    f.controller.count(f.corpus(100'000));
    QTRY_VERIFY_WITH_TIMEOUT(f.view.counts() && f.view.statistics(), 120000); // tables while it runs
    core::CountSettings few = *f.controller.corpus();
    std::ofstream(f.path("few.txt")) << "She could not read the letter.\n";
    few.corpus = {f.path("few.txt")};
    f.contexts.find({{0, 0}, f.view.statistics(), f.view.counts(), f.controller.completeness(), few});
    QTRY_VERIFY_WITH_TIMEOUT(f.contexts.idle(), 60000);
    QVERIFY(f.controller.counting());
    QVERIFY(f.view.contexts()->contexts() != nullptr);
    QCOMPARE(f.view.contexts()->note(), QString()); // nothing can be said before the count has ended
    f.controller.stopCounting();
    f.settle();
}

QTEST_MAIN(ContextsTest)
#include "contexts_test.moc"
