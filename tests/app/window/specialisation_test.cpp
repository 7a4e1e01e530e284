// SPDX-License-Identifier: GPL-3.0-or-later
// The Specialisation page over a small corpus, with the real demonstration checkpoint.
#include "app/window/corpus_form.h"
#include "app/window/main_window.h"
#include "app/window/program.h"
#include "app/window/resources.h"
#include "core/checkpoint/checkpoint.h"
#include "core/corpus/counts_file.h"
#include "widgets/pair_item_model.h"

#include <QComboBox>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>

using namespace headscope;
using namespace headscope::app;

namespace {

struct Fixture {
    Workspace workspace{modelOpener()};
    MainWindow window{workspace, MainWindow::Memory::None, widgets::Theme::Kind::Light};
    QTemporaryDir folder;
    SpecialisationController& controller = window.specialisation().controller();
    widgets::SpecialisationView& view = window.specialisation().view();

    Fixture()
    {
        window.resize(1280, 860);
        window.setText("In the beginning was the word");
        window.show();
        window.openDemo();
        window.views().pages()->setCurrentWidget(&window.specialisation());
        settle();
    }
    void settle() const { QTRY_VERIFY_WITH_TIMEOUT(workspace.idle() && workspace.current() && controller.idle(), 120000); }
    std::filesystem::path path(const char* name) const { return std::filesystem::path(folder.path().toStdString()) / name; }
    /// So many lines, each a document.
    core::CountSettings corpus(int lines) const
    {
        const std::filesystem::path file = path("corpus.txt");
        std::ofstream out(file);
        for (int line = 0; line < lines; ++line)
            out << "She could not believe the letter that the old man of the house had written to " << (line % 7)
                << " of them in " << line << ".\n";
        core::CountSettings settings;
        settings.corpus = {file};
        settings.documents.kind = core::DocumentSplit::Kind::Line;
        return settings;
    }
    QStringList sentences() { return window.specialisation().messages().sentences(); }
};

std::string content(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

class SpecialisationTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void countsAreThoseOfTheCore();
    void faultB7_whatMaySurpriseIsSaidAfterACount();
    void theMinimumIsLive();
    void anotherRouter();
    void stopping();
    void countsAreSavedAndOpened();
    void wrongCountsLeaveWhatIsShown();
    void exportsWhatIsFiltered();
    void typingGoesOnWhileCounting();
    void closingWhileCounting();
    void theFormAsksForWhatIsNeeded();
};

void SpecialisationTest::initTestCase()
{
    setenv("MKL_CBWR", "AUTO,STRICT", 0);
    qputenv("HEADSCOPE_RESOURCES", HEADSCOPE_RESOURCES);
    QCOMPARE(demoCheckpoints().size(), 2u);
}

void SpecialisationTest::countsAreThoseOfTheCore()
{
    Fixture f;
    QVERIFY(f.view.message().startsWith(QStringLiteral("Nothing has been counted yet")));
    core::CountSettings settings = f.corpus(30);
    f.controller.count(settings);
    QVERIFY(f.controller.counting());
    f.settle();
    QVERIFY2(f.sentences().isEmpty(), qPrintable(f.sentences().join(u'|')));
    QVERIFY(f.view.message().isEmpty());

    const std::filesystem::path checkpoint = demoCheckpoints().front();
    settings.fingerprint = core::fingerprint(core::openCheckpoint(checkpoint));
    const core::Counts counts = core::countCorpus(*core::openModel(checkpoint), settings);
    QCOMPARE(f.view.counts()->basis.fingerprint, settings.fingerprint);
    QCOMPARE(f.view.counts()->streams.front().corpus.positions, counts.streams.front().corpus.positions);
    QVERIFY(f.view.counts()->routers.front().selections == counts.routers.front().selections);

    const core::RouterAddress router = *f.workspace.selection().state().router;
    const auto expected = widgets::routerStatistics(counts, router, f.view.choice());
    const auto& shown = f.view.statistics();
    QCOMPARE(shown->table.router, router.toString());
    QCOMPARE(shown->pairs.pairs.size(), expected.pairs.pairs.size());
    QVERIFY(!expected.pairs.pairs.empty());
    for (std::size_t i = 0; i < expected.pairs.pairs.size(); ++i) {
        QCOMPARE(shown->pairs.pairs[i].count, expected.pairs.pairs[i].count);
        QCOMPARE(shown->pairs.pairs[i].pmi, expected.pairs.pairs[i].pmi);
    }
    QCOMPARE(f.view.pairModel()->rowCount(), static_cast<int>(expected.pairs.pairs.size()));
}

void SpecialisationTest::faultB7_whatMaySurpriseIsSaidAfterACount()
{
    Fixture f;
    core::CountSettings settings = f.corpus(6);
    std::ofstream(f.path("copy.txt")) << content(f.path("corpus.txt")) << " \n";
    settings.corpus.push_back(f.path("copy.txt"));
    settings.corpus.push_back(f.path("corpus.txt"));
    f.controller.count(settings);
    f.settle();
    QCOMPARE(f.sentences().size(), 1);
    const QString said = f.sentences().front();
    QVERIFY2(said.contains(QStringLiteral("6 of the 12 documents are byte for byte equal")), qPrintable(said));
    QVERIFY2(said.contains(QStringLiteral("given more than once")), qPrintable(said));
}

void SpecialisationTest::theMinimumIsLive()
{
    Fixture f;
    f.controller.count(f.corpus(30));
    f.settle();
    const int rows = f.view.pairModel()->rowCount();
    for (const int minimum : {11, 20, 31, 1000}) // typed quickly: the last one holds
        f.view.setMinimum(minimum);
    f.settle();
    QCOMPARE(f.view.pairModel()->rowCount(), 0);
    QCOMPARE(f.view.statistics()->choice.minimum, 1000);
    f.view.setMinimum(10);
    f.settle();
    QCOMPARE(f.view.pairModel()->rowCount(), rows);
}

void SpecialisationTest::anotherRouter()
{
    Fixture f;
    f.controller.count(f.corpus(5));
    f.settle();
    const auto routers = f.workspace.checkpoints().current()->info()->routers;
    f.workspace.selection().setRouter(routers.back().address);
    f.settle();
    QCOMPARE(f.view.statistics()->table.router, f.view.counts()->routers.back().router.address.toString());
}

void SpecialisationTest::stopping()
{
    Fixture f;
    f.controller.count(f.corpus(100000));
    QTRY_VERIFY_WITH_TIMEOUT(f.view.counts(), 120000); // tables while it runs
    QVERIFY(f.controller.counting());
    QTRY_VERIFY_WITH_TIMEOUT(f.view.statistics(), 60000);
    f.controller.stopCounting();
    f.settle();
    QVERIFY2(f.sentences().isEmpty(), qPrintable(f.sentences().join(u'|')));
    QVERIFY(f.view.counts()->streams.front().corpus.documents < 100000);
    f.controller.saveCounts(f.path("unfinished.counts")); // is no whole count
    f.settle();
    QVERIFY(!std::filesystem::exists(f.path("unfinished.counts")));

    // A whole count comes back when the next one is stopped.
    f.controller.count(f.corpus(5));
    f.settle();
    const auto whole = f.view.counts();
    QCOMPARE(whole->streams.front().corpus.documents, 5u);
    f.controller.count(f.corpus(100000));
    QTRY_VERIFY_WITH_TIMEOUT(f.view.counts() != whole, 120000);
    f.controller.stopCounting();
    f.settle();
    QCOMPARE(f.view.counts(), whole);
}

void SpecialisationTest::countsAreSavedAndOpened()
{
    Fixture f;
    f.controller.count(f.corpus(12));
    f.settle();
    f.controller.saveCounts(f.path("small.counts"));
    f.settle();
    QVERIFY(std::filesystem::exists(f.path("small.counts")));
    Fixture other;
    other.controller.openCounts(f.path("small.counts"));
    other.settle();
    QCOMPARE(other.view.counts()->streams.front().corpus.documents, 12u);
    QVERIFY(other.view.message().isEmpty());
    QCOMPARE(other.view.pairModel()->rowCount(), f.view.pairModel()->rowCount());
}

void SpecialisationTest::wrongCountsLeaveWhatIsShown()
{
    Fixture f;
    f.controller.count(f.corpus(12));
    f.settle();
    const auto counts = f.view.counts();
    core::Counts foreign = *counts;
    foreign.basis.fingerprint = std::string(64, 'a');
    foreign.basis.model = "another.pth";
    core::writeCounts(f.path("foreign.counts"), foreign);
    std::ofstream(f.path("broken.counts")) << "no counts";
    for (const char* name : {"foreign.counts", "broken.counts", "missing.counts"}) {
        f.controller.openCounts(f.path(name));
        f.settle();
        QCOMPARE(f.sentences().size(), 1);
        QVERIFY2(f.sentences().first().contains(QLatin1String(name)), qPrintable(f.sentences().first()));
        QCOMPARE(f.view.counts(), counts);
        QVERIFY(f.view.message().isEmpty());
    }
    f.controller.openCounts(f.path("foreign.counts"));
    f.settle();
    QVERIFY(f.sentences().first().contains(QStringLiteral("another checkpoint (another.pth)")));
}

void SpecialisationTest::exportsWhatIsFiltered()
{
    Fixture f;
    f.controller.count(f.corpus(30));
    f.settle();
    f.view.setFilter(QStringLiteral("^␣l"));
    for (const char* name : {"table.csv", "table.tsv", "table.json", "table.md", "table.tex"}) {
        f.controller.exportTable(f.path(name), core::StatisticsTable::Pairs, false);
        f.settle();
        const std::string text = content(f.path(name));
        QVERIFY2(text.find("letter") != std::string::npos, name);
        QVERIFY2(text.find("believe") == std::string::npos, name);
        QVERIFY2(text.find("filter") != std::string::npos, name);
    }
    const std::string csv = content(f.path("table.csv"));
    QCOMPARE(std::ranges::count(csv, '\n'), f.view.pairModel()->rowCount() + 1);
    f.controller.exportTable(f.path("table.xls"), core::StatisticsTable::Pairs, false);
    f.settle();
    QVERIFY(f.sentences().first().contains(QStringLiteral("table.xls")));
    QVERIFY(!std::filesystem::exists(f.path("table.xls")));
}

void SpecialisationTest::typingGoesOnWhileCounting()
{
    Fixture f;
    f.controller.count(f.corpus(100000));
    QTRY_VERIFY_WITH_TIMEOUT(f.view.counts(), 120000);
    f.window.setText("Another text is typed meanwhile");
    QTRY_VERIFY_WITH_TIMEOUT(f.workspace.current() && f.workspace.trace()->text().text == "Another text is typed meanwhile",
                             60000);
    QVERIFY(f.controller.counting());
    f.controller.stopCounting();
    f.settle();
}

void SpecialisationTest::closingWhileCounting()
{
    Fixture f;
    f.controller.count(f.corpus(100000));
    QTRY_VERIFY_WITH_TIMEOUT(f.view.counts(), 120000);
    f.workspace.close(f.workspace.checkpoints().current());
    QTRY_VERIFY_WITH_TIMEOUT(f.controller.idle(), 60000);
    QVERIFY(!f.view.counts());
    QTRY_VERIFY_WITH_TIMEOUT(f.workspace.compute().idle(), 60000);
}

void SpecialisationTest::theFormAsksForWhatIsNeeded()
{
    CorpusForm form(64, {}, CorpusForm::Purpose::Count);
    QPushButton* count = nullptr;
    for (QPushButton* button : form.findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("&Count"))
            count = button;
    QVERIFY(count && !count->isEnabled());
    form.addPaths({QStringLiteral("/a/one.txt"), QStringLiteral("/a/two.txt"), QStringLiteral("/a/one.txt")});
    QVERIFY(count->isEnabled());
    auto* documents = form.findChild<QComboBox*>(QStringLiteral("documents"));
    documents->setCurrentIndex(3);
    QVERIFY(!count->isEnabled()); // which string?
    form.findChild<QLineEdit*>(QStringLiteral("literal"))->setText(QStringLiteral("<STORY_SEP>"));
    QVERIFY(count->isEnabled());
    form.findChild<QSpinBox*>(QStringLiteral("skipFirst"))->setValue(8);
    const core::CountSettings settings = form.settings();
    QCOMPARE(settings.corpus.size(), 2u);
    QCOMPARE(core::toString(settings.documents), std::string("literal:<STORY_SEP>"));
    QCOMPARE(settings.window, 0);
    QCOMPARE(settings.skipFirst, 8);
    QVERIFY(settings.tags.empty());
    const CorpusForm again(64, settings, CorpusForm::Purpose::Count);
    QCOMPARE(core::toString(again.settings().documents), std::string("literal:<STORY_SEP>"));
    QVERIFY(again.settings().corpus == settings.corpus);
}

QTEST_MAIN(SpecialisationTest)
#include "specialisation_test.moc"
