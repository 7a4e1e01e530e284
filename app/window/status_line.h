// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/trace/model_info.h"
#include "core/trace/trace.h"

#include <QStatusBar>
#include <QTimer>

#include <array>
#include <cstdint>

class QLabel;
class QProgressBar;
class QPushButton;

namespace headscope::app {

/// family · variant · parameters · tokens · milliseconds · device · memory of the program.
class StatusLine : public QStatusBar
{
    Q_OBJECT

public:
    explicit StatusLine(QWidget* parent = nullptr);

    /// Either may be nullptr.
    void setInfo(const core::ModelInfo* info);
    void setTrace(const core::Trace* trace);
    /// A trace that is under way, in [0, 1]; negative: none. While one is shown it can be stopped.
    void setTraceProgress(double fraction);
    QString text() const; // of all parts, for tests

Q_SIGNALS:
    /// The progress of a trace is shown, or no more.
    void tracingShown(bool shown);
    void stopAsked();

private:
    enum Part : std::uint8_t { Family, Variant, Parameters, Tokens, Time, Device, Memory, Parts };

    void set(Part part, const QString& text, const QString& explanation);
    void setOften(Part part, const QString& text, const QString& explanation);
    void showMemory();

    std::array<QLabel*, Parts> m_parts{};
    QProgressBar* m_progress;
    QPushButton* m_stop;
    QTimer m_memoryTimer;
};

/// Bytes of this process in memory; 0 where the system does not tell.
std::int64_t residentBytes();
/// "412 MB", "1.3 GB".
QString bytesText(std::int64_t bytes);

} // namespace headscope::app
