// SPDX-License-Identifier: GPL-3.0-or-later
// From nothing to routing on screen, with the real demonstration checkpoints.
#include "app/window/main_window.h"
#include "app/window/program.h"
#include "app/window/resources.h"
#include "widgets/token_table.h"

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>

#include <filesystem>
#include <fstream>

using namespace headscope;
using namespace headscope::app;

namespace {

struct Fixture {
    Workspace workspace{modelOpener()};
    MainWindow window{workspace, MainWindow::Memory::None, widgets::Theme::Kind::Light};

    Fixture()
    {
        window.resize(1280, 860);
        window.show();
    }
    void settle() const { QTRY_VERIFY_WITH_TIMEOUT(workspace.idle() && (workspace.current() || !workspace.trace()), 60000); }
};

bool hasColours(const QImage& picture)
{
    QSet<QRgb> colours;
    for (int y = 0; y < picture.height(); y += 3)
        for (int x = 0; x < picture.width(); x += 3)
            colours.insert(picture.pixel(x, y));
    return colours.size() > 60;
}

} // namespace

class DemoTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void opensTypesAndSelects();
    void attentionRowsSumToOne();
    void moaToo();
    void aDroppedFolderOpens();
    void failuresLeaveWhatWasOpen_data();
    void failuresLeaveWhatWasOpen();
    void cancelAnOpening();
    void aFileThatIsReplacedWhileItIsOpen();
    void hostileTexts_data();
    void hostileTexts();
    void memoryReturns();
};

void DemoTest::initTestCase()
{
    qputenv("HEADSCOPE_RESOURCES", HEADSCOPE_RESOURCES);
    QCOMPARE(demoCheckpoints().size(), 2u);
}

void DemoTest::opensTypesAndSelects()
{
    Fixture f;
    f.window.setText(sampleTexts().front().text);
    f.window.openDemo();
    f.settle();
    CentralPane& views = f.window.views();
    QVERIFY(views.messages()->sentences().isEmpty());
    QVERIFY(views.textMessages()->sentences().isEmpty());
    QCOMPARE(f.workspace.trace()->text().text, sampleTexts().front().text);
    QCOMPARE(f.workspace.trace()->model->family, std::string("moe_attention"));
    QVERIFY(hasColours(f.window.grab().toImage()));

    // The text is replaced by typing.
    QPlainTextEdit* edit = views.editor()->edit();
    QTest::keyClick(edit, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(edit, QStringLiteral("She could not believe the letter."));
    f.settle();
    const core::TokenizedText& text = f.workspace.trace()->text();
    QCOMPARE(text.text, std::string("She could not believe the letter."));
    QVERIFY(text.tokens.size() >= 6);

    // A token is selected in the strip; every other view has the same one.
    const int token = 4;
    const core::ByteRange bytes = text.tokens[token].span;
    widgets::TokenStrip* strip = views.strip();
    QTest::mouseClick(strip->viewport(), Qt::LeftButton, Qt::NoModifier,
                      strip->itemRect(strip->items().ofToken[token]).center());
    QVERIFY(f.workspace.selection().state().bytes == bytes);
    QVERIFY(views.editor()->tinted() == bytes);
    QCOMPARE(views.routing()->expertsTable()->selectedRows().first, std::size_t(token));
    views.pages()->setCurrentIndex(1);
    f.settle();
    QCOMPARE(views.attention()->mapWidget()->highlights().selectedRows.begin, std::int64_t(token));

    // A router is chosen in the map; the strip shows its choices.
    widgets::RouterMap& map = f.window.routerMap();
    QCOMPARE(map.grid().rows.size(), 4u); // layers
    QCOMPARE(map.grid().columns, 4);      // V and O of two heads
    const std::size_t cell = map.grid().cells.size() - 1;
    QTest::mouseClick(map.viewport(), Qt::LeftButton, Qt::NoModifier, map.cellRect(cell).center());
    const core::RouterAddress router = map.grid().cells[cell].address;
    QVERIFY(f.workspace.selection().state().router == router);
    const core::SiteRouting* site = f.workspace.trace()->site(router);
    QCOMPARE(strip->shades().tokens.at(token).expert,
             static_cast<std::int16_t>(site->experts[site->slot(token, *router.head, 0)]));
    QVERIFY(views.attention()->shownMap()->address == router.mapAddress());
    QCOMPARE(views.routing()->expertsModel()->rowCount(), static_cast<int>(text.tokens.size()));
}

void DemoTest::attentionRowsSumToOne()
{
    Fixture f;
    f.window.setText("In the beginning was the word");
    f.window.openDemo();
    f.settle();
    f.window.views().pages()->setCurrentIndex(1);
    f.settle();
    const auto trace = f.workspace.trace();
    const core::MapRef map = *f.window.views().attention()->shownMap();
    const core::TileArea area{0, 0, trace->tokens(), trace->tokens(), 1};
    QTRY_VERIFY(f.workspace.tiles().tile(map, area));
    const auto tile = f.workspace.tiles().tile(map, area);
    for (std::int64_t row = 0; row < area.rows; ++row) {
        double sum = 0;
        for (std::int64_t column = 0; column < area.columns; ++column)
            sum += tile->values[static_cast<std::size_t>(row * area.columns + column)];
        QVERIFY2(std::abs(sum - 1) < 1e-4, qPrintable(QString::number(sum)));
    }
}

/// The folder of a run: the checkpoint and its arguments; the tokenizer is found as beside the file.
void DemoTest::aDroppedFolderOpens()
{
    const QTemporaryDir folder;
    const std::filesystem::path copied = std::filesystem::path(folder.path().toStdString()) / "demo";
    const std::filesystem::path original = demoCheckpoints().front().parent_path();
    std::filesystem::copy(original.parent_path(), copied, std::filesystem::copy_options::recursive);
    const std::filesystem::path run = copied / original.filename();
    Fixture f;
    f.window.setText("some words");
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QString::fromStdString(run.string()))});
    QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&f.window, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent dropped(QPointF(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&f.window, &dropped);
    QTRY_VERIFY_WITH_TIMEOUT(f.workspace.current(), 60000);
    QVERIFY2(f.window.views().messages()->sentences().isEmpty(), qPrintable(f.window.views().messages()->sentences().join(u'|')));
    QVERIFY(f.workspace.checkpoints().current()->hasTokenizer());
    QCOMPARE(f.workspace.trace()->text().text, std::string("some words"));
}

