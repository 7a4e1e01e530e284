// SPDX-License-Identifier: GPL-3.0-or-later
// What the window writes: never over what is open in it, and whole or not at all.
#include "app/window/main_window.h"
#include "app/window/program.h"
#include "app/window/unfinished_counts.h"
#include "app/window/window_settings.h"
#include "core/corpus/partial_file.h"

#include <QDir>
#include <QSettings>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>

using namespace headscope;
using namespace headscope::app;

namespace {

namespace fs = std::filesystem;

std::string bytesOf(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// This process may write no file beyond so many bytes.
class FileLimit
{
public:
    explicit FileLimit(rlim_t bytes)
    {
        std::signal(SIGXFSZ, SIG_IGN); // as prepareProcess
        getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit less{bytes, m_before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &less);
    }
    ~FileLimit() { setrlimit(RLIMIT_FSIZE, &m_before); }
    FileLimit(const FileLimit&) = delete;
    FileLimit& operator=(const FileLimit&) = delete;

private:
    rlimit m_before{};
};

} // namespace

class OutputsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void faultA1_nothingIsWrittenOverWhatIsOpen();
    void faultA1_whatIsClosedMayBeReplaced();
    void faultA2_anotherProgramsCountStays();
    void faultA5_aFullDiskLeavesTheOldFile();
    void faultA5_settingsStayWhole();

private:
    fs::path path(const std::string& name) const { return fs::path(m_folder->path().toStdString()) / name; }
    std::unique_ptr<QTemporaryDir> m_folder;
};

void OutputsTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    const fs::path from = fs::path(HEADSCOPE_TEST_DATA) / "fixtures/switchhead_xl";
    fs::create_directories(path("run"));
    for (const char* name : {"model-100000.pth", "args.json", "tokenizer.model"})
        fs::copy_file(from / name, path("run") / name);
    fs::create_directory(path("corpus"));
    for (const char* name : {"corpus/a.txt", "single.txt"})
        std::ofstream(path(name)) << "The mill is old, and it is far.\nIs it far?\n";
}

namespace {

struct Program {
    Workspace workspace{modelOpener()};
    MainWindow window{workspace, MainWindow::Memory::None, widgets::Theme::Kind::Light};
    SpecialisationController& controller = window.specialisation().controller();
    QSignalSpy failed{&controller, &SpecialisationController::failed};
    QSignalSpy written{&controller, &SpecialisationController::written};

    explicit Program(const fs::path& model)
    {
        window.show();
        window.setText("The mill is old.");
        window.open(QString::fromStdString(model.string()));
        window.views().pages()->setCurrentWidget(&window.specialisation());
        settle();
    }
    void settle() const { QTRY_VERIFY_WITH_TIMEOUT(workspace.idle() && workspace.current() && controller.idle(), 60000); }
    void count(const std::vector<fs::path>& corpus)
    {
        core::CountSettings settings;
        settings.corpus = corpus;
        controller.count(settings);
        settle();
        QVERIFY2(failed.isEmpty(), failed.isEmpty() ? "" : qPrintable(failed.first().first().toString()));
    }
    void exportTable(const fs::path& to)
    {
        controller.exportTable(to, core::StatisticsTable::Pairs, true);
        settle();
    }
};

} // namespace

void OutputsTest::faultA1_nothingIsWrittenOverWhatIsOpen()
{
    Program program(path("run/model-100000.pth"));
    program.count({path("corpus"), path("single.txt")});
    int refused = 0;
    for (const char* input :
         {"run/model-100000.pth", "run/args.json", "run/tokenizer.model", "single.txt", "corpus/a.txt"}) {
        const std::string before = bytesOf(path(input));
        fs::remove(path("soft.csv"));
        fs::remove(path("hard.csv"));
        fs::create_symlink(path(input), path("soft.csv"));
        fs::create_hard_link(path(input), path("hard.csv"));
        program.controller.saveCounts(path(input));
        program.settle();
        QCOMPARE(program.failed.size(), ++refused);
        QVERIFY2(
            program.failed.last().first().toString().contains(QString::fromStdString(fs::path(input).filename().string())),
            qPrintable(program.failed.last().first().toString()));
        for (const char* link : {"soft.csv", "hard.csv"}) {
            program.exportTable(path(link));
            QCOMPARE(program.failed.size(), ++refused);
        }
        QCOMPARE(bytesOf(path(input)), before);
    }
    program.exportTable(path("corpus/table.csv"));
    QCOMPARE(program.failed.size(), ++refused);
    QVERIFY(!fs::exists(path("corpus/table.csv")));
    QVERIFY(program.written.isEmpty());
    program.exportTable(path("run/table.csv")); // new names in the folder of a run are fine, and may be written again
    program.exportTable(path("run/table.csv"));
    QCOMPARE(program.written.size(), 2);
    QCOMPARE(program.failed.size(), refused);
}

