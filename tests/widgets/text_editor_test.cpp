// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/sample_trace.h"
#include "widgets/byte_text_edit.h"
#include "widgets/text_editor.h"
#include "widgets/token_strip.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <QUrl>

#include <random>

using namespace headscope;
using namespace headscope::widgets;

namespace {

struct Named {
    const char* name;
    QByteArray bytes;
};

/// Texts that a QPlainTextEdit alone would change.
std::vector<Named> oddTexts()
{
    return {
        {"empty", {}},
        {"ASCII", "plain text"},
        {"line feeds", "a\nb\n\nc\n"},
        {"only a line feed", "\n"},
        {"no-break space", "a\xc2\xa0"
                           "b"},
        {"line separator", "a\xe2\x80\xa8"
                           "b"},
        {"paragraph separator", "a\xe2\x80\xa9"
                                "b"},
        {"CR-LF", "one\r\ntwo\r\n"},
        {"lone CR", "one\rtwo\r"},
        {"NUL", QByteArray("a\0b\0\0", 5)},
        {"byte order mark in front", "\xef\xbb\xbf"
                                     "abc"},
        {"byte order mark inside", "ab\xef\xbb\xbf"
                                   "c"},
        {"frame characters", "\xef\xb7\x90\xef\xb7\x91"},
        {"noncharacters", "\xef\xbf\xbe\xef\xbf\xbf\xf0\x9f\xbf\xbe"},
        {"object replacement", "a\xef\xbf\xbc"
                               "b"},
        {"replacement character itself", "a\xef\xbf\xbd"
                                         "b"},
        {"invalid bytes", "a\xff\xfe\x80"
                          "b"},
        {"cut character", "abc\xe2\x82"},
        {"surrogate in UTF-8", "\xed\xa0\x80"},
        {"overlong", "\xc0\xaf"},
        {"controls", "\x01\x02\x1b[31m\x7f\xc2\x85"},
        {"tab", "a\tb"},
        {"bidirectional override", "a\xe2\x80\xae"
                                   "bc\xe2\x80\xac"
                                   "d"},
        {"isolates", "\xe2\x81\xa6x\xe2\x81\xa9"},
        {"Hebrew and Arabic", "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xd8\xb3\xd9\x84\xd8\xa7\xd9\x85"},
        {"emoji with joiners", "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb ok"},
        {"combining", "e\xcc\x81 \xcc\x81"},
        {"the signs themselves", "\xe2\x87\xa4\xe2\x88\x85\xe2\x86\xb2\xc2\xb6\xef\xbf\xbd\xe2\x8b\xaf\xe2\x96\xaf"},
        {"signs beside what they stand for", "\r\xe2\x87\xa4\r\xff\xef\xbf\xbd\xff"},
    };
}

void addOddTexts()
{
    QTest::addColumn<QByteArray>("bytes");
    for (const auto& text : oddTexts())
        QTest::newRow(text.name) << text.bytes;
    QByteArray all;
    for (const auto& text : oddTexts())
        all += text.bytes + '\n';
    QTest::newRow("all of them") << all;
}

/// What the document holds, read anew.
QByteArray held(const TextEditor& editor)
{
    return DocumentBytes(*editor.edit()->document()).bytes();
}

} // namespace

class TestTextEditor : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsBytes_data() { addOddTexts(); }
    void keepsBytes();
    void survivesTypingAndUndo_data() { addOddTexts(); }
    void survivesTypingAndUndo();
    void copyAndPasteKeepBytes_data() { addOddTexts(); }
    void copyAndPasteKeepBytes();
    void placesMapBothWays_data() { addOddTexts(); }
    void placesMapBothWays();
    void foreignPasteKeepsLineEnds();
    void filesAreLeftToTheWindow();
    void typingBehindASignIsPlain();
    void returnIsALineFeed();
    void randomEditingStaysConsistent();
    void tellsChangesOnce();
    void foldsLongLines();
    void foldsWhatGrowsLong();
    void foldCanBeLeftOut();
    void manyLinesAreNotFolded();
};

