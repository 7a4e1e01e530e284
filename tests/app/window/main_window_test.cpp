// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/resources.h"
#include "tests/app/window/window_fixture.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QListView>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QUrl>

#include <fstream>

using namespace headscope;
using namespace headscope::app;

namespace {

using Fixture = samples::WindowFixture;
using samples::containsVisible;

void drop(QWidget& onto, const QList<QUrl>& urls)
{
    QMimeData data;
    data.setUrls(urls);
    QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&onto, &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent dropped(QPointF(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&onto, &dropped);
}

} // namespace

class MainWindowTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void opensFromTheArgumentAndSaysWhatItIs();
    void typingTraces();
    void dropsOpen();
    void aDropOfTextIsNoFile();
    void aFailedOpeningShowsItsSentence();
    void aMessageCanBeDismissedAndActedOn();
    void openingCanBeCancelledWithItsButton();
    void staleViewsAreDimmedNotEmptied();
    void aTextThatCannotBeTracedSaysSoOverTheText();
    void withoutATokenizerItOffersToChooseOne();
    void aChangedFileOffersToBeOpenedAgain();
    void withoutTheDemoItSaysSo();
    void theListSwitchesByKeyboard();
    void everyActionHasAWordAndNoKeyTwice();
    void panesAreReachableByKeyboard();
    void pagesAreReachableByKeyboard();
    void themesSwitchWhileRunning();
    void sampleTextsAreThere();
    void zeroText();
    void hostileTexts_data();
    void hostileTexts();
    void theWindowMayBeSmall();
    void closingEmptiesTheViews();
    void openingAndClosingKeepsNothing();
};

void MainWindowTest::opensFromTheArgumentAndSaysWhatItIs()
{
    Fixture f;
    f.window.setText("one two three");
    f.openAndSettle("/x/switchhead.fake");
    QVERIFY(f.window.windowTitle().contains(QStringLiteral("x/switchhead.fake")));
    const QString status = f.window.status().text();
    for (const char* part : {"parameters", "tokens", "ms", "cpu", "MB"})
        QVERIFY2(status.contains(QLatin1String(part)), qPrintable(status));
    QVERIFY(f.window.views().messages()->sentences().isEmpty());
}

void MainWindowTest::typingTraces()
{
    Fixture f;
    f.openAndSettle("/x/switchhead.fake");
    QTest::keyClicks(f.window.views().editor()->edit(), QStringLiteral("Words are typed "));
    f.settle();
    QCOMPARE(f.workspace.trace()->text().text, std::string("Words are typed "));
    QVERIFY(f.window.views().strip()->items().items.size() >= 4);
}

void MainWindowTest::dropsOpen()
{
    Fixture f;
    drop(f.window,
         {QUrl::fromLocalFile(QStringLiteral("/x/switchhead.fake")), QUrl::fromLocalFile(QStringLiteral("/x/moa.fake"))});
    QCOMPARE(f.workspace.checkpoints().rowCount(), 2);
    QTRY_COMPARE(f.control->alive.load(), 2);
    f.settle();
    QCOMPARE(f.workspace.checkpoints().rowCount(), 2);
}

void MainWindowTest::aDropOfTextIsNoFile()
{
    Fixture f;
    QMimeData data;
    data.setText(QStringLiteral("some text"));
    QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(&f.window, &enter);
    QCOMPARE(f.workspace.checkpoints().rowCount(), 0);
}

