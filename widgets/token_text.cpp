// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/token_text.h"

namespace headscope::widgets {

QString pieceText(const core::Token& token)
{
    QString text = QString::fromUtf8(token.piece.data(), static_cast<qsizetype>(token.piece.size()));
    for (QChar& c : text) {
        if (c.unicode() < 0x20)
            c = QChar(0x2400 + c.unicode());
        else if (c.unicode() == 0x7f)
            c = QChar(0x2421);
        else if (c == QChar::LineSeparator || c == QChar::ParagraphSeparator)
            c = QChar(0x2424);
    }
    return text;
}

QString numberedPiece(const core::Token& token, std::int64_t index)
{
    return QString::number(index) + QLatin1Char(' ') + pieceText(token);
}

} // namespace headscope::widgets
