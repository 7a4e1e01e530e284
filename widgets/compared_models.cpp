// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compared_models.h"

#include "widgets/number_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("CompareView", text);
}

ShownRouter routerOf(const core::Trace& trace, const core::RouterAddress& address)
{
    ShownRouter shown;
    const core::SiteRouting* site = trace.site(address);
    const int head = site ? site->headOf(address) : -1;
    if (head < 0)
        return shown;
    shown.site = site;
    shown.head = head;
    for (std::int64_t token = 0; token < site->tokens; ++token)
        for (int position = 0; position < site->router.chosen; ++position)
            shown.largestGate = std::max(shown.largestGate, site->gates[site->slot(token, head, position)]);
    return shown;
}

/// A round number that is not smaller: 1, 2 or 5 times a power of ten.
double roundUp(double value)
{
    if (!(value > 0))
        return 1;
    const double power = std::pow(10, std::floor(std::log10(value)));
    for (const double step : {1.0, 2.0, 5.0})
        if (value <= step * power)
            return step * power;
    return 10 * power;
}

/// Ends of a scale that a few outliers do not stretch: 95 of 100 sizes lie inside.
void fitScale(UnitTints& tints)
{
    std::vector<double> sizes;
    for (const double value : tints.values)
        if (std::isfinite(value))
            sizes.push_back(std::abs(value));
    std::ranges::sort(sizes);
    tints.high = sizes.empty() ? 1 : roundUp(sizes[(sizes.size() - 1) * 95 / 100]);
    tints.clipped = !sizes.empty() && sizes.back() > tints.high;
}

bool blank(const std::vector<double>& values)
{
    return std::ranges::all_of(values, [](double value) { return std::isnan(value); });
}

} // namespace

float ShownRouter::strength(std::int64_t token, int position) const
{
    return largestGate > 0 ? site->gates[site->slot(token, head, position)] / largestGate : 0;
}

QString matchedName(int expertOfA, int expertOfB, core::Matching matching)
{
    if (expertOfA < 0)
        return QStringLiteral("[%1]").arg(expertOfB);
    if (matching == core::Matching::Identity && expertOfA == expertOfB)
        return QString::number(expertOfA);
    return QStringLiteral("%1 [%2]").arg(expertOfA).arg(expertOfB);
}

std::vector<int> expertOfA(const core::RouterComparison& pair)
{
    std::vector<int> result(static_cast<std::size_t>(std::max(pair.expertsB, 0)), -1);
    for (std::size_t a = 0; a < pair.expertOfB.size(); ++a)
        if (const int b = pair.expertOfB[a]; b >= 0 && b < pair.expertsB)
            result[static_cast<std::size_t>(b)] = static_cast<int>(a);
    return result;
}

ShownRouter shownRouterOfA(const core::Trace& trace, const core::RouterComparison& pair)
{
    ShownRouter shown = routerOf(trace, pair.a);
    for (int expert = 0; shown.site && expert < shown.site->router.experts; ++expert) {
        shown.names.push_back(QString::number(expert));
        shown.colors.push_back(expert);
    }
    return shown;
}

ShownRouter shownRouterOfB(const core::Trace& trace, const core::RouterComparison& pair)
{
    ShownRouter shown = routerOf(trace, pair.b);
    const std::vector<int> matched = expertOfA(pair);
    for (int expert = 0; shown.site && expert < shown.site->router.experts; ++expert) {
        const auto place = static_cast<std::size_t>(expert);
        const int a = place < matched.size() ? matched[place] : -1;
        shown.names.push_back(matchedName(a, expert, pair.matching));
        shown.colors.push_back(a);
    }
    return shown;
}

QColor UnitTints::color(std::size_t unit, const Theme& theme) const
{
    return unit < values.size() ? scaleColor(scale, place(values[unit]), theme) : QColor(Qt::transparent);
}

UnitTints unitTints(const core::Comparison& comparison, std::size_t pair, CompareTint tint)
{
    UnitTints tints;
    tints.values.assign(comparison.units.size(), std::nan(""));
    const auto fill = [&](auto value) {
        for (std::size_t i = 0; i < comparison.units.size(); ++i)
            tints.values[i] = value(i, comparison.units[i]);
    };
    switch (tint) {
    case CompareTint::Agreement:
        tints.title = tr("agreement of this router");
        tints.why = tr("this router decides nowhere in the text");
        if (pair < comparison.routers.size())
            fill([&](std::size_t i, const auto&) {
                const auto& values = comparison.routers[pair].unitAgreement;
                return i < values.size() ? static_cast<double>(values[i]) : std::nan("");
            });
        break;
    case CompareTint::MeanAgreement:
        tints.title = tr("agreement, mean of all router pairs");
        tints.why = tr("there is no pair of routers");
        fill([](std::size_t, const core::UnitComparison& unit) { return unit.agreement; });
        break;
    case CompareTint::Loss:
        tints.scale = ColorScale::Diverging;
        tints.title = tr("loss of B − A, nats");
        tints.why = tr("the losses of both are not known anywhere");
        fill([](std::size_t, const core::UnitComparison& unit) { return unit.lossB - unit.lossA; });
        fitScale(tints);
        tints.low = -tints.high;
        break;
    case CompareTint::Divergence:
        tints.title = tr("KL(A‖B) of the next token, nats");
        tints.why = tr("it needs the same vocabulary in both, and is not computed for very long texts");
        fill([](std::size_t, const core::UnitComparison& unit) { return unit.divergence; });
        fitScale(tints);
        break;
    }
    if (!blank(tints.values))
        tints.why.clear();
    return tints;
}

QString matchingWords(core::Matching matching)
{
    switch (matching) {
    case core::Matching::Identity: return tr("by number");
    case core::Matching::Coselection: return tr("by co-selection");
    case core::Matching::Weights: return tr("by the routers' weights");
    }
    return {};
}

QString intervalText(const core::Interval& interval, int decimals)
{
    if (std::isnan(interval.low) || std::isnan(interval.high))
        return {};
    return QStringLiteral("[%1, %2]").arg(fixedNumber(interval.low, decimals), fixedNumber(interval.high, decimals));
}

} // namespace headscope::widgets