void DemoTest::moaToo()
{
    Fixture f;
    f.window.setText("In the beginning was the word");
    f.window.open(QString::fromStdString(demoCheckpoints().at(1).string()));
    f.settle();
    QVERIFY(f.workspace.selection().state().router->site == core::Site::QO);
    f.window.openDemo();
    f.settle();
    QTRY_COMPARE(f.workspace.checkpoints().rowCount(), 2);
    QTRY_VERIFY(f.workspace.selection().state().router->site != core::Site::QO);
    f.settle();
    f.workspace.checkpoints().setCurrent(f.workspace.checkpoints().session(0));
    f.settle();
    QVERIFY(f.workspace.selection().state().router->site == core::Site::QO);
}

void DemoTest::failuresLeaveWhatWasOpen_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("a web page") << QByteArray("<!DOCTYPE html><html><body>404</body></html>");
    QTest::newRow("a pointer") << QByteArray("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n");
    QFile demo(
        QString::fromStdString((std::filesystem::path(HEADSCOPE_RESOURCES) / "demo/switchhead/model-1400.pth").string()));
    QVERIFY(demo.open(QIODevice::ReadOnly));
    QTest::newRow("half a download") << demo.read(demo.size() / 2);
}

void DemoTest::failuresLeaveWhatWasOpen()
{
    QFETCH(QByteArray, content);
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("model.pth"));
    std::ofstream(path.toStdString(), std::ios::binary).write(content.data(), content.size());
    Fixture f;
    f.window.setText("some words");
    f.window.openDemo();
    f.settle();
    f.workspace.selection().setBytes(core::ByteRange{0, 4});
    const auto trace = f.workspace.trace();
    const auto state = f.workspace.selection().state();
    f.window.open(path);
    QTRY_COMPARE(f.window.views().messages()->sentences().size(), 1);
    const QString sentence = f.window.views().messages()->sentences().first();
    QVERIFY2(sentence.contains(QStringLiteral("model.pth")), qPrintable(sentence));
    QCOMPARE(f.workspace.trace(), trace);
    QVERIFY(f.workspace.selection().state() == state);
    QCOMPARE(f.workspace.checkpoints().rowCount(), 1);
    f.window.setText("other words");
    f.settle();
    QCOMPARE(f.workspace.trace()->text().text, std::string("other words"));
}