void MainWindowTest::aFailedOpeningShowsItsSentence()
{
    Fixture f;
    f.window.setText("some words stay");
    f.openAndSettle("/x/switchhead.fake");
    const auto trace = f.workspace.trace();
    const auto state = f.workspace.selection().state();
    f.window.open(QStringLiteral("/x/letter.txt"));
    QTRY_VERIFY(!f.window.views().messages()->sentences().isEmpty());
    QCOMPARE(f.window.views().messages()->sentences().first(),
             QStringLiteral("/x/letter.txt: this is no checkpoint; open the file that training saved."));
    QVERIFY(f.window.views().messages()->isVisible());
    QCOMPARE(f.workspace.trace(), trace);
    QVERIFY(f.workspace.selection().state() == state);
    QCOMPARE(f.window.views().editor()->bytes(), QByteArray("some words stay"));
    f.window.open(QStringLiteral("/x/letter.txt")); // again: still one message
    QTRY_VERIFY(f.workspace.idle());
    QCOMPARE(f.window.views().messages()->sentences().size(), 1);
    for (const char* name : {"/x/a", "/x/b", "/x/c"})
        f.window.open(QLatin1String(name));
    QTRY_VERIFY(f.workspace.idle());
    QCOMPARE(f.window.views().messages()->sentences().size(), MessageArea::most);
}

void MainWindowTest::aMessageCanBeDismissedAndActedOn()
{
    MessageArea area;
    int acted = 0;
    area.show({QStringLiteral("a"), Message::Kind::Error, QStringLiteral("<b>One</b> & two")});
    area.show(
        {QStringLiteral("b"), Message::Kind::Notice, QStringLiteral("Three"), {{QStringLiteral("Do it"), [&] { ++acted; }}}});
    QCOMPARE(area.sentences(), (QStringList{QStringLiteral("Three"), QStringLiteral("<b>One</b> & two")}));
    area.findChild<QPushButton*>()->click();
    QCOMPARE(acted, 1);
    QCOMPARE(area.sentences(), QStringList{QStringLiteral("<b>One</b> & two")});
    QTest::qWait(1); // the bar that left is gone
    area.findChild<QToolButton*>(QStringLiteral("dismiss"))->click();
    QVERIFY(area.sentences().isEmpty());
    QVERIFY(!area.isVisible());
}

void MainWindowTest::openingCanBeCancelledWithItsButton()
{
    Fixture f;
    f.control->holdOpening = true;
    f.window.open(QStringLiteral("/x/switchhead.fake"));
    auto* cancel = f.window.findChild<QPushButton*>(QStringLiteral("cancelOpening"));
    QVERIFY(cancel);
    QTRY_VERIFY(cancel->isVisible());
    QTest::mouseClick(cancel, Qt::LeftButton);
    QVERIFY(!cancel->isVisible());
    QCOMPARE(f.workspace.checkpoints().rowCount(), 0);
    QTRY_VERIFY(f.workspace.compute().idle());
    QVERIFY(f.window.views().messages()->sentences().isEmpty());
}

void MainWindowTest::staleViewsAreDimmedNotEmptied()
{
    Fixture f;
    f.window.setText("one two three");
    f.openAndSettle("/x/switchhead.fake");
    const auto items = f.window.views().strip()->items().items.size();
    f.control->held = true;
    QTest::keyClicks(f.window.views().editor()->edit(), QStringLiteral("x"));
    QVERIFY(!f.window.views().strip()->isStale()); // quick answers do not flicker
    QTRY_VERIFY(f.window.views().strip()->isStale());
    QVERIFY(f.window.routerMap().isStale());
    QCOMPARE(f.window.views().strip()->items().items.size(), items);
    f.control->held = false;
    f.settle();
    QTRY_VERIFY(!f.window.views().strip()->isStale());
    QVERIFY(!f.window.routerMap().isStale());
}

void MainWindowTest::aTextThatCannotBeTracedSaysSoOverTheText()
{
    Fixture f;
    f.window.setText("good");
    f.openAndSettle("/x/switchhead.fake");
    f.window.setText("unreadable");
    QTRY_COMPARE(f.window.views().textMessages()->sentences().size(), 1);
    QVERIFY(f.window.views().textMessages()->sentences().first().startsWith(QStringLiteral("The word at byte 0")));
    QTRY_VERIFY(f.window.views().strip()->isStale());
    f.window.setText("good again");
    QTRY_VERIFY(f.window.views().textMessages()->sentences().isEmpty());
    QTRY_VERIFY(!f.window.views().strip()->isStale());
}

