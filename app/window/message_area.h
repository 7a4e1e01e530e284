// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QString>

#include <cstdint>
#include <functional>
#include <vector>

class QLabel;
class QVBoxLayout;

namespace headscope::app {

/// What can be done about a message: a button.
struct MessageAction {
    QString text;
    std::function<void()> act;
};

/// One sentence for the user.
struct Message {
    enum class Kind : std::uint8_t { Notice, Error };

    QString subject; // a later message of the same subject takes its place
    Kind kind = Kind::Error;
    QString sentence;
    std::vector<MessageAction> actions = {}; // any of them dismisses the message
};

/// A message in a bar: the sentence (selectable), what can be done about it, and a button that dismisses it.
class MessageBar : public QFrame
{
    Q_OBJECT

public:
    explicit MessageBar(const Message& message, QWidget* parent = nullptr);

    const QString& subject() const { return m_subject; }
    QString sentence() const;

Q_SIGNALS:
    void dismissed();

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void applyTheme();

    QString m_subject;
    Message::Kind m_kind;
    QLabel* m_symbol;
    QLabel* m_label;
};

/// The messages over a pane, newest on top; takes no room when there are none.
class MessageArea : public QWidget
{
    Q_OBJECT

public:
    static constexpr int most = 3; // shown at once; the oldest goes

    explicit MessageArea(QWidget* parent = nullptr);

    void show(const Message& message);
    void dismiss(const QString& subject);
    /// The sentences, newest first.
    QStringList sentences() const;

private:
    QList<MessageBar*> bars() const;
    void remove(MessageBar* bar);

    QVBoxLayout* m_layout;
};

} // namespace headscope::app
