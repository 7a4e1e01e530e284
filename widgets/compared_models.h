// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/comparison.h"
#include "widgets/palette.h"

#include <QString>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace headscope::widgets {

/// What the views of a comparison read: the comparison, the traces it was made of, and what the models are called.
struct ComparedModels {
    std::shared_ptr<const core::Comparison> comparison;
    core::ComparedTraces traces;
    QString nameA;
    QString nameB;

    bool valid() const { return comparison && traces.a && traces.b; }
    const core::Trace& trace(bool ofB) const { return ofB ? *traces.b : *traces.a; }
};

/// One router of a pair as it is drawn. Experts of B have the number and the colour of the expert of A they are matched
/// with, their own number in brackets: "3 [7]"; unmatched ones have their own in brackets alone and no colour.
struct ShownRouter {
    const core::SiteRouting* site = nullptr; // of the trace; nullptr: it has none
    int head = 0;
    std::vector<QString> names; // [experts]
    std::vector<int> colors;    // [experts]: number of A's expert; -1 for none
    float largestGate = 0;

    /// 0 … 1: the gate of a chosen slot beside the largest one of the router in this text.
    float strength(std::int64_t token, int position) const;
    int expert(std::int64_t token, int position) const { return site->experts[site->slot(token, head, position)]; }
    bool decides(std::size_t token) const { return site && static_cast<std::int64_t>(token) < site->tokens; }
};
ShownRouter shownRouterOfA(const core::Trace& trace, const core::RouterComparison& pair);
ShownRouter shownRouterOfB(const core::Trace& trace, const core::RouterComparison& pair);
/// [expertsB]: A's expert, -1 for none.
std::vector<int> expertOfA(const core::RouterComparison& pair);
/// "3 [7]", "3" where both have the same number in a matching by number, "[7]" without a counterpart (-1).
QString matchedName(int expertOfA, int expertOfB, core::Matching matching);

/// What the bands between the tokens of both models are coloured by.
enum class CompareTint { Agreement, MeanAgreement, Loss, Divergence };

/// One value for every unit with the scale it is seen on.
struct UnitTints {
    std::vector<double> values; // [units]; NaN: nothing to show
    ColorScale scale = ColorScale::Sequential;
    double low = 0;
    double high = 1;
    bool clipped = false; // a few values lie beyond the ends
    QString title;
    QString why; // there is no value at all

    QColor color(std::size_t unit, const Theme& theme) const; // transparent for NaN
    /// The place of a value on the scale, 0 … 1.
    double place(double value) const { return (value - low) / (high - low); }
};
UnitTints unitTints(const core::Comparison& comparison, std::size_t pair, CompareTint tint);

/// "by the same number", "by co-selection", "by the routers' weights".
QString matchingWords(core::Matching matching);
/// "[0.31, 0.42]"; empty for none.
QString intervalText(const core::Interval& interval, int decimals);

} // namespace headscope::widgets
