// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/report_pdf.h"
#include "core/checkpoint/files_in_use.h"
#include "core/error.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>

#include <csignal>
#include <fstream>

using namespace headscope;

namespace {

core::Report report(int units)
{
    core::Report result;
    result.emplace_back(core::ReportHeading{1, "Two models <A & B>"});
    result.emplace_back(std::string("A paragraph."));
    result.emplace_back(core::ReportTable{{"a", "b"}, {{"1", "2"}}});
    core::ReportStrips strips;
    for (int i = 0; i < units; ++i)
        strips.push_back({.text = "\u2423word", .a = "1 2", .b = "2 [3]", .colourOfA = i % 5, .colourOfB = -1, .agreement = 0.5});
    result.emplace_back(strips);
    return result;
}

std::filesystem::path pathIn(const QTemporaryDir& folder, const char* name)
{
    return folder.filePath(QString::fromLatin1(name)).toStdString();
}

QByteArray contents(const std::filesystem::path& path)
{
    QFile file(QString::fromStdString(path.string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

qsizetype pages(const QByteArray& pdf)
{
    return pdf.count("/Type /Page\n");
}

} // namespace

class ReportPdfTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void writesPages()
    {
        const QTemporaryDir folder;
        const auto path = pathIn(folder, "report.pdf");
        app::writeReportPdf(path, report(10));
        const QByteArray one = contents(path);
        QVERIFY(one.startsWith("%PDF-"));
        QCOMPARE(pages(one), 1);
        app::writeReportPdfWithoutWindow(path, report(3000)); // over the former, with the program that runs
        QVERIFY(pages(contents(path)) > 5);
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files).size(), 1);
    }

    void whatCannotBeWrittenIsASentence()
    {
        const QTemporaryDir folder;
        const auto path = pathIn(folder, "nowhere") / "report.pdf";
        try {
            app::writeReportPdf(path, report(1));
            QFAIL("no error");
        } catch (const core::Error& error) {
            QVERIFY(std::string(error.what()).find("report.pdf") != std::string::npos);
        }
        QVERIFY(!std::filesystem::exists(path));
    }

    void faultA5_aFullDiskLeavesTheOldReport()
    {
        const QTemporaryDir folder;
        const auto path = pathIn(folder, "report.pdf");
        app::writeReportPdf(path, report(1));
        const QByteArray before = contents(path);
        std::signal(SIGXFSZ, SIG_IGN);
        rlimit all{};
        getrlimit(RLIMIT_FSIZE, &all);
        const rlimit less{1000, all.rlim_max};
        setrlimit(RLIMIT_FSIZE, &less);
        QString sentence;
        try {
            app::writeReportPdf(path, report(500));
        } catch (const core::Error& error) {
            sentence = QString::fromUtf8(error.what());
        }
        setrlimit(RLIMIT_FSIZE, &all);
        QVERIFY2(sentence.contains(QLatin1String("report.pdf")), qPrintable(sentence));
        QCOMPARE(contents(path), before);
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).size(), 1);
    }

    void faultA5_aDeviceIsWrittenThrough()
    {
        const QTemporaryDir folder;
        const auto link = pathIn(folder, "report.pdf");
        std::filesystem::create_symlink("/dev/null", link);
        app::writeReportPdf(link, report(1));
        QVERIFY(std::filesystem::is_symlink(link));
        QVERIFY(std::filesystem::is_character_file("/dev/null"));
    }

    void faultA1_noInputIsWrittenOver()
    {
        const QTemporaryDir folder;
        const auto path = pathIn(folder, "fit.pdf");
        std::ofstream(path) << "a text";
        core::FilesInUse inUse(core::FilesInUse::Readers::None);
        inUse.add(path);
        QVERIFY_EXCEPTION_THROWN(app::writeReportPdf(path, report(1)), core::Error);
        QCOMPARE(contents(path), QByteArray("a text"));
    }
};

QTEST_MAIN(ReportPdfTest)
#include "report_pdf_test.moc"
