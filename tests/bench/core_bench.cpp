// SPDX-License-Identifier: GPL-3.0-or-later
// Opening and tracing the demonstration checkpoint. Figures, not assertions.
#include "core/attention/maps.h"
#include "core/compare/attention_comparison.h"
#include "core/compare/comparison.h"
#include "core/compare/matching.h"
#include "core/compare/next_token_divergence.h"
#include "core/families/model.h"
#include "core/stats/seeded_random.h"

#include <benchmark/benchmark.h>

#include <filesystem>
#include <memory>
#include <vector>

namespace headscope::core {
namespace {

const std::filesystem::path demo = std::filesystem::path(HEADSCOPE_RESOURCES) / "demo";

std::shared_ptr<const Model> openDemo(const char* name)
{
    OpenOptions options;
    options.device = "cpu";
    return openModel(demo / name / "model-1400.pth", options);
}

TokenizedText someTokens(const Model& model, std::int64_t count)
{
    std::vector<TokenId> ids;
    for (std::int64_t i = 0; i < count; ++i)
        ids.push_back(static_cast<TokenId>(3 + i * 7919 % (model.info()->vocabulary - 3)));
    return model.tokensFromIds(ids);
}

void open(benchmark::State& state, const char* name)
{
    for (auto _ : state)
        benchmark::DoNotOptimize(openDemo(name));
}

void trace(benchmark::State& state, const char* name, const TraceOptions& options)
{
    const auto model = openDemo(name);
    const auto text = someTokens(*model, state.range(0));
    for (auto _ : state)
        benchmark::DoNotOptimize(model->trace(text, options));
    state.SetItemsProcessed(state.iterations() * state.range(0)); // tokens
}

/// One more token behind a text that was traced before.
void keystroke(benchmark::State& state, const char* name)
{
    const auto model = openDemo(name);
    TraceOptions options;
    options.prefix = model->trace(someTokens(*model, state.range(0) - 1), {});
    const auto text = someTokens(*model, state.range(0));
    for (auto _ : state)
        benchmark::DoNotOptimize(model->trace(text, options));
}

/// English of about so many tokens, from the first bytes to ids.
void tokenize(benchmark::State& state)
{
    const auto model = openDemo("switchhead");
    std::string text;
    while (static_cast<std::int64_t>(model->tokenize(text).tokens.size()) < state.range(0))
        text += "The letter was not for her, and she put it back behind the clock.\n";
    for (auto _ : state)
        benchmark::DoNotOptimize(model->tokenize(text));
}

/// What a keystroke copies of the trace before: all that was kept for maps.
void copyKept(benchmark::State& state)
{
    const auto model = openDemo("switchhead");
    const auto kept = model->trace(someTokens(*model, state.range(0)), {});
    for (auto _ : state)
        for (const auto& block : kept->attention)
            benchmark::DoNotOptimize(AttentionKeep(*block));
}

void mapTile(benchmark::State& state)
{
    const auto model = openDemo("switchhead");
    const auto kept = model->trace(someTokens(*model, 512), {});
    const MapRef map{kept->attention.front()->address, MapRef::By::Map, 0, 0};
    for (auto _ : state)
        benchmark::DoNotOptimize(tile(*kept, map, {256, 256, 256, 256, 1}));
}

/// Experts of one router with those of another.
void assignment(benchmark::State& state)
{
    SeededRandom random(1);
    const auto size = static_cast<int>(state.range(0));
    std::vector<double> values;
    for (std::int64_t i = 0; i < state.range(0) * state.range(0); ++i)
        values.push_back(static_cast<double>(random.below(1000)));
    for (auto _ : state)
        benchmark::DoNotOptimize(bestAssignment(values, size, size));
}

/// Two models on one text, with 200 replicates of the null.
void compare(benchmark::State& state, const char* name, const char* other)
{
    const auto a = openDemo(name);
    const auto b = openDemo(other);
    const ComparedTraces traces{a->trace(someTokens(*a, state.range(0)), {.maps = false}), b->trace(someTokens(*b, state.range(0)), {.maps = false})};
    CompareSettings settings;
    settings.matching = Matching::Coselection;
    for (auto _ : state)
        benchmark::DoNotOptimize(compareTraces(traces, settings));
}

/// Sixteen routers of so many experts, two chosen, whose choices are random.
void compareExperts(benchmark::State& state)
{
    SeededRandom random(1);
    const auto experts = static_cast<int>(state.range(0));
    const auto model = openDemo("switchhead");
    const auto trace = [&] {
        Trace result = *model->trace(someTokens(*model, 512), {.maps = false});
        for (auto& site : result.sites) {
            auto wide = *site;
            wide.router.experts = experts;
            for (std::size_t i = 0; i < wide.experts.size(); i += 2) {
                wide.experts[i] = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(experts)));
                wide.experts[i + 1] = (wide.experts[i] + 1) % experts;
            }
            site = std::make_shared<const SiteRouting>(std::move(wide));
        }
        return std::make_shared<const Trace>(std::move(result));
    };
    const ComparedTraces traces{trace(), trace()};
    CompareSettings settings;
    settings.matching = Matching::Coselection;
    for (auto _ : state)
        benchmark::DoNotOptimize(compareTraces(traces, settings));
}