void TestTextEditor::keepsBytes()
{
    QFETCH(QByteArray, bytes);
    TextEditor editor;
    editor.setBytes(bytes);
    QCOMPARE(editor.bytes(), bytes);
    QCOMPARE(held(editor), bytes);
    editor.setBytes("something else");
    editor.setBytes(bytes);
    QCOMPARE(held(editor), bytes);
}

void TestTextEditor::survivesTypingAndUndo()
{
    QFETCH(QByteArray, bytes);
    TextEditor editor;
    editor.setBytes(bytes);
    editor.show();
    auto* edit = editor.edit();
    QTextCursor cursor = edit->textCursor();
    const int end = edit->document()->characterCount() - 1;
    QByteArray expected = bytes;
    for (const int place : {end, end / 2, 0}) { // from behind, so that earlier bytes stay where they are
        if (edit->document()->characterAt(place).isLowSurrogate())
            continue; // no caret gets there
        cursor.setPosition(place);
        edit->setTextCursor(cursor);
        const auto at = editor.byteAt(place);
        QTest::keyClicks(edit, QStringLiteral("xy"));
        expected.insert(at, "xy");
        QCOMPARE(editor.bytes(), expected);
    }
    while (edit->document()->isUndoAvailable())
        edit->undo();
    QCOMPARE(editor.bytes(), bytes);
    while (edit->document()->isRedoAvailable())
        edit->redo();
    QCOMPARE(editor.bytes(), expected);

    edit->selectAll();
    QTest::keyClick(edit, Qt::Key_Delete);
    QCOMPARE(editor.bytes(), QByteArray());
    edit->undo();
    QCOMPARE(editor.bytes(), expected);
}

void TestTextEditor::copyAndPasteKeepBytes()
{
    QFETCH(QByteArray, bytes);
    TextEditor editor;
    editor.setBytes("<" + bytes + ">");
    editor.edit()->selectAll();
    editor.edit()->copy();
    TextEditor other;
    other.setBytes("()");
    other.edit()->moveCursor(QTextCursor::Right);
    other.edit()->paste();
    QCOMPARE(other.bytes(), "(<" + bytes + ">)");
    other.edit()->undo(); // one step
    QCOMPARE(other.bytes(), QByteArray("()"));
    other.edit()->redo();
    QCOMPARE(other.bytes(), "(<" + bytes + ">)");
}

void TestTextEditor::placesMapBothWays()
{
    QFETCH(QByteArray, bytes);
    TextEditor editor;
    editor.setBytes(bytes);
    const auto* document = editor.edit()->document();
    qsizetype last = 0;
    for (int position = 0; position < document->characterCount(); ++position) {
        if (document->characterAt(position).isLowSurrogate())
            continue;
        const auto byte = editor.byteAt(position);
        QVERIFY(byte >= last);
        QCOMPARE(byte, bytesBetween(*document, 0, position).size());
        QCOMPARE(editor.positionAt(byte, DocumentBytes::Round::Down), position);
        QCOMPARE(editor.positionAt(byte, DocumentBytes::Round::Up), position);
        for (auto inside = last + 1; inside < byte; ++inside) { // within one character
            QVERIFY(editor.positionAt(inside, DocumentBytes::Round::Down) < position);
            QCOMPARE(editor.positionAt(inside, DocumentBytes::Round::Up), position);
        }
        last = byte;
    }
    QCOMPARE(last, bytes.size());
}

void TestTextEditor::foreignPasteKeepsLineEnds()
{
    TextEditor editor;
    auto* data = new QMimeData;
    data->setText(QStringLiteral("one\r\ntwo\rthree\u00a0\u2028\u2029"));
    QGuiApplication::clipboard()->setMimeData(data);
    editor.edit()->paste();
    QCOMPARE(editor.bytes(), QByteArray("one\r\ntwo\rthree\xc2\xa0\xe2\x80\xa8\xe2\x80\xa9"));
    editor.edit()->selectAll();
    editor.edit()->cut();
    QCOMPARE(editor.bytes(), QByteArray());
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("one\r\ntwo\rthree\u00a0\u2028\u2029"));
}

