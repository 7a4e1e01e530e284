// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/message_area.h"

#include "app/window/resources.h"
#include "widgets/oklab.h"
#include "widgets/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>

namespace headscope::app {

namespace {

QColor accent(Message::Kind kind, const widgets::Theme& theme)
{
    return kind == Message::Kind::Error ? theme.error : theme.highlight;
}

} // namespace

MessageBar::MessageBar(const Message& message, QWidget* parent)
    : QFrame(parent), m_subject(message.subject), m_kind(message.kind), m_symbol(new QLabel),
      m_label(new QLabel(message.sentence))
{
    m_label->setTextFormat(Qt::PlainText); // sentences quote file names and tokens
    m_label->setWordWrap(true);
    m_label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setAccessibleName(message.sentence);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(10, 6, 6, 6);
    row->addWidget(m_symbol, 0, Qt::AlignTop);
    row->addWidget(m_label, 1);
    for (const MessageAction& action : message.actions) {
        auto* button = new QPushButton(action.text);
        connect(button, &QPushButton::clicked, this, [this, act = action.act] {
            Q_EMIT dismissed(); // first: what is done may have something new to say
            act();
        });
        row->addWidget(button, 0, Qt::AlignTop);
    }
    auto* close = new QToolButton;
    close->setObjectName(QStringLiteral("dismiss"));
    close->setAutoRaise(true);
    close->setFocusPolicy(Qt::StrongFocus);
    close->setToolTip(tr("Dismiss (Esc)"));
    close->setAccessibleName(tr("Dismiss this message"));
    connect(close, &QToolButton::clicked, this, &MessageBar::dismissed);
    row->addWidget(close, 0, Qt::AlignTop);
    applyTheme();
}

QString MessageBar::sentence() const
{
    return m_label->text();
}

void MessageBar::paintEvent(QPaintEvent*)
{
    const auto theme = widgets::themeOf(palette());
    const QColor color = accent(m_kind, theme);
    QPainter painter(this);
    painter.fillRect(rect(), widgets::mix(theme.window, color, 0.14));
    painter.fillRect(QRect(0, 0, 3, height()), color);
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme.border);
}

void MessageBar::changeEvent(QEvent* event)
{
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        applyTheme();
}

void MessageBar::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        Q_EMIT dismissed();
    else
        QFrame::keyPressEvent(event);
}

void MessageBar::applyTheme()
{
    const auto theme = widgets::themeOf(palette());
    const bool error = m_kind == Message::Kind::Error;
    m_symbol->setPixmap(symbol(error ? QStringLiteral("error") : QStringLiteral("info"), accent(m_kind, theme))
                            .pixmap(QSize(20, 20), devicePixelRatioF()));
    findChild<QToolButton*>(QStringLiteral("dismiss"))->setIcon(symbol(QStringLiteral("close"), theme.text));
}

MessageArea::MessageArea(QWidget* parent) : QWidget(parent), m_layout(new QVBoxLayout(this))
{
    m_layout->setContentsMargins(0, 0, 0, 0);
    m_layout->setSpacing(0);
    hide();
}

QList<MessageBar*> MessageArea::bars() const
{
    QList<MessageBar*> bars;
    for (int i = 0; i < m_layout->count(); ++i)
        bars << qobject_cast<MessageBar*>(m_layout->itemAt(i)->widget());
    return bars;
}

void MessageArea::show(const Message& message)
{
    dismiss(message.subject);
    auto* bar = new MessageBar(message);
    connect(bar, &MessageBar::dismissed, this, [this, bar] { remove(bar); });
    m_layout->insertWidget(0, bar);
    if (m_layout->count() > most)
        remove(bars().last());
    setVisible(true);
}

void MessageArea::dismiss(const QString& subject)
{
    for (MessageBar* bar : bars())
        if (bar->subject() == subject)
            remove(bar);
}

QStringList MessageArea::sentences() const
{
    QStringList sentences;
    for (const MessageBar* bar : bars())
        sentences << bar->sentence();
    return sentences;
}

void MessageArea::remove(MessageBar* bar)
{
    m_layout->removeWidget(bar);
    bar->hide();
    bar->deleteLater();
    setVisible(m_layout->count() > 0);
}

} // namespace headscope::app
