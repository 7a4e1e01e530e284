// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/status_line.h"

#include "app/window/checkpoint_list_item_model.h"

#include <QFile>
#include <QLabel>
#include <QLocale>
#include <QProgressBar>
#include <QPushButton>

#include <unistd.h>

namespace headscope::app {

using namespace std::chrono_literals;

std::int64_t residentBytes()
{
    QFile file(QStringLiteral("/proc/self/statm")); // pages: size, resident, …
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    const QList<QByteArray> fields = file.readAll().split(' ');
    return fields.size() > 1 ? fields[1].toLongLong() * sysconf(_SC_PAGESIZE) : 0;
}

QString bytesText(std::int64_t bytes)
{
    const double megabytes = static_cast<double>(bytes) / 1e6;
    return megabytes < 1000 ? QStringLiteral("%1 MB").arg(megabytes, 0, 'f', megabytes < 10 ? 1 : 0)
                            : QStringLiteral("%1 GB").arg(megabytes / 1000, 0, 'f', 1);
}

StatusLine::StatusLine(QWidget* parent) : QStatusBar(parent), m_progress(new QProgressBar), m_stop(new QPushButton(tr("Stop")))
{
    setSizeGripEnabled(false);
    for (QLabel*& label : m_parts) {
        label = new QLabel;
        label->setTextFormat(Qt::PlainText);
        label->setContentsMargins(4, 0, 4, 0);
    }
    for (const Part part : {Family, Variant, Parameters, Tokens, Time})
        addWidget(m_parts[part]);
    m_progress->setRange(0, 1000);
    m_progress->setTextVisible(false);
    m_progress->setFixedWidth(120);
    m_progress->setAccessibleName(tr("Progress of the trace"));
    m_progress->hide();
    m_stop->setObjectName(QStringLiteral("stopTrace"));
    m_stop->setToolTip(tr("Stop the trace of this text (Esc)"));
    m_stop->setFocusPolicy(Qt::TabFocus); // a click leaves the focus in the text
    m_stop->hide();
    connect(m_stop, &QPushButton::clicked, this, &StatusLine::stopAsked);
    addPermanentWidget(m_progress);
    addPermanentWidget(m_stop);
    addPermanentWidget(m_parts[Device]);
    addPermanentWidget(m_parts[Memory]);
    connect(&m_memoryTimer, &QTimer::timeout, this, &StatusLine::showMemory);
    m_memoryTimer.start(2s);
    setInfo(nullptr);
    setTrace(nullptr);
    showMemory();
}

void StatusLine::set(Part part, const QString& text, const QString& explanation)
{
    QLabel* label = m_parts[part];
    label->setText(text);
    label->setToolTip(explanation);
    label->setVisible(!text.isEmpty());
}

/// Of a part that changes with every keystroke: a label of fixed size does not make the window arrange itself anew. It grows
/// by whole digits.
void StatusLine::setOften(Part part, const QString& text, const QString& explanation)
{
    QLabel* label = m_parts[part];
    const QMargins margins = label->contentsMargins();
    const QFontMetrics metrics(label->font());
    const int digit = metrics.horizontalAdvance(QLatin1Char('0'));
    const int wanted = metrics.horizontalAdvance(text) + margins.left() + margins.right();
    if (wanted > label->width() || wanted + 4 * digit < label->width() || label->minimumWidth() != label->maximumWidth())
        label->setFixedSize(wanted + 2 * digit, label->sizeHint().height());
    set(part, text, explanation);
}

void StatusLine::setInfo(const core::ModelInfo* info)
{
    if (!info) {
        set(Family, tr("No checkpoint is open"), {});
        for (const Part part : {Variant, Parameters, Device})
            set(part, {}, {});
        return;
    }
    set(Family, QString::fromStdString(info->family), tr("Family: whose training code wrote the checkpoint"));
    set(Variant, QString::fromStdString(info->variant), tr("Variant"));
    set(Parameters, tr("%1 parameters").arg(countText(info->parameters)),
        QLocale::c().toString(static_cast<qlonglong>(info->parameters)));
    set(Device, QStringLiteral("%1 · %2").arg(QString::fromStdString(info->device), QString::fromStdString(info->dtype)),
        tr("Device and number format it is computed with"));
}

void StatusLine::setTrace(const core::Trace* trace)
{
    if (!trace) {
        set(Tokens, {}, {});
        set(Time, {}, {});
        return;
    }
    QStringList counts;
    for (const core::Stream& stream : trace->streams)
        counts << QString::number(stream.text.tokens.size());
    setOften(Tokens,
        trace->tokens() == 1 && counts.size() == 1 ? tr("1 token") : tr("%1 tokens").arg(counts.join(QStringLiteral(" + "))),
        {});
    setOften(Time, QStringLiteral("%1 ms").arg(trace->milliseconds, 0, 'f', trace->milliseconds < 10 ? 1 : 0),
        tr("Time of the run through the model"));
}

void StatusLine::setTraceProgress(double fraction)
{
    const bool shown = fraction >= 0;
    m_progress->setVisible(shown);
    m_progress->setValue(static_cast<int>(fraction * 1000));
    if (shown != m_stop->isVisibleTo(this)) {
        m_stop->setVisible(shown);
        Q_EMIT tracingShown(shown);
    }
}

void StatusLine::showMemory()
{
    setOften(Memory, bytesText(residentBytes()), tr("Memory of this program"));
}

QString StatusLine::text() const
{
    QStringList shown;
    for (const QLabel* label : m_parts)
        if (!label->text().isEmpty())
            shown << label->text();
    return shown.join(QStringLiteral(" · "));
}

} // namespace headscope::app
