// SPDX-License-Identifier: GPL-3.0-or-later
// Counts that were stopped, or whose program was closed, and that are gone on with.
#include "app/window/unfinished_counts.h"

#include "app/window/corpus_form.h"
#include "app/window/main_window.h"
#include "app/window/program.h"
#include "app/window/resources.h"
#include "core/checkpoint/checkpoint.h"
#include "core/corpus/counts_file.h"

#include <QLabel>
#include <QPushButton>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace headscope;
using namespace headscope::app;

namespace {

namespace fs = std::filesystem;

struct Program {
    Workspace workspace{modelOpener()};
    MainWindow window{workspace, MainWindow::Memory::None, widgets::Theme::Kind::Light};
    SpecialisationController& controller = window.specialisation().controller();
    widgets::SpecialisationView& view = window.specialisation().view();

    explicit Program(const fs::path& folder)
    {
        controller.keepUnfinishedIn(folder);
        window.show();
        window.openDemo();
        window.views().pages()->setCurrentWidget(&window.specialisation());
        settle();
    }
    void settle() const { QTRY_VERIFY_WITH_TIMEOUT(workspace.idle() && workspace.current() && controller.idle(), 120000); }
    /// The model runs, the corpus has been read.
    bool isRunningWindows() const
    {
        return std::ranges::any_of(view.findChildren<QLabel*>(), [](const QLabel* label) {
            return label->text().startsWith(QStringLiteral("counting,"));
        });
    }
};

std::string bytesOf(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

class UnfinishedCountsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void goesOnToTheSameCounts();
    void whatClosedWithTheProgramIsThereAgain();
    void anotherCountTakesItsPlace();
    void withoutAFolderNothingIsKept();
    void settingsComeBackAsTheyWere();
    void onlyFewAreKept();

private:
    fs::path path(const char* name) const { return fs::path(m_folder->path().toStdString()) / name; }
    core::CountSettings corpus(const char* name, int lines) const
    {
        std::ofstream out(path(name));
        for (int line = 0; line < lines; ++line)
            out << "She could not believe the letter that the old man of the house had written to " << (line % 7)
                << " of them in " << line << ".\n";
        core::CountSettings settings;
        settings.corpus = {path(name)};
        settings.documents.kind = core::DocumentSplit::Kind::Line;
        settings.threads = 1; // so that there is time to stop it
        return settings;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void UnfinishedCountsTest::initTestCase()
{
    setenv("MKL_CBWR", "AUTO,STRICT", 0);
    qputenv("HEADSCOPE_RESOURCES", HEADSCOPE_RESOURCES);
    QCOMPARE(demoCheckpoints().size(), 2u);
}

void UnfinishedCountsTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
}

void UnfinishedCountsTest::goesOnToTheSameCounts()
{
    const core::CountSettings settings = corpus("corpus.txt", 2500);
    Program program(path("kept"));
    QVERIFY(!program.controller.unfinished());
    program.controller.count(settings);
    QTRY_VERIFY_WITH_TIMEOUT(program.isRunningWindows(), 120000);
    program.controller.stopCounting();
    program.settle();
    const auto unfinished = program.controller.unfinished();
    QVERIFY(unfinished.has_value());
    QVERIFY(unfinished->fraction < 1 && unfinished->settings.resume && unfinished->settings.corpus == settings.corpus);

    Q_EMIT program.view.countAsked();
    auto* form = program.window.findChild<CorpusForm*>();
    QVERIFY(form != nullptr);
    auto* goOn = form->findChild<QPushButton*>(QStringLiteral("goOn"));
    QVERIFY(goOn != nullptr && goOn->isVisible());
    goOn->click();
    QVERIFY(program.controller.counting());
    program.settle();
    QVERIFY2(program.window.specialisation().messages().sentences().isEmpty(),
             qPrintable(program.window.specialisation().messages().sentences().join(u'|')));
    QVERIFY(!program.controller.unfinished());
    QVERIFY(fs::is_empty(path("kept")));
    program.controller.saveCounts(path("resumed.counts"));
    program.settle();

    core::CountSettings whole = settings;
    whole.fingerprint = core::fingerprint(core::openCheckpoint(demoCheckpoints().front()));
    core::writeCounts(path("whole.counts"), core::countCorpus(*core::openModel(demoCheckpoints().front()), whole));
    QCOMPARE(bytesOf(path("resumed.counts")).size(), bytesOf(path("whole.counts")).size());
    QVERIFY(bytesOf(path("resumed.counts")) == bytesOf(path("whole.counts")));
}

void UnfinishedCountsTest::whatClosedWithTheProgramIsThereAgain()
{
    {
        Program program(path("kept"));
        program.controller.count(corpus("corpus.txt", 2500));
        QTRY_VERIFY_WITH_TIMEOUT(program.isRunningWindows(), 120000);
    }
    Program again(path("kept"));
    const auto unfinished = again.controller.unfinished();
    QVERIFY(unfinished.has_value());
    again.controller.count(unfinished->settings);
    again.settle();
    QVERIFY(again.view.counts() != nullptr);
    QCOMPARE(again.view.counts()->streams.front().corpus.documents, 2500u);
    QVERIFY(!again.controller.unfinished());
    QVERIFY(again.controller.corpus().has_value()); // for contexts
}

void UnfinishedCountsTest::anotherCountTakesItsPlace()
{
    Program program(path("kept"));
    program.controller.count(corpus("corpus.txt", 2500));
    QTRY_VERIFY_WITH_TIMEOUT(program.isRunningWindows(), 120000);
    program.controller.stopCounting();
    program.settle();
    const auto unfinished = program.controller.unfinished();
    QVERIFY(unfinished.has_value());
    // Texts that have changed since are refused in a sentence, and nothing is lost by it.
    corpus("corpus.txt", 30);
    program.controller.count(unfinished->settings);
    program.settle();
    QCOMPARE(program.window.specialisation().messages().sentences().size(), 1);
    QVERIFY(program.controller.unfinished().has_value());

    program.controller.count(corpus("other.txt", 5));
    program.settle();
    QVERIFY(!program.controller.unfinished());
    Q_EMIT program.view.countAsked();
    QVERIFY(!program.window.findChild<CorpusForm*>()->findChild<QPushButton*>(QStringLiteral("goOn"))->isVisible());
}

void UnfinishedCountsTest::withoutAFolderNothingIsKept()
{
    UnfinishedCounts none;
    const core::CountSettings settings = none.begin("/a/model.pth", corpus("corpus.txt", 1));
    QVERIFY(settings.partial.empty());
    none.note("/a/model.pth", settings, 0.5);
    none.forget("/a/model.pth");
    QVERIFY(!none.find("/a/model.pth"));
}

void UnfinishedCountsTest::settingsComeBackAsTheyWere()
{
    UnfinishedCounts kept(path("kept"));
    core::CountSettings settings;
    settings.corpus = {"/a/b %c.txt", "/not\xff/utf8"};
    settings.documents = {core::DocumentSplit::Kind::Literal, "\xfe<SEP>"};
    settings.tags = "/a/tags.tsv";
    settings.window = 77;
    settings.skipFirst = 3;
    settings.words = true;
    settings.groups = 9;
    settings.frequentTokens = 12;
    const core::CountSettings begun = kept.begin("/a/model.pth", settings);
    QVERIFY(!kept.find("/a/model.pth")); // there is no state yet
    std::ofstream(begun.partial) << "state";
    kept.note("/a/model.pth", begun, 0.25);
    const auto found = kept.find("/a/../a/model.pth");
    QVERIFY(found.has_value());
    QCOMPARE(found->fraction, 0.25);
    QVERIFY(found->settings.corpus == settings.corpus);
    QVERIFY(found->settings.documents == settings.documents);
    QVERIFY(found->settings.tags == settings.tags);
    QCOMPARE(found->settings.window, 77);
    QCOMPARE(found->settings.skipFirst, 3);
    QVERIFY(found->settings.words);
    QCOMPARE(found->settings.groups, 9);
    QCOMPARE(found->settings.frequentTokens, 12u);
    QVERIFY(found->settings.partial == begun.partial && found->settings.resume);
    QVERIFY(!kept.find("/b/model.pth"));
    for (const auto& entry : fs::directory_iterator(path("kept"))) // damaged by whatever
        if (entry.path().extension() == ".json")
            std::ofstream(entry.path()) << "{\"corpus\": [3], \"documents\": {}";
    QVERIFY(!kept.find("/a/model.pth"));
    kept.forget("/a/model.pth");
    QVERIFY(fs::is_empty(path("kept")));
}

void UnfinishedCountsTest::onlyFewAreKept()
{
    UnfinishedCounts kept(path("kept"));
    for (int i = 0; i < 9; ++i)
        std::ofstream(kept.begin("/a/model" + std::to_string(i), corpus("corpus.txt", 1)).partial) << "state";
    const auto files = std::distance(fs::directory_iterator(path("kept")), fs::directory_iterator());
    QVERIFY2(files <= 2 * UnfinishedCounts::mostKept, qPrintable(QString::number(files)));
    QVERIFY(kept.find("/a/model8").has_value());
}

QTEST_MAIN(UnfinishedCountsTest)
#include "unfinished_counts_test.moc"
