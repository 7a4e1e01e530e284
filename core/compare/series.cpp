// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/series.h"

#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

namespace headscope::core {
namespace {

constexpr double blank = std::numeric_limits<double>::quiet_NaN();

double bitsPerByte(const Trace& trace)
{
    if (trace.streams.empty() || trace.loss.empty())
        return blank;
    double nats = 0;
    std::size_t bytes = 0;
    const auto& tokens = trace.text(static_cast<int>(trace.streams.size()) - 1).tokens;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (std::isnan(trace.loss[i]))
            continue;
        nats += static_cast<double>(trace.loss[i]);
        bytes += tokens[i].span.size();
    }
    return bytes == 0 ? blank : nats / std::numbers::ln2 / static_cast<double>(bytes);
}

/// Choices that two steps share, per position and as a share of k.
double shared(const SiteRouting& a, const SiteRouting& b, int head)
{
    if (a.tokens == 0)
        return blank;
    std::int64_t common = 0;
    for (std::int64_t token = 0; token < a.tokens; ++token) {
        const auto first = a.experts.begin() + static_cast<std::ptrdiff_t>(a.slot(token, head, 0));
        const auto second = b.experts.begin() + static_cast<std::ptrdiff_t>(b.slot(token, head, 0));
        for (int slot = 0; slot < a.router.chosen; ++slot)
            common += std::count(second, second + b.router.chosen, first[slot]);
    }
    return static_cast<double>(common) / static_cast<double>(a.tokens * a.router.chosen);
}

double chance(const Load& a, const Load& b, std::int64_t tokens, int chosen)
{
    if (tokens == 0)
        return blank;
    const auto positions = static_cast<double>(tokens);
    double sum = 0;
    for (std::size_t e = 0; e < a.selections.size(); ++e)
        sum += static_cast<double>(a.selections[e]) / positions * (static_cast<double>(b.selections[e]) / positions);
    return sum / chosen;
}

void requireComparable(const SeriesStep& step, const SeriesStep& last)
{
    if (step.ids != last.ids)
        throw Error(fmt::format("{} and {} cut the text into different tokens; they are not of one run.", step.member.name,
                                last.member.name));
    const auto same = [](const auto& a, const auto& b) {
        return a->router.address == b->router.address && a->router.experts == b->router.experts &&
               a->router.chosen == b->router.chosen && a->heads == b->heads;
    };
    if (!std::equal(step.sites.begin(), step.sites.end(), last.sites.begin(), last.sites.end(), same))
        throw Error(fmt::format("{} and {} do not have the same routers; they are not of one run.", step.member.name,
                                last.member.name));
}

RouterSeries routerSeries(std::span<const SeriesStep> steps, std::size_t site, int head)
{
    const SiteRouting& last = *steps.back().sites[site];
    RouterSeries result{.address = last.address(head),
                        .experts = last.router.experts,
                        .chosen = last.router.chosen,
                        .saturation = {},
                        .chance = {},
                        .next = {},
                        .entropy = {}};
    const Load lastLoad = loadOf(last, head);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const SiteRouting& routing = *steps[i].sites[site];
        const Load load = loadOf(routing, head);
        result.saturation.push_back(shared(routing, last, head));
        result.chance.push_back(chance(load, lastLoad, routing.tokens, routing.router.chosen));
        result.next.push_back(i + 1 < steps.size() ? shared(routing, *steps[i + 1].sites[site], head) : blank);
        result.entropy.push_back(routing.tokens == 0 ? blank : load.entropy);
    }
    return result;
}

std::vector<double> mean(const std::vector<RouterSeries>& routers, std::vector<double> RouterSeries::*values,
                         std::size_t steps)
{
    std::vector<double> means(steps, routers.empty() ? blank : 0);
    for (const RouterSeries& router : routers)
        for (std::size_t i = 0; i < steps; ++i)
            means[i] += (router.*values)[i] / static_cast<double>(routers.size());
    return means;
}

} // namespace

SeriesStep seriesStep(const SeriesMember& member, const Trace& trace)
{
    SeriesStep step{.member = member,
                    .sites = {},
                    .ids = trace.streams.empty() ? std::vector<TokenId>() : trace.text().ids(),
                    .evaluation = trace.model ? evaluationMode(*trace.model) : EvaluationMode{},
                    .bitsPerByte = bitsPerByte(trace)};
    for (const auto& site : trace.sites) {
        if (site->router.sharedWith)
            continue;
        auto decisions = std::make_shared<SiteRouting>(*site);
        decisions->logits = {};
        step.sites.push_back(std::move(decisions));
    }
    return step;
}

Series compareSteps(std::span<const SeriesStep> steps)
{
    Series series;
    for (const SeriesStep& step : steps) {
        requireComparable(step, steps.back());
        series.members.push_back(step.member);
        series.bitsPerByte.push_back(step.bitsPerByte);
    }
    if (steps.empty())
        return series;
    series.evaluation = steps.back().evaluation;
    const auto& sites = steps.back().sites;
    for (std::size_t site = 0; site < sites.size(); ++site)
        for (int head = 0; head < sites[site]->heads; ++head)
            series.routers.push_back(routerSeries(steps, site, head));
    series.saturation = mean(series.routers, &RouterSeries::saturation, steps.size());
    series.chance = mean(series.routers, &RouterSeries::chance, steps.size());
    series.next = mean(series.routers, &RouterSeries::next, steps.size());
    series.entropy = mean(series.routers, &RouterSeries::entropy, steps.size());
    return series;
}

std::vector<SeriesStep> runSeries(std::span<const SeriesMember> members, std::string_view text, const MemberOpener& open,
                                  const SeriesHooks& hooks)
{
    std::vector<std::size_t> order(members.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (order.size() > 1)
        std::rotate(order.begin(), order.end() - 1, order.end());
    std::vector<SeriesStep> steps(members.size());
    std::size_t done = 0;
    for (const std::size_t at : order) {
        const SeriesMember& member = members[at];
        const auto part = [&](double fraction, std::string_view stage) {
            hooks.progress.at((static_cast<double>(done) + fraction) / static_cast<double>(members.size()),
                              fmt::format("{}: {}", member.name, stage));
        };
        part(0, "opening");
        const auto model = open(at, {.report = [&](double fraction, std::string_view stage) { part(fraction / 2, stage); },
                                     .stop = hooks.progress.stop, .asked = hooks.progress.asked});
        const TraceOptions options{.maps = false, .routerLogits = false, .loss = true};
        const Progress tracing{.report = [&](double fraction, std::string_view stage) { part((1 + fraction) / 2, stage); },
                               .stop = hooks.progress.stop, .asked = hooks.progress.asked};
        steps[at] = seriesStep(member, *model->trace(model->tokenize(text, tracing), options, tracing));
        if (hooks.arrived)
            hooks.arrived(std::make_shared<const SeriesStep>(steps[at]));
        ++done;
    }
    return steps;
}

} // namespace headscope::core