void TestTextEditor::filesAreLeftToTheWindow()
{
    TextEditor editor;
    auto* data = new QMimeData;
    data->setUrls({QUrl(QStringLiteral("file:///somewhere/model.pth"))});
    QGuiApplication::clipboard()->setMimeData(data);
    QVERIFY(!editor.edit()->canPaste());
    editor.edit()->paste();
    QCOMPARE(editor.bytes(), QByteArray());
}

void TestTextEditor::typingBehindASignIsPlain()
{
    TextEditor editor;
    editor.setBytes("a\xff");
    editor.show();
    editor.edit()->moveCursor(QTextCursor::End);
    QKeyEvent key(QEvent::KeyPress, 0, {}, QString(QChar(u'\ufffd'))); // looks like the sign, is none
    QCoreApplication::sendEvent(editor.edit(), &key);
    QTest::keyClicks(editor.edit(), QStringLiteral("b"));
    QCOMPARE(editor.bytes(), QByteArray("a\xff\xef\xbf\xbd"
                                        "b"));
}

void TestTextEditor::returnIsALineFeed()
{
    TextEditor editor;
    editor.setBytes("ab");
    editor.show();
    editor.edit()->moveCursor(QTextCursor::Right);
    QTest::keyClick(editor.edit(), Qt::Key_Return);
    QTest::keyClick(editor.edit(), Qt::Key_Return, Qt::ShiftModifier);
    QCOMPARE(editor.bytes(), QByteArray("a\n\nb"));
}

void TestTextEditor::randomEditingStaysConsistent()
{
    TextEditor editor;
    auto* document = editor.edit()->document();
    const auto odd = oddTexts();
    std::mt19937 random(7);
    const auto below = [&](int bound) { return static_cast<int>(random() % static_cast<unsigned>(std::max(bound, 1))); };
    std::vector<QByteArray> history = {editor.bytes()};
    for (int step = 0; step < 200; ++step) {
        QTextCursor cursor(document);
        const auto place = [&] { // carets do not get between surrogates
            const int position = below(document->characterCount());
            return document->characterAt(position).isLowSurrogate() ? position - 1 : position;
        };
        cursor.setPosition(place());
        if (step % 3 == 0)
            cursor.setPosition(place(), QTextCursor::KeepAnchor);
        const auto begin = editor.byteAt(cursor.selectionStart());
        const auto end = editor.byteAt(cursor.selectionEnd());
        const QByteArray& added = odd[static_cast<std::size_t>(below(static_cast<int>(odd.size())))].bytes;
        QByteArray expected = history.back();
        expected.replace(begin, end - begin, added);
        insertBytes(cursor, added);
        QCOMPARE(editor.bytes(), expected);
        if (expected != history.back())
            history.push_back(expected);
    }
    QVERIFY(document->isUndoAvailable());
    while (document->isUndoAvailable())
        editor.edit()->undo();
    QCOMPARE(editor.bytes(), history.front());
    while (document->isRedoAvailable())
        editor.edit()->redo();
    QCOMPARE(editor.bytes(), history.back());
}

void TestTextEditor::tellsChangesOnce()
{
    TextEditor editor;
    editor.show();
    QSignalSpy spy(&editor, &TextEditor::bytesChanged);
    editor.setBytes("a\r\nb");
    QCOMPARE(spy.count(), 1);
    editor.setBytes("a\r\nb");
    QCOMPARE(spy.count(), 1);
    editor.edit()->moveCursor(QTextCursor::End);
    QCOMPARE(spy.count(), 1);
    QTest::keyClicks(editor.edit(), QStringLiteral("x"));
    QCOMPARE(spy.count(), 2);
    editor.setPalette(Theme::dark().palette());
    QCoreApplication::processEvents();
    QCOMPARE(spy.count(), 2);
    editor.edit()->undo();
    QCOMPARE(spy.count(), 3);
}