void MainWindowTest::withoutATokenizerItOffersToChooseOne()
{
    Fixture f;
    f.window.setText("1 2 3");
    f.openAndSettle("/x/switchhead-ids.fake");
    const QStringList sentences = f.window.views().textMessages()->sentences();
    QVERIFY(containsVisible(sentences, QStringLiteral("list of ids")));
    QVERIFY(f.window.views().textMessages()->findChild<QPushButton*>());
    QCOMPARE(f.workspace.trace()->text().text, std::string("1 2 3"));
    f.openAndSettle("/x/switchhead.fake");
    QVERIFY(f.window.views().textMessages()->sentences().isEmpty());
}

void MainWindowTest::aChangedFileOffersToBeOpenedAgain()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("switchhead.fake"));
    std::ofstream(file.toStdString()) << "weights";
    Fixture f;
    f.window.open(file);
    f.settle();
    const CheckpointSession* former = f.workspace.checkpoints().current();
    std::ofstream(file.toStdString()) << "other weights, longer";
    f.window.setText("a text");
    QTRY_VERIFY(containsVisible(f.window.views().messages()->sentences(), QStringLiteral("has changed on disk")));
    f.window.views().messages()->findChild<QPushButton*>()->click();
    QTRY_VERIFY(f.workspace.checkpoints().current() != former);
    QTRY_COMPARE(f.workspace.checkpoints().rowCount(), 1);
    f.settle();
    QVERIFY(f.window.views().messages()->sentences().isEmpty());
}

void MainWindowTest::withoutTheDemoItSaysSo()
{
    const QByteArray before = qgetenv("HEADSCOPE_RESOURCES");
    qputenv("HEADSCOPE_RESOURCES", "/nowhere");
    QVERIFY(demoCheckpoints().empty());
    Fixture f;
    f.window.openDemo();
    QVERIFY(containsVisible(f.window.views().messages()->sentences(),
                            QStringLiteral("demonstration checkpoints are not installed")));
    f.openAndSettle("/x/switchhead.fake");
    QVERIFY(f.window.views().messages()->sentences().isEmpty());
    qputenv("HEADSCOPE_RESOURCES", before);
}

void MainWindowTest::theListSwitchesByKeyboard()
{
    Fixture f;
    f.openAndSettle("/x/switchhead.fake");
    f.openAndSettle("/x/moa.fake");
    QTRY_COMPARE(f.workspace.checkpoints().rowCount(), 2);
    QListView* list = f.window.checkpoints().list();
    QCOMPARE(list->currentIndex().row(), 1);
    QTest::keyClick(list, Qt::Key_Up);
    QTest::keyClick(list, Qt::Key_Return);
    QCOMPARE(f.workspace.checkpoints().row(f.workspace.checkpoints().current()), 0);
    f.settle();
    QTest::keyClick(list, Qt::Key_Delete);
    QCOMPARE(f.workspace.checkpoints().rowCount(), 1);
    f.settle();
    QVERIFY(f.workspace.trace()->sites.at(0)->router.address.site == core::Site::QO);
}

void MainWindowTest::everyActionHasAWordAndNoKeyTwice()
{
    Fixture f;
    QSet<QKeySequence> keys;
    for (const QAction* menu : f.window.menuBar()->actions()) {
        QVERIFY2(menu->text().contains(u'&'), qPrintable(menu->text()));
        for (const QAction* action : menu->menu()->actions()) {
            QVERIFY(action->isSeparator() || !action->text().isEmpty());
            for (const QKeySequence& key : action->shortcuts()) {
                QVERIFY2(!keys.contains(key), qPrintable(key.toString()));
                keys.insert(key);
            }
        }
    }
    QVERIFY(keys.size() >= 8);
}