void OutputsTest::faultA1_whatIsClosedMayBeReplaced()
{
    {
        Program program(path("run/model-100000.pth"));
    }
    fs::copy(path("run"), path("other"));
    Program program(path("other/model-100000.pth"));
    program.count({path("single.txt")});
    program.controller.saveCounts(path("run/model-100000.pth")); // nothing here reads it now
    program.settle();
    QVERIFY(program.failed.isEmpty());
    QCOMPARE(program.written.size(), 1);
}

void OutputsTest::faultA2_anotherProgramsCountStays()
{
    UnfinishedCounts mine(path("kept"));
    core::CountSettings settings;
    settings.corpus = {path("single.txt")};
    const core::CountSettings first = mine.begin(path("run"), settings);
    QVERIFY(!first.partial.empty());
    {
        const core::PartialFile other(first.partial, core::PartialFile::Start::Anew);
        UnfinishedCounts again(path("kept"));
        QVERIFY(again.begin(path("run"), settings).partial.empty()); // counts, and keeps nothing
        again.forget(path("run"));
        QVERIFY(fs::exists(first.partial));
    }
    QVERIFY(!fs::exists(first.partial));
    QVERIFY(!mine.begin(path("run"), settings).partial.empty());
    std::ofstream{first.partial}; // claimed by a program that was killed
    QVERIFY(!mine.find(path("run")));
}

void OutputsTest::faultA5_aFullDiskLeavesTheOldFile()
{
    Program program(path("run/model-100000.pth"));
    program.count({path("single.txt")});
    int refused = 0;
    for (const char* name : {"t.csv", "t.json", "t.md", "t.tex", "n.counts"}) {
        std::ofstream(path(name)) << "old";
        const auto files = QDir(m_folder->path()).entryList(QDir::Files | QDir::Hidden);
        {
            const FileLimit limit(60);
            if (std::string(name) == "n.counts")
                program.controller.saveCounts(path(name));
            else
                program.controller.exportTable(path(name), core::StatisticsTable::Pairs, true);
            program.settle();
        }
        QCOMPARE(program.failed.size(), ++refused);
        QVERIFY(program.failed.last().first().toString().contains(QString::fromLatin1(name)));
        QCOMPARE(bytesOf(path(name)), std::string("old"));
        QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files | QDir::Hidden), files);
    }
    // What is kept of an unfinished count, too.
    UnfinishedCounts kept(path("kept"));
    core::CountSettings settings;
    settings.corpus = {path("single.txt")};
    kept.begin(path("run"), settings);
    const auto files = QDir(QString::fromStdString(path("kept").string())).entryList(QDir::Files | QDir::Hidden);
    QCOMPARE(files.size(), 1);
    const std::string before = bytesOf(path("kept") / files.first().toStdString());
    {
        const FileLimit limit(10);
        kept.note(path("run"), settings, 0.5);
    }
    QCOMPARE(QDir(QString::fromStdString(path("kept").string())).entryList(QDir::Files | QDir::Hidden), files);
    QCOMPARE(bytesOf(path("kept") / files.first().toStdString()), before);
}

/// They are QSettings', which writes as AtomicFile does.
void OutputsTest::faultA5_settingsStayWhole()
{
    QCoreApplication::setOrganizationName(QStringLiteral("HeadscopeTest"));
    QCoreApplication::setApplicationName(QStringLiteral("outputs"));
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_folder->path());
    WindowSettings settings;
    settings.recent = {QStringLiteral("/a/model.pth")};
    settings.save();
    const QDir folder(m_folder->path() + QStringLiteral("/HeadscopeTest"));
    const auto files = folder.entryList(QDir::Files | QDir::Hidden);
    QCOMPARE(files.size(), 1);
    const std::string before = bytesOf(path("HeadscopeTest") / files.first().toStdString());
    QVERIFY(before.find("/a/model.pth") != std::string::npos);
    settings.recent = {QStringLiteral("/b/model.pth")};
    {
        const FileLimit limit(20);
        settings.save();
    }
    QCOMPARE(bytesOf(path("HeadscopeTest") / files.first().toStdString()), before);
    QCOMPARE(folder.entryList(QDir::Files | QDir::Hidden), files);
}

QTEST_MAIN(OutputsTest)
#include "outputs_test.moc"
