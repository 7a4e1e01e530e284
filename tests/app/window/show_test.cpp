// SPDX-License-Identifier: GPL-3.0-or-later
// `headscope show`, and which lines of `headscope` are for the window: in processes of their own.
#include <QDir>
#include <QFile>
#include <QImageReader>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>

class ShowTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void faultA1_noInputIsDrawnOver();
    void faultA5_aFullDiskLeavesTheOldPicture();
    void faultA6_aPictureIsWhatItsNameSays();
    void faultD4_wordsThatAreNoFiles();

private:
    QString path(const char* name) const { return m_folder->filePath(QString::fromLatin1(name)); }
    QString model() const { return path("run/model-100000.pth"); }
    struct Outcome {
        int code = -1;
        QString err;
    };
    Outcome run(const QStringList& words, rlim_t fileBytes = 0) const;
    static QByteArray bytesOf(const QString& path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void ShowTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QDir(m_folder->path()).mkdir(QStringLiteral("run"));
    for (const char* name : {"model-100000.pth", "args.json", "tokenizer.model"})
        QVERIFY(QFile::copy(QStringLiteral(HEADSCOPE_TEST_DATA "/fixtures/switchhead_xl/") + QLatin1String(name),
                            path("run/") + QLatin1String(name)));
}

ShowTest::Outcome ShowTest::run(const QStringList& words, rlim_t fileBytes) const
{
    QProcess program;
    program.setWorkingDirectory(m_folder->path());
    if (fileBytes > 0)
        program.setChildProcessModifier([fileBytes] {
            const rlimit limit{fileBytes, fileBytes};
            setrlimit(RLIMIT_FSIZE, &limit);
        });
    program.start(QStringLiteral(HEADSCOPE_PROGRAM), words);
    if (!program.waitForFinished(120000))
        return {-1, QStringLiteral("it did not end")};
    return {program.exitStatus() == QProcess::NormalExit ? program.exitCode() : 128,
            QString::fromUtf8(program.readAllStandardError())};
}

void ShowTest::faultA6_aPictureIsWhatItsNameSays()
{
    for (const char* name : {"a.svg", "a.pdf", "a.gif", "a.webp", "a", "png", "a.png.bmp"}) {
        const Outcome outcome = run({QStringLiteral("show"), model(), QStringLiteral("--text"), QStringLiteral("far"),
                                     QStringLiteral("--out"), path(name)});
        QCOMPARE(outcome.code, 2);
        QVERIFY2(outcome.err.contains(QLatin1String(".png")), qPrintable(outcome.err));
        QVERIFY(!QFile::exists(path(name)));
    }
    const std::vector<std::pair<const char*, const char*>> pictures{
        {"a.png", "png"}, {"b.PNG", "png"}, {"c.jpg", "jpeg"}, {"d.jpeg", "jpeg"}};
    for (const auto& [name, format] : pictures) {
        const Outcome outcome =
            run({QStringLiteral("show"), model(), QStringLiteral("--text"), QStringLiteral("far"), QStringLiteral("--size"),
                 QStringLiteral("400x300"), QStringLiteral("--out"), path(name)});
        QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
        QCOMPARE(QImageReader::imageFormat(path(name)), QByteArray(format));
        QCOMPARE(QImageReader(path(name)).size().width() >= 400, true);
    }
}

void ShowTest::faultA1_noInputIsDrawnOver()
{
    for (const char* input : {"run/model-100000.pth", "run/args.json", "run/tokenizer.model"}) {
        const QByteArray before = bytesOf(path(input));
        QFile::remove(path("link.png"));
        QVERIFY(QFile::link(path(input), path("link.png")));
        const Outcome outcome = run({QStringLiteral("show"), path("run"), QStringLiteral("--text"), QStringLiteral("far"),
                                     QStringLiteral("--out"), path("link.png")});
        QCOMPARE(outcome.code, 1);
        QVERIFY2(outcome.err.contains(QLatin1String("link.png")), qPrintable(outcome.err));
        QCOMPARE(bytesOf(path(input)), before);
    }
}

void ShowTest::faultA5_aFullDiskLeavesTheOldPicture()
{
    QFile old(path("a.png"));
    QVERIFY(old.open(QIODevice::WriteOnly));
    old.write("old");
    old.close();
    const auto files = QDir(m_folder->path()).entryList(QDir::Files | QDir::Hidden);
    const Outcome outcome = run({QStringLiteral("show"), model(), QStringLiteral("--text"), QStringLiteral("far"),
                                 QStringLiteral("--out"), path("a.png")},
                                2000);
    QCOMPARE(outcome.code, 1);
    QVERIFY2(outcome.err.contains(QLatin1String("a.png")), qPrintable(outcome.err));
    QCOMPARE(bytesOf(path("a.png")), QByteArray("old"));
    QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files | QDir::Hidden), files);
}

void ShowTest::faultD4_wordsThatAreNoFiles()
{
    const std::vector<QStringList> lines{
        {QStringLiteral("trase")}, {QStringLiteral("absent.pth")}, {model(), QStringLiteral("absent.pth")}};
    for (const QStringList& line : lines) {
        const Outcome outcome = run(line);
        QCOMPARE(outcome.code, 2);
        QVERIFY2(outcome.err.contains(line.last()), qPrintable(outcome.err));
        QCOMPARE(outcome.err.count(u'\n'), 1);
    }
    QCOMPARE(run({QStringLiteral("help")}).code, 0);
    QCOMPARE(run({QStringLiteral("version")}).code, 0);
    // The corpus is for the contexts: alone it would be read by nobody, whatever it is.
    const Outcome corpus = run({QStringLiteral("show"), model(), QStringLiteral("--corpus"), QStringLiteral("none")});
    QCOMPARE(corpus.code, 2);
    QVERIFY2(corpus.err.contains(QLatin1String("--contexts")), qPrintable(corpus.err));
}

QTEST_GUILESS_MAIN(ShowTest)
#include "show_test.moc"
