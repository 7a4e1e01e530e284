// SPDX-License-Identifier: GPL-3.0-or-later
// What is selected in the text is selected everywhere, and the reverse.
#include "tests/widgets/sample_trace.h"
#include "widgets/byte_text_edit.h"
#include "widgets/text_editor.h"
#include "widgets/token_strip.h"

#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTest>

using namespace headscope;
using namespace headscope::widgets;

namespace {

std::string substring(const QByteArray& bytes, core::ByteRange range)
{
    return bytes.toStdString().substr(range.begin, range.size());
}

void selectBytes(TextEditor& editor, qsizetype begin, qsizetype end)
{
    QTextCursor cursor = editor.edit()->textCursor();
    cursor.setPosition(editor.positionAt(begin, DocumentBytes::Round::Down));
    cursor.setPosition(editor.positionAt(end, DocumentBytes::Round::Up), QTextCursor::KeepAnchor);
    editor.edit()->setTextCursor(cursor);
}

} // namespace

class TestTextEditorSelection : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void selectingTextSelectsBytes();
    void caretAsksForTheTokenUnlessTyping();
    void selectionElsewhereIsTinted();
    void editingMovesTheSelectionAlong();
    void othersStreamsAreLeftAlone();
    void stripSelectsInEditor();
    void editorSelectsInStrip();
};

void TestTextEditorSelection::selectingTextSelectsBytes()
{
    TextEditor editor;
    Selection selection;
    editor.setSelection(&selection);
    editor.setBytes("one\r\ntwo \xf0\x9f\x98\x80 three");
    QVERIFY(!selection.state().bytes);
    selectBytes(editor, 5, 8);
    QCOMPARE(substring(editor.bytes(), *selection.state().bytes), "two");
    selectBytes(editor, 3, 5); // CR and LF
    QCOMPARE(substring(editor.bytes(), *selection.state().bytes), "\r\n");
    selectBytes(editor, 10, 11); // one byte of the emoji
    QCOMPARE(substring(editor.bytes(), *selection.state().bytes), "\xf0\x9f\x98\x80");
    QVERIFY(!editor.tinted()); // the text cursor shows it
}

void TestTextEditorSelection::caretAsksForTheTokenUnlessTyping()
{
    TextEditor editor;
    Selection selection;
    editor.setSelection(&selection);
    editor.setBytes("one two");
    editor.show();
    QTest::keyClick(editor.edit(), Qt::Key_Right);
    QCOMPARE(selection.state().bytes, std::optional(core::ByteRange{1, 1}));
    QTest::keyClicks(editor.edit(), QStringLiteral("xyz"));
    QVERIFY(!selection.state().bytes);
    QTest::keyClick(editor.edit(), Qt::Key_Right, Qt::ShiftModifier);
    QCOMPARE(selection.state().bytes, std::optional(core::ByteRange{4, 5}));
    QTest::keyClicks(editor.edit(), QStringLiteral("q")); // over the selection
    QCOMPARE(editor.bytes(), QByteArray("oxyzqe two"));
    QVERIFY(!selection.state().bytes);
}

void TestTextEditorSelection::selectionElsewhereIsTinted()
{
    TextEditor editor;
    Selection selection;
    editor.resize(300, 120);
    editor.setSelection(&selection);
    editor.setBytes(QByteArray::fromStdString(samples::longText(3000)));
    editor.show();
    selectBytes(editor, 0, 3);
    const auto place = static_cast<std::size_t>(editor.bytes().size() - 400);
    selection.setBytes(core::ByteRange{place, place + 10});
    QCOMPARE(editor.tinted(), std::optional(core::ByteRange{place, place + 10}));
    QVERIFY(!editor.edit()->textCursor().hasSelection()); // one thing is selected, not two
    QCOMPARE(*selection.state().bytes, (core::ByteRange{place, place + 10}));
    const auto extra = editor.edit()->extraSelections();
    QCOMPARE(extra.size(), 1);
    QCOMPARE(editor.byteAt(extra[0].cursor.selectionStart()), static_cast<qsizetype>(place));
    QCOMPARE(editor.byteAt(extra[0].cursor.selectionEnd()), static_cast<qsizetype>(place) + 10);
    QVERIFY(editor.edit()->viewport()->rect().contains(editor.edit()->cursorRect(extra[0].cursor)));
    selection.setHover(core::ByteRange{0, 3});
    QCOMPARE(editor.edit()->extraSelections().size(), 2);
    selection.setHover(std::nullopt);
    selection.setBytes(std::nullopt);
    QCOMPARE(editor.edit()->extraSelections().size(), 0);
    selection.setBytes(core::ByteRange{0, 1'000'000}); // of a text that is gone
}

