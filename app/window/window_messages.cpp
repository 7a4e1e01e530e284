// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/window_messages.h"

#include "app/cli/cost_text.h"
#include "core/trace/loss_note.h"

#include <QCoreApplication>

namespace headscope::app {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("messages", text);
}

QString costOf(const LongTrace::Cost& cost)
{
    return QString::fromStdString(costText(cost.seconds, cost.bytes));
}

/// Leaving them out is worth offering.
bool mapsAreLarge(const LongTrace& cost)
{
    constexpr double worth = 0.75;
    return static_cast<double>(cost.routingOnly.bytes) < worth * static_cast<double>(cost.whole.bytes);
}

/// "12,345 tokens: about 9 s and 1.2 GB; without attention maps about 8 s and 80 MB."
QString costSentence(const LongTrace& cost)
{
    const QString whole = QStringLiteral("%1: %2").arg(QString::fromStdString(tokensText(cost.tokens)), costOf(cost.whole));
    return mapsAreLarge(cost) ? tr("%1; without attention maps %2.").arg(whole, costOf(cost.routingOnly))
                              : whole + QStringLiteral(".");
}

std::vector<MessageAction> waysToTrace(const LongTrace& cost, const std::function<void(WhenLong)>& traceAgain)
{
    std::vector<MessageAction> ways{{tr("Trace it"), [traceAgain] { traceAgain(WhenLong::Trace); }}};
    if (mapsAreLarge(cost))
        ways.push_back({tr("Only routing"), [traceAgain] { traceAgain(WhenLong::TraceRoutingOnly); }});
    return ways;
}

} // namespace

QString checkpointSubject(const std::filesystem::path& path)
{
    return QStringLiteral("checkpoint ") + QString::fromStdString(path.string());
}

QString demoSubject()
{
    return QStringLiteral("demonstration");
}

QString tokenizerSubject()
{
    return QStringLiteral("tokenizer");
}

QString secondSubject()
{
    return QStringLiteral("B");
}

QString textSubject()
{
    return QStringLiteral("text");
}

QString secondLossSubject()
{
    return QStringLiteral("loss of B");
}

QString lossSubject()
{
    return QStringLiteral("loss");
}

Message openingFailed(const std::filesystem::path& path, const QString& sentence)
{
    return {checkpointSubject(path), Message::Kind::Error, sentence};
}

Message demoMissing(std::function<void()> openAnother)
{
    return {demoSubject(), Message::Kind::Notice,
            tr("The demonstration checkpoints are not installed (folder demo in share/headscope, or where "
               "HEADSCOPE_RESOURCES points): "
               "open a checkpoint of your own."),
            {{tr("Open file…"), std::move(openAnother)}}};
}

Message tokenizerMissing(const CheckpointSession& session, std::function<void()> choose)
{
    return {tokenizerSubject(), Message::Kind::Notice,
            tr("%1 has no tokenizer beside it: the text is read as a list of ids from 0 to %2. Choose the tokenizer it was "
               "trained with to "
               "type words.")
                .arg(session.name())
                    .arg(session.info()->vocabulary - 1)
                + (session.info()->withoutTokenizer.empty() ? QString() : QStringLiteral(" ") + QString::fromStdString(session.info()->withoutTokenizer)),
            {{tr("Choose tokenizer…"), std::move(choose)}}};
}

Message changedOnDisk(const CheckpointSession& session, std::function<void()> openAgain)
{
    return {
        checkpointSubject(session.path()), Message::Kind::Notice,
        tr("%1 has changed on disk since it was opened; what is shown comes from what was read then.").arg(session.name()),
        {{tr("Open again"), std::move(openAgain)}}};
}

Message textFailed(const QString& sentence)
{
    return {textSubject(), Message::Kind::Error, sentence};
}

void showLossNote(MessageArea& area, const core::Trace* trace, const QString& subject, const QString& words)
{
    const auto note = trace != nullptr ? core::lossNote(*trace) : std::nullopt;
    if (note)
        area.show({subject, Message::Kind::Notice, words.arg(QString::fromStdString(*note))});
    else
        area.dismiss(subject);
}

Message textStopped(std::function<void()> traceAgain)
{
    return {textSubject(), Message::Kind::Notice, tr("The trace of this text was stopped; what is shown is of an earlier text."),
            {{tr("Trace it"), std::move(traceAgain)}}};
}

Message textTakesLong(const LongTrace& cost, const std::function<void(WhenLong)>& traceAgain)
{
    return {textSubject(), Message::Kind::Notice, tr("This text has %1").arg(costSentence(cost)), waysToTrace(cost, traceAgain)};
}

Message secondTakesLong(const CheckpointSession& session, const LongTrace& cost,
                        const std::function<void(WhenLong)>& traceAgain)
{
    return {secondSubject(), Message::Kind::Notice,
            tr("For B, %1, this text has %2").arg(session.name(), costSentence(cost)), waysToTrace(cost, traceAgain)};
}

Message secondFailed(const CheckpointSession& session, const QString& sentence)
{
    return {secondSubject(), Message::Kind::Error, tr("B, %1: %2").arg(session.name(), sentence)};
}

} // namespace headscope::app