void MainWindowTest::panesAreReachableByKeyboard()
{
    Fixture f;
    f.openAndSettle("/x/switchhead.fake");
    QApplication::setActiveWindow(&f.window);
    f.window.views().editor()->edit()->setFocus();
    QTRY_VERIFY(f.window.views().editor()->edit()->hasFocus());
    QSet<QWidget*> visited;
    for (int i = 0; i < 5; ++i) {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
        QVERIFY(QApplication::focusWidget());
        visited << QApplication::focusWidget();
    }
    QCOMPARE(visited.size(), 5);
    QVERIFY(f.window.views().editor()->edit()->hasFocus()); // once around
    QVERIFY(visited.contains(&f.window.routerMap()));
    QVERIFY(visited.contains(f.window.views().strip()));
}

void MainWindowTest::pagesAreReachableByKeyboard()
{
    Fixture f;
    QApplication::setActiveWindow(&f.window);
    QTest::keyClick(&f.window, Qt::Key_2, Qt::ControlModifier);
    QCOMPARE(f.window.views().pages()->currentIndex(), 1);
    QTest::keyClick(&f.window, Qt::Key_1, Qt::ControlModifier);
    QCOMPARE(f.window.views().pages()->currentIndex(), 0);
}

void MainWindowTest::themesSwitchWhileRunning()
{
    Fixture f;
    f.openAndSettle("/x/switchhead.fake");
    const auto kind = [&] { return widgets::themeOf(f.window.views().strip()->palette()).kind; };
    f.window.setTheme(ThemeChoice::Dark);
    QTRY_VERIFY(kind() == widgets::Theme::Kind::Dark); // by an event
    const QImage dark = f.window.grab().toImage();
    f.window.setTheme(ThemeChoice::System);
    QTRY_VERIFY(kind() == widgets::Theme::Kind::Light);
    const QImage light = f.window.grab().toImage();
    const auto corner = [](const QImage& picture) {
        return picture.pixelColor(picture.width() / 2, picture.height() - 3).lightness();
    };
    QVERIFY(corner(dark) < 100);
    QVERIFY(corner(light) > 150);
}

void MainWindowTest::sampleTextsAreThere()
{
    const auto samples = sampleTexts();
    QVERIFY(samples.size() >= 4);
    for (const SampleText& sample : samples) {
        QVERIFY2(!sample.text.empty(), qPrintable(sample.title));
        QVERIFY(QString::fromStdString(sample.text).toStdString() == sample.text); // UTF-8
    }
    for (const char* name : {"open-file", "open-folder", "close", "text", "theme", "info", "error"})
        QVERIFY(!symbol(QLatin1String(name), Qt::black).pixmap(16, 16).toImage().allGray() ||
                symbol(QLatin1String(name), Qt::black).pixmap(16, 16).toImage().pixelColor(0, 0).alpha() == 0);
    QVERIFY(!programIcon().isNull());
}

void MainWindowTest::zeroText()
{
    Fixture f;
    f.openAndSettle("/x/switchhead.fake");
    f.window.setText("");
    f.settle();
    QCOMPARE(f.workspace.trace()->tokens(), 0);
    f.window.views().pages()->setCurrentIndex(1);
    f.window.grab(); // all views draw nothing without complaint
}