void DemoTest::cancelAnOpening()
{
    Fixture f;
    f.window.openDemo();
    f.workspace.cancelOpening();
    QTRY_VERIFY(f.workspace.compute().idle());
    QCOMPARE(f.workspace.checkpoints().rowCount(), 0);
    QVERIFY(f.window.views().messages()->sentences().isEmpty());
    f.window.openDemo();
    f.settle();
    QVERIFY(f.workspace.trace());
}

void DemoTest::aFileThatIsReplacedWhileItIsOpen()
{
    namespace fs = std::filesystem;
    const QTemporaryDir folder;
    const fs::path target = folder.filePath(QStringLiteral("run")).toStdString();
    fs::create_directories(target);
    fs::copy(fs::path(HEADSCOPE_RESOURCES) / "demo/switchhead", target);
    fs::copy(fs::path(HEADSCOPE_RESOURCES) / "demo/tokenizer.model", target / "tokenizer.model");
    Fixture f;
    f.window.setText("some words");
    f.window.open(QString::fromStdString((target / "model-1400.pth").string()));
    f.settle();
    QVERIFY(f.workspace.trace());
    fs::resize_file(target / "model-1400.pth", 1000);
    f.window.setText("other words");
    f.settle();
    QTRY_COMPARE(f.window.views().messages()->sentences().size(), 1);
    QVERIFY(f.window.views().messages()->sentences().first().contains(QStringLiteral("has changed on disk")));
    QCOMPARE(f.workspace.trace()->text().text, std::string("other words"));
}

void DemoTest::hostileTexts_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("nothing") << QByteArray();
    QTest::newRow("a space") << QByteArray(" ");
    QTest::newRow("line ends") << QByteArray("\n\n");
    QTest::newRow("tab and NUL and ESC") << QByteArray("\t\0\x1b", 3);
    QTest::newRow("U+2028") << QByteArray("a\xe2\x80\xa8 b");
    QTest::newRow("U+202E and BOM") << QByteArray("\xef\xbb\xbf \xe2\x80\xae abc");
    QTest::newRow("script") << QByteArray("a<b<c <script>alert(1)</script> </s> <0x41>");
    QTest::newRow("CR-LF") << QByteArray("a\r\nb\r\n");
    QTest::newRow("invalid UTF-8") << QByteArray("\xff\xfe\xc3");
    QTest::newRow("emoji") << QByteArray("\xf0\x9f\x92\xa9\xf0\x9f\x92\xa9 \xec\x9e\xa0 \xea\xb9\xb0");
}

void DemoTest::hostileTexts()
{
    QFETCH(QByteArray, bytes);
    Fixture f;
    f.window.openDemo();
    f.window.setText(bytes.toStdString());
    f.settle();
    QCOMPARE(f.workspace.trace()->text().text, bytes.toStdString());
    QCOMPARE(f.window.views().editor()->bytes(), bytes);
    for (int page = 0; page < f.window.views().pages()->count(); ++page) {
        f.window.views().pages()->setCurrentIndex(page);
        f.window.grab();
        f.settle();
    }
}

void DemoTest::memoryReturns()
{
    Fixture f;
    f.window.setText("some words to trace");
    std::int64_t settled = 0;
    for (int i = 0; i < 8; ++i) {
        f.window.openDemo();
        f.settle();
        f.workspace.close(f.workspace.checkpoints().current());
        QTRY_VERIFY(f.workspace.compute().idle());
        if (i == 3)
            settled = residentBytes();
    }
    const std::int64_t grown = residentBytes() - settled;
    QVERIFY2(grown < 30'000'000, qPrintable(bytesText(grown))); // one checkpoint alone has 12 MB
}

QTEST_MAIN(DemoTest)
#include "demo_test.moc"
