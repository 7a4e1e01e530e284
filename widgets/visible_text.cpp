// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/visible_text.h"

#include "widgets/utf8.h"

#include <QChar>

#include <algorithm>

namespace headscope::widgets {

namespace {

bool nonCharacter(char32_t character)
{
    return (character >= 0xfdd0 && character <= 0xfdef) || (character & 0xfffe) == 0xfffe;
}

bool joiner(char32_t character) // part of how emoji and several scripts are spelt
{
    return character == 0x200c || character == 0x200d || (character >= 0xfe00 && character <= 0xfe0f);
}

bool shapeless(char32_t character)
{
    if (nonCharacter(character))
        return true;
    switch (QChar::category(character)) {
    case QChar::Separator_Space: // all but U+0020, which has its sign
    case QChar::Separator_Line:
    case QChar::Separator_Paragraph:
    case QChar::Other_Control:
    case QChar::Other_Format:
    case QChar::Other_PrivateUse:
    case QChar::Other_Surrogate:
    case QChar::Other_NotAssigned: return true;
    default:
        return character == 0xfffc || character == 0x115f || character == 0x1160 ||
               character == 0x3164; // object, Hangul fillers
    }
}

QString name(char32_t character)
{
    return QStringLiteral("U+%1").arg(static_cast<uint>(character), 4, 16, QLatin1Char('0')).toUpper();
}

QString byteEscape(char32_t byte)
{
    return QStringLiteral("\\x") + QStringLiteral("%1").arg(static_cast<uint>(byte), 2, 16, QLatin1Char('0')).toUpper();
}

} // namespace

QString visibleCharacter(char32_t character)
{
    switch (character) {
    case U' ': return QString(QChar(spaceSign));
    case U'\t': return QString(QChar(u'\u21e5'));
    case U'\n': return QString(QChar(u'\u21b5'));
    case U'\r': return QString(QChar(u'\u21e4'));
    default: break;
    }
    if (character < 0x20 || character == 0x7f)
        return byteEscape(character);
    if (shapeless(character))
        return name(character);
    return QString::fromUcs4(&character, 1);
}

QString visibleText(std::string_view bytes)
{
    QString result;
    result.reserve(static_cast<qsizetype>(bytes.size()));
    bool afterLetter = false;
    for (std::size_t at = 0; at < bytes.size();) {
        const auto [character, size, valid] = utf8At(bytes, at);
        at += size;
        if (!valid) {
            result += byteEscape(character);
            afterLetter = false;
        } else if (afterLetter && joiner(character)) {
            result += QString::fromUcs4(&character, 1);
        } else {
            const auto category = QChar::category(character);
            const bool mark = category == QChar::Mark_NonSpacing || category == QChar::Mark_Enclosing;
            if (mark && !afterLetter)
                result += QChar(u'\u25cc');
            const QString visible = visibleCharacter(character);
            result += visible;
            afterLetter = mark || visible == QString::fromUcs4(&character, 1);
        }
    }
    return result;
}

QString visiblePiece(const core::Token& token)
{
    return visibleText(token.piece).replace(QChar(u'\u2581'), QChar(spaceSign));
}

QString shortened(const QString& visible, int length)
{
    if (visible.size() <= 3)
        return visible;
    constexpr std::u16string_view signs = u"\u2423\u21e5\u21b5\u21e4";
    const bool run =
        std::all_of(visible.begin(), visible.end(), [&](QChar character) { return character == visible.front(); });
    if (run && signs.find(visible.front().unicode()) != signs.npos)
        return QStringLiteral("%1\u00d7%2").arg(visible.front()).arg(visible.size());
    if (visible.size() <= length)
        return visible;
    qsizetype end = length - 1;
    if (visible.at(end).isLowSurrogate())
        --end;
    return visible.left(end) + QChar(u'\u2026');
}

QString isolated(const QString& text)
{
    return QChar(u'\u2068') + text + QChar(u'\u2069');
}

} // namespace headscope::widgets
