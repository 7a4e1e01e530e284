// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/checkpoint_session.h"
#include "app/window/message_area.h"

namespace headscope::app {

// What the window has to say, in words. A later message of one subject takes the place of the former.

QString checkpointSubject(const std::filesystem::path& path);
QString demoSubject();
QString tokenizerSubject();
QString textSubject();
QString secondSubject();
QString lossSubject();
QString secondLossSubject();

Message openingFailed(const std::filesystem::path& path, const QString& sentence);
Message demoMissing(std::function<void()> openAnother);
Message tokenizerMissing(const CheckpointSession& session, std::function<void()> choose);
Message changedOnDisk(const CheckpointSession& session, std::function<void()> openAgain);
Message textFailed(const QString& sentence);
/// Says, as `words` with the sentence for %1, that a model predicts the text worse than a guess (core::lossNote); nothing
/// any more where it does not.
void showLossNote(MessageArea& area, const core::Trace* trace, const QString& subject, const QString& words);
Message textStopped(std::function<void()> traceAgain);
/// The text waits for an answer.
Message textTakesLong(const LongTrace& cost, const std::function<void(WhenLong)>& traceAgain);
Message secondTakesLong(const CheckpointSession& session, const LongTrace& cost, const std::function<void(WhenLong)>& traceAgain);
/// B could not trace the text.
Message secondFailed(const CheckpointSession& session, const QString& sentence);

} // namespace headscope::app
