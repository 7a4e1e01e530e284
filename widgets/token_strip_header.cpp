// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/token_strip_header.h"

#include "widgets/palette.h"

#include <QFontMetrics>
#include <QLocale>
#include <QPainter>

namespace headscope::widgets {

namespace {
constexpr int margin = 8;
constexpr int rampWidth = 56;
} // namespace

TokenStripHeader::TokenStripHeader(QWidget* parent) : QWidget(parent) {}

void TokenStripHeader::setCaption(const Caption& caption)
{
    if (caption == m_caption)
        return;
    m_caption = caption;
    setToolTip(caption.legend);
    update();
}

QSize TokenStripHeader::sizeHint() const
{
    return {200, fontMetrics().height() + 8};
}

int TokenStripHeader::drawKey(QPainter& painter) const
{
    if (!m_caption.largestGate)
        return width() - margin;
    const Theme theme = themeOf(palette());
    const QFontMetrics metrics = fontMetrics();
    int right = width() - margin;
    const auto writeLeftOf = [&](const QString& text) {
        const int textWidth = metrics.horizontalAdvance(text);
        painter.setPen(theme.mutedText);
        painter.drawText(QRect(right - textWidth, 0, textWidth, height()), Qt::AlignCenter, text);
        right -= textWidth + 6;
    };
    writeLeftOf(tr("doubtful"));
    const int sample = metrics.height() - 2;
    QPen dashed(theme.text, 1.4);
    dashed.setDashPattern({2.5, 2});
    painter.setPen(dashed);
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(right - sample - 4, (height() - sample) / 2.0, sample + 4, sample), 3, 3);
    right -= sample + 4 + 16;

    writeLeftOf(QLocale::c().toString(*m_caption.largestGate, 'g', 3));
    const double top = (height() - 10) / 2.0;
    for (int x = 0; x < rampWidth; ++x)
        painter.fillRect(QRectF(right - rampWidth + x, top, 1, 10),
                         expertColor(m_caption.expert.value_or(0), (x + 0.5) / rampWidth, theme));
    right -= rampWidth + 6;
    writeLeftOf(tr("gate 0"));
    return right - 10;
}

void TokenStripHeader::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme theme = themeOf(palette());
    painter.fillRect(rect(), theme.window);
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme.grid);
    const int right = drawKey(painter);

    QFont bold = font();
    bold.setWeight(QFont::DemiBold);
    const QFontMetrics boldMetrics(bold);
    painter.setFont(bold);
    painter.setPen(theme.text);
    const QString title = boldMetrics.elidedText(m_caption.title, Qt::ElideRight, right - margin);
    painter.drawText(QRect(margin, 0, right - margin, height()), Qt::AlignVCenter | Qt::AlignLeft, title);
    const int left = margin + boldMetrics.horizontalAdvance(title) + 10;
    painter.setFont(font());
    painter.setPen(theme.mutedText);
    if (right - left > 40)
        painter.drawText(QRect(left, 0, right - left, height()), Qt::AlignVCenter | Qt::AlignLeft,
                         fontMetrics().elidedText(m_caption.legend, Qt::ElideRight, right - left));
}

} // namespace headscope::widgets