void divergence(benchmark::State& state)
{
    const auto a = openDemo("switchhead");
    const auto b = openDemo("moa");
    const TraceOptions options{.maps = false, .lastLayer = true};
    const auto ofA = a->trace(someTokens(*a, state.range(0)), options);
    const auto ofB = b->trace(someTokens(*b, state.range(0)), options);
    for (auto _ : state)
        benchmark::DoNotOptimize(nextTokenDivergence({*nextTokenHead(*a), *ofA}, {*nextTokenHead(*b), *ofB}));
}

void compareMaps(benchmark::State& state)
{
    const auto model = openDemo("switchhead");
    const auto trace = model->trace(someTokens(*model, state.range(0)), {});
    const ComparedTraces traces{trace, trace};
    const Alignment alignment = alignTokens(trace->text(), trace->text());
    const auto address = trace->attention.front()->address;
    for (auto _ : state)
        benchmark::DoNotOptimize(compareAttention(traces, alignment, {{address, MapRef::By::Map, 0, 0}, {address, MapRef::By::Map, 1, 0}}));
}

const TraceOptions routingOnly{.maps = false, .routerLogits = false, .loss = false};
const TraceOptions withoutMaps{.maps = false};
const TraceOptions withMaps{};

BENCHMARK_CAPTURE(open, switchhead, "switchhead")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(open, moa, "moa")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(trace, switchhead_routing_only, "switchhead", routingOnly)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(trace, switchhead_without_maps, "switchhead", withoutMaps)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(trace, switchhead_with_maps, "switchhead", withMaps)->Arg(32)->Arg(512)->Arg(4096)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(trace, moa_with_maps, "moa", withMaps)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(keystroke, switchhead, "switchhead")->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(keystroke, moa, "moa")->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK(tokenize)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK(copyKept)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK(mapTile)->Unit(benchmark::kMillisecond);
BENCHMARK(assignment)->Arg(8)->Arg(64)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compare, switchhead_moa, "switchhead", "moa")->Arg(64)->Arg(512)->Arg(4096)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(compare, switchhead_switchhead, "switchhead", "switchhead")->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK(compareExperts)->Arg(16)->Arg(64)->Unit(benchmark::kMillisecond);
BENCHMARK(divergence)->Arg(512)->Unit(benchmark::kMillisecond);
BENCHMARK(compareMaps)->Arg(512)->Arg(2048)->Unit(benchmark::kMillisecond);

} // namespace
} // namespace headscope::core

BENCHMARK_MAIN();