void TestTextEditor::foldsLongLines()
{
    TextEditor editor;
    editor.resize(600, 300);
    editor.show();
    QByteArray bytes = "first\n";
    for (int i = 0; i < 40'000; ++i)
        bytes += "\xe2\x82\xac\xf0\x9f\x98\x80"; // nowhere a border of characters by chance
    bytes += "\nlast";
    editor.setBytes(bytes);
    QCOMPARE(editor.bytes(), bytes);
    QVERIFY(editor.edit()->document()->characterCount() < 2000);
    auto* notice = editor.findChild<QLabel*>();
    QVERIFY(notice->isVisible());
    QVERIFY(notice->text().contains(QStringLiteral("A line is too long")));

    QTest::keyClicks(editor.edit(), QStringLiteral("x"));
    QCOMPARE(editor.bytes(), "x" + bytes);
    const int inFold = editor.positionAt(100'000, DocumentBytes::Round::Down);
    QCOMPARE(editor.positionAt(200'000, DocumentBytes::Round::Down), inFold);
    QCOMPARE(editor.positionAt(200'000, DocumentBytes::Round::Up), inFold + 1);
    editor.edit()->selectAll();
    editor.edit()->copy();
    QCOMPARE(QGuiApplication::clipboard()->text().toUtf8(), "x" + bytes);

    QTextCursor cursor(editor.edit()->document());
    cursor.setPosition(inFold);
    cursor.deleteChar();
    QVERIFY(editor.bytes().size() < 2000);
    QVERIFY(!notice->isVisible());
    editor.edit()->undo();
    QCOMPARE(editor.bytes(), "x" + bytes);
    QVERIFY(notice->isVisible());
}

void TestTextEditor::foldsWhatGrowsLong()
{
    TextEditor editor;
    const QByteArray half(longestLine - 10, 'a');
    editor.setBytes(half);
    QCOMPARE(editor.edit()->document()->characterCount(), static_cast<int>(half.size()) + 1);
    QTextCursor cursor(editor.edit()->document());
    cursor.movePosition(QTextCursor::End);
    insertBytes(cursor, "\r" + half);
    QCOMPARE(editor.bytes(), half + "\r" + half);
    QVERIFY(editor.edit()->document()->characterCount() < 2000);
    editor.edit()->undo();
    QCOMPARE(editor.bytes(), half);
    editor.edit()->redo();
    QCOMPARE(editor.bytes(), half + "\r" + half);
}

void TestTextEditor::foldCanBeLeftOut()
{
    TextEditor editor;
    editor.show();
    const QByteArray line(100'000, 'b');
    editor.setBytes("a\n" + line);
    auto* notice = editor.findChild<QLabel*>();
    Q_EMIT notice->linkActivated(QStringLiteral("keep"));
    QCOMPARE(editor.bytes(), "a\n" + QByteArray(2 * shownOfFold, 'b'));
    editor.edit()->undo();
    QCOMPARE(editor.bytes(), "a\n" + line);
    Q_EMIT notice->linkActivated(QStringLiteral("clear"));
    QCOMPARE(editor.bytes(), QByteArray());
    editor.edit()->undo();
    QCOMPARE(editor.bytes(), "a\n" + line);
}

void TestTextEditor::manyLinesAreNotFolded()
{
    TextEditor editor;
    editor.resize(600, 300);
    editor.show();
    const QByteArray bytes = QByteArray::fromStdString(samples::longText(32768));
    editor.setBytes(bytes);
    QCOMPARE(editor.bytes(), bytes);
    QVERIFY(!editor.findChild<QLabel*>()->isVisible());
    editor.edit()->moveCursor(QTextCursor::End);
    QBENCHMARK
    {
        QTest::keyClicks(editor.edit(), QStringLiteral("x"));
    }
}

QTEST_MAIN(TestTextEditor)
#include "text_editor_test.moc"
