// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare_text.h"

#include "widgets/number_text.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("CompareView", text);
}

/// Mean over the pairs where it is known; NaN when it is nowhere.
template <class Value>
double mean(const std::vector<core::RouterComparison>& routers, Value value)
{
    double sum = 0;
    int count = 0;
    for (const core::RouterComparison& router : routers) {
        const double one = value(router);
        if (std::isnan(one))
            continue;
        sum += one;
        ++count;
    }
    return count > 0 ? sum / count : std::nan("");
}

QString agreementSentence(const core::Comparison& comparison)
{
    const auto& routers = comparison.routers;
    if (routers.empty())
        return tr("No router of A has a counterpart in B.");
    const QString pairs = counted(static_cast<std::int64_t>(routers.size()), tr("pair of routers"), tr("pairs of routers"));
    QString text = tr("Agreement %1 over %2; chance %3")
                       .arg(fixedNumber(comparison.agreement, 3), pairs,
                            fixedNumber(mean(routers, [](const auto& router) { return router.chance; }), 3));
    const double null = mean(routers, [](const auto& router) { return router.nullMean; });
    if (!std::isnan(null)) {
        const auto said = [&routers](core::NullVerdict verdict) {
            return std::ranges::count(routers, verdict, &core::RouterComparison::verdict);
        };
        text += tr(", null %1; %2 of %3 above the null’s 95 % interval")
                    .arg(fixedNumber(null, 3))
                    .arg(said(core::NullVerdict::Above))
                    .arg(routers.size());
        if (const auto atEdge = said(core::NullVerdict::AtEdge); atEdge > 0)
            text += tr(", %1 at its edge, where another seed may decide otherwise").arg(atEdge);
    }
    return text + QLatin1Char('.');
}

QString lossSentence(const core::LossComparison& loss)
{
    if (loss.bytes == 0 || std::isnan(loss.bitsPerByteA) || std::isnan(loss.bitsPerByteB))
        return {};
    QString text = tr("Bits per byte: A %1, B %2, B − A %3")
                       .arg(fixedNumber(loss.bitsPerByteA, 3), fixedNumber(loss.bitsPerByteB, 3),
                            fixedNumber(loss.bitsPerByteB - loss.bitsPerByteA, 3));
    if (const QString interval = intervalText(loss.difference, 3); !interval.isEmpty())
        text += QLatin1Char(' ') + interval;
    return text + QLatin1Char('.');
}

} // namespace

QString comparisonSummary(const core::Comparison& comparison)
{
    QStringList sentences{agreementSentence(comparison)};
    if (!comparison.routers.empty())
        sentences << tr("Experts matched %1%2.")
                         .arg(matchingWords(comparison.matching),
                              comparison.crossFitted ? tr(", fitted on other parts of the text than those judged")
                                                     : QString());
    sentences << lossSentence(comparison.loss);
    sentences.removeAll(QString());
    return sentences.join(QLatin1Char(' '));
}

QString pairSummary(const core::RouterComparison& pair)
{
    QStringList parts;
    parts << tr("agreement %1").arg(fixedNumber(pair.agreement, 3));
    if (const QString interval = intervalText(pair.interval, 2); !interval.isEmpty())
        parts.last() += QLatin1Char(' ') + interval;
    parts << tr("chance %1").arg(fixedNumber(pair.chance, 3));
    if (const QString interval = intervalText(pair.null, 2); !interval.isEmpty())
        parts << tr("null %1 %2").arg(fixedNumber(pair.nullMean, 3), interval);
    if (pair.bound < 1 - 1e-9)
        parts << tr("at most %1").arg(fixedNumber(pair.bound, 3));
    return parts.join(QStringLiteral(" · "));
}

QString comparisonNotes(const core::Comparison& comparison)
{
    QStringList lines;
    for (const std::string& note : comparison.notes)
        lines << QString::fromStdString(note);
    return lines.join(QLatin1Char('\n'));
}

} // namespace headscope::widgets