void MainWindowTest::hostileTexts_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("a space") << QByteArray(" ");
    QTest::newRow("line ends") << QByteArray("\n\n");
    QTest::newRow("tab") << QByteArray("\t");
    QTest::newRow("NUL") << QByteArray("a\0b", 3);
    QTest::newRow("ESC") << QByteArray("\x1b[31m");
    QTest::newRow("U+2028") << QByteArray("a\xe2\x80\xa8 b");
    QTest::newRow("ZWJ") << QByteArray("a\xe2\x80\x8d b");
    QTest::newRow("U+202E") << QByteArray("\xe2\x80\xae abc");
    QTest::newRow("BOM") << QByteArray("\xef\xbb\xbf abc");
    QTest::newRow("angles") << QByteArray("a<b<c");
    QTest::newRow("script") << QByteArray("<script>alert(1)</script>");
    QTest::newRow("end of sequence") << QByteArray("</s>");
    QTest::newRow("CR-LF") << QByteArray("a\r\nb\r\n");
    QTest::newRow("invalid UTF-8") << QByteArray("\xff\xfe\xc3");
    QTest::newRow("Hebrew in English") << QByteArray("Hello \xd7\xa9\xd7\x9c world");
    QTest::newRow("a very long line") << QByteArray(200000, 'a');
}

void MainWindowTest::hostileTexts()
{
    QFETCH(QByteArray, bytes);
    Fixture f;
    connect(&f.workspace, &Workspace::asked, this, [&f] { f.workspace.traceAgain(WhenLong::Trace); });
    f.openAndSettle("/x/dense.fake");
    QElapsedTimer timer;
    timer.start();
    f.window.setText(bytes.toStdString());
    QVERIFY2(timer.elapsed() < 1000, qPrintable(QString::number(timer.elapsed())));
    QTRY_VERIFY_WITH_TIMEOUT(f.workspace.current(), 20000);
    QCOMPARE(f.workspace.trace()->text().text, bytes.toStdString());
    QCOMPARE(f.window.views().editor()->bytes(), bytes);
    for (int page = 0; page < f.window.views().pages()->count(); ++page) {
        f.window.views().pages()->setCurrentIndex(page);
        f.window.grab();
    }
    QTest::keyClick(f.window.views().editor()->edit(), Qt::Key_End, Qt::ControlModifier);
    QTest::keyClicks(f.window.views().editor()->edit(), QStringLiteral("x"));
    QTRY_VERIFY_WITH_TIMEOUT(f.workspace.current(), 20000);
    QCOMPARE(f.workspace.trace()->text().text, bytes.toStdString() + "x");
}

void MainWindowTest::theWindowMayBeSmall()
{
    Fixture f;
    f.window.setText("one two three");
    f.openAndSettle("/x/switchhead.fake");
    f.window.resize(1024, 640);
    QTest::qWait(10);
    QVERIFY2(f.window.width() <= 1024 && f.window.height() <= 640,
             qPrintable(QStringLiteral("%1 x %2").arg(f.window.width()).arg(f.window.height())));
    QVERIFY(f.window.views().strip()->height() > 60);
    QVERIFY(f.window.views().pages()->height() > 200);
}

void MainWindowTest::closingEmptiesTheViews()
{
    Fixture f;
    f.window.setText("one two three");
    f.openAndSettle("/x/switchhead.fake");
    f.workspace.close(f.workspace.checkpoints().current());
    QVERIFY(f.window.views().strip()->items().items.empty());
    QCOMPARE(f.window.windowTitle(), QStringLiteral("Headscope"));
    QCOMPARE(f.window.views().editor()->bytes(), QByteArray("one two three"));
    f.window.grab();
}

void MainWindowTest::openingAndClosingKeepsNothing()
{
    Fixture f;
    f.window.setText("one two three four five six seven");
    std::int64_t settled = 0;
    for (int i = 0; i < 30; ++i) {
        f.openAndSettle("/x/switchhead.fake");
        f.workspace.close(f.workspace.checkpoints().current());
        QTRY_VERIFY(f.workspace.compute().idle());
        if (i == 9)
            settled = residentBytes();
    }
    QTRY_COMPARE(f.control->alive.load(), 0);
    const std::int64_t grown = residentBytes() - settled;
    QVERIFY2(grown < 20'000'000, qPrintable(bytesText(grown)));
}

QTEST_MAIN(MainWindowTest)
#include "main_window_test.moc"