void TestTextEditorSelection::editingMovesTheSelectionAlong()
{
    TextEditor editor;
    Selection selection;
    editor.setSelection(&selection);
    editor.setBytes("one two three");
    const auto insertAt = [&](qsizetype byte, const char* text) {
        QTextCursor cursor(editor.edit()->document());
        cursor.setPosition(editor.positionAt(byte, DocumentBytes::Round::Down));
        insertBytes(cursor, text);
    };
    selection.setBytes(core::ByteRange{4, 7});
    insertAt(10, "zzz"); // behind
    QCOMPARE(substring(editor.bytes(), *selection.state().bytes), "two");
    insertAt(0, "\r\n\xff"); // in front
    QCOMPARE(substring(editor.bytes(), *selection.state().bytes), "two");
    insertAt(8, "y"); // inside
    QVERIFY(!selection.state().bytes);
}

void TestTextEditorSelection::othersStreamsAreLeftAlone()
{
    TextEditor source;
    TextEditor target;
    Selection selection;
    for (auto* editor : {&source, &target}) {
        editor->setSelection(&selection);
        editor->setBytes("one two three");
    }
    target.setStream(1);
    selectBytes(target, 4, 7);
    QCOMPARE(selection.state().stream, 1);
    QVERIFY(!source.tinted());
    QVERIFY(source.edit()->extraSelections().isEmpty());
    QTextCursor cursor(source.edit()->document());
    insertBytes(cursor, "zero ");
    QCOMPARE(*selection.state().bytes, (core::ByteRange{4, 7}));
}

void TestTextEditorSelection::stripSelectsInEditor()
{
    const std::string text = samples::text();
    Selection selection;
    TextEditor editor;
    editor.setBytes(QByteArray::fromStdString(text));
    editor.setSelection(&selection);
    TokenStrip strip;
    strip.resize(600, 300);
    strip.setSelection(&selection);
    const auto trace = samples::switchHead(text);
    strip.setTrace(trace);
    strip.show();
    for (const std::size_t token : {1UL, 3UL, 20UL}) {
        QTest::mouseClick(strip.viewport(), Qt::LeftButton, {}, strip.itemRect(strip.items().ofToken[token]).center());
        QCOMPARE(editor.tinted(), std::optional(trace->text().tokens[token].span));
        const auto cursor = editor.edit()->extraSelections().at(0).cursor;
        QCOMPARE(bytesBetween(*editor.edit()->document(), cursor.selectionStart(), cursor.selectionEnd()).toStdString(),
                 substring(editor.bytes(), trace->text().tokens[token].span));
    }
}

void TestTextEditorSelection::editorSelectsInStrip()
{
    const std::string text = samples::text();
    Selection selection;
    TextEditor editor;
    editor.setBytes(QByteArray::fromStdString(text));
    editor.setSelection(&selection);
    TokenStrip strip;
    strip.setSelection(&selection);
    const auto trace = samples::switchHead(text);
    strip.setTrace(trace);
    for (std::size_t token = 1; token < trace->text().tokens.size(); ++token) {
        const auto span = trace->text().tokens[token].span;
        if (span.empty())
            continue;
        selectBytes(editor, static_cast<qsizetype>(span.begin), static_cast<qsizetype>(span.end));
        const auto [first, last] = strip.selectedItems();
        QCOMPARE(last - 1, std::size_t(strip.items().ofToken[token]));
        QCOMPARE(strip.items().items[first].joined, false);
        QVERIFY(first == last - 1 || strip.items().items[first + 1].joined);
    }
    const auto span = trace->text().tokens[3].span;
    QTextCursor cursor = editor.edit()->textCursor();
    cursor.setPosition(editor.positionAt(static_cast<qsizetype>(span.begin) + 1, DocumentBytes::Round::Down));
    editor.edit()->setTextCursor(cursor); // a caret alone
    QCOMPARE(strip.selectedItems().first, std::size_t(strip.items().ofToken[3]));
}
QTEST_MAIN(TestTextEditorSelection)
#include "text_editor_selection_test.moc"
