// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/utf8.h"
#include "widgets/visible_text.h"

#include <QTest>

using namespace headscope;
using namespace headscope::widgets;
using namespace std::string_view_literals;

class TestVisibleText : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void decodesStrictly_data();
    void decodesStrictly();
    void showsEverything_data();
    void showsEverything();
    void showsThePiece();
    void shortens();
};

void TestVisibleText::decodesStrictly_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<uint>("character");
    QTest::addColumn<int>("size");
    QTest::addColumn<bool>("valid");
    QTest::newRow("ASCII") << QByteArray("a") << uint('a') << 1 << true;
    QTest::newRow("NUL") << QByteArray("\0", 1) << 0U << 1 << true;
    QTest::newRow("two bytes") << QByteArray("\xc3\xa9") << 0xe9U << 2 << true;
    QTest::newRow("three bytes") << QByteArray("\xe2\x82\xac") << 0x20acU << 3 << true;
    QTest::newRow("four bytes") << QByteArray("\xf0\x9f\x98\x80") << 0x1f600U << 4 << true;
    QTest::newRow("the last character") << QByteArray("\xf4\x8f\xbf\xbf") << 0x10ffffU << 4 << true;
    QTest::newRow("continuation alone") << QByteArray("\x80") << 0x80U << 1 << false;
    QTest::newRow("overlong slash") << QByteArray("\xc0\xaf") << 0xc0U << 1 << false;
    QTest::newRow("overlong in three") << QByteArray("\xe0\x80\xaf") << 0xe0U << 1 << false;
    QTest::newRow("surrogate") << QByteArray("\xed\xa0\x80") << 0xedU << 1 << false;
    QTest::newRow("above the last") << QByteArray("\xf4\x90\x80\x80") << 0xf4U << 1 << false;
    QTest::newRow("cut off") << QByteArray("\xf0\x9f\x98") << 0xf0U << 1 << false;
    QTest::newRow("broken off") << QByteArray("\xe2(\xac") << 0xe2U << 1 << false;
}

void TestVisibleText::decodesStrictly()
{
    QFETCH(QByteArray, bytes);
    QFETCH(uint, character);
    QFETCH(int, size);
    QFETCH(bool, valid);
    const auto decoded = utf8At({bytes.constData(), static_cast<std::size_t>(bytes.size())}, 0);
    QCOMPARE(static_cast<uint>(decoded.character), character);
    QCOMPARE(static_cast<int>(decoded.size), size);
    QCOMPARE(decoded.valid, valid);
}

void TestVisibleText::showsEverything_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("visible");
    QTest::newRow("letters") << QByteArray("Caf\xc3\xa9") << QStringLiteral("Café");
    QTest::newRow("space and line ends") << QByteArray(" \t\r\n") << QStringLiteral("␣⇥⇤↵");
    QTest::newRow("controls") << QByteArray("\0\x1b\x7f", 3) << QStringLiteral("\\x00\\x1B\\x7F");
    QTest::newRow("right-to-left override") << QByteArray("a\xe2\x80\xae"
                                                          "b")
                                            << QStringLiteral("aU+202Eb");
    QTest::newRow("line and paragraph separator")
        << QByteArray("\xe2\x80\xa8\xe2\x80\xa9") << QStringLiteral("U+2028U+2029");
    QTest::newRow("no-break space") << QByteArray("\xc2\xa0") << QStringLiteral("U+00A0");
    QTest::newRow("byte order mark") << QByteArray("\xef\xbb\xbf") << QStringLiteral("U+FEFF");
    QTest::newRow("noncharacter") << QByteArray("\xef\xb7\x90") << QStringLiteral("U+FDD0");
    QTest::newRow("invalid byte") << QByteArray("a\xff") << QStringLiteral("a\\xFF");
    QTest::newRow("cut character") << QByteArray("\xf0\x9f") << QStringLiteral("\\xF0\\x9F");
    QTest::newRow("mark alone") << QByteArray("\xcc\x81") << QString::fromUtf16(u"\u25cc\u0301");
    QTest::newRow("mark on a letter") << QByteArray("e\xcc\x81") << QString::fromUtf16(u"e\u0301");
    QTest::newRow("joiner inside an emoji") << QByteArray("\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb")
                                            << QString::fromUtf8("\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb");
    QTest::newRow("joiner alone") << QByteArray("\xe2\x80\x8d") << QStringLiteral("U+200D");
    QTest::newRow("Hebrew") << QByteArray("\xd7\xa9\xd7\x9c") << QString::fromUtf8("\xd7\xa9\xd7\x9c");
}

void TestVisibleText::showsEverything()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, visible);
    QCOMPARE(visibleText({bytes.constData(), static_cast<std::size_t>(bytes.size())}), visible);
}

void TestVisibleText::showsThePiece()
{
    core::Token token;
    token.piece = "\u2581The";
    QCOMPARE(visiblePiece(token), QStringLiteral("␣The"));
    token.piece = "<0x0A>";
    QCOMPARE(visiblePiece(token), QStringLiteral("<0x0A>"));
}

void TestVisibleText::shortens()
{
    QCOMPARE(shortened(QStringLiteral("␣␣"), 10), QStringLiteral("␣␣"));
    QCOMPARE(shortened(visibleText("          "sv), 8), QStringLiteral("␣×10"));
    QCOMPARE(shortened(QStringLiteral("-----"), 10), QStringLiteral("-----"));
    QCOMPARE(shortened(QStringLiteral("abcdefgh"), 5), QStringLiteral("abcd…"));
    const QString emoji = QString::fromUtf8("abc\xf0\x9f\x98\x80z");
    QCOMPARE(shortened(emoji, 5), QStringLiteral("abc…")); // not half an emoji
}

QTEST_APPLESS_MAIN(TestVisibleText)
#include "visible_text_test.moc"
