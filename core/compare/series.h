// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"
#include "core/trace/evaluation_mode.h"
#include "core/trace/model.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core {

// How routing settles over the steps of one run: every checkpoint of it on the same text, experts matched by number.

/// One checkpoint of a run.
struct SeriesMember {
    std::int64_t step = 0;
    std::string name; // of its file
    bool operator==(const SeriesMember&) const = default;
};

/// The decisions of one checkpoint on the text; what remains of it when its weights are gone.
struct SeriesStep {
    SeriesMember member;
    std::vector<std::shared_ptr<const SiteRouting>> sites; // without logits
    std::vector<TokenId> ids;                              // of the text
    EvaluationMode evaluation = {};
    double bitsPerByte = 0; // loss over the bytes of all tokens but the first; NaN without a text
};
SeriesStep seriesStep(const SeriesMember& member, const Trace& trace);

/// One router over the steps. Shares are of the k choices of a position, averaged over positions: |A ∩ B| / k.
struct RouterSeries {
    RouterAddress address;
    int experts = 0;
    int chosen = 0;
    /// Share of the choices of this step that the last step makes too: router saturation (Muennighoff et al. 2024, OLMoE). 1
    /// at the last.
    std::vector<double> saturation; // [steps]
    std::vector<double>
        chance; // [steps]: the same for two independent routings of these loads, Σ_e i(e)·i_last(e) / k, i(e) = n(e)/N
    std::vector<double> next;    // [steps]: shared with the next step; NaN at the last
    std::vector<double> entropy; // [steps]: of the load, divided by log E
};

struct Series {
    std::vector<SeriesMember> members; // ascending step
    EvaluationMode evaluation = {};    // of the last step
    std::vector<double> bitsPerByte;   // [steps]
    std::vector<RouterSeries> routers; // in order of the forward pass; not those that share another's decision
    std::vector<double> saturation, chance, next, entropy; // [steps]: means over the routers
};

/// Any of the steps of a run, ascending; the last of them is what the others are held against. Throws Error when they are
/// not of one text or do not have the same routers.
Series compareSteps(std::span<const SeriesStep> steps);

/// Opens the member of this index. May throw Error.
using MemberOpener = std::function<std::shared_ptr<const Model>(std::size_t member, const Progress& progress)>;

struct SeriesHooks {
    std::function<void(std::shared_ptr<const SeriesStep>)> arrived; // called in the order in which members are run
    Progress progress;
};

/// Runs the text by every member, one after the other, with only one in memory: the last step first (the others are held
/// against it), then from the first on. `steps` come back ascending. Throws Error (naming the member that could not be
/// opened or run), Cancelled.
std::vector<SeriesStep> runSeries(std::span<const SeriesMember> members, std::string_view text, const MemberOpener& open,
                                  const SeriesHooks& hooks = {});

} // namespace headscope::core
