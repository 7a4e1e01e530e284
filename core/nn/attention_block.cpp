// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nn/attention_block.h"

#include "core/nn/experts.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>

#include <algorithm>

namespace headscope::core::nn {
namespace {

/// Distances that can be visible: i - j from 0.
std::int64_t visibleDistances(std::int64_t columns, const Visibility& visibility)
{
    if (visibility.segment == 0)
        return columns;
    return std::min(columns, (visibility.segmentsBack + 1) * visibility.segment);
}

/// Brings queries and keys into the form score = q·k + p·r. q: [n, maps, width], k: [S, keyHeads, width].
ScoredAttention score(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const ScorePositions& positions, double scale,
                      const Visibility& visibility, const Compute& compute)
{
    ScoredAttention scored;
    scored.visibility = visibility;
    scored.keys = positions.rotary(k, 0);
    scored.values = v;
    const auto rotated = positions.rotary(q, k.size(0) - q.size(0));
    scored.queries = (positions.contentBias.defined() ? rotated + positions.contentBias : rotated) * scale;
    if (positions.relative.defined() && k.size(0) > 0) {
        scored.distances = visibleDistances(k.size(0), visibility);
        const auto sinusoids = relativeSinusoids(scored.distances - 1, attentionStretch - 1, positions.relative.size(1), compute);
        scored.relative = at::linear(sinusoids, positions.relative).view({sinusoids.size(0), -1, k.size(2)});
        if (positions.positionBias.defined())
            scored.positionQueries = (rotated + positions.positionBias) * scale;
    }
    return scored;
}

/// Attends and keeps. Returns [n, maps, valueWidth].
at::Tensor attendAndKeep(ScoredAttention scored, const MapGroup& group, int keyHeads, Run& run)
{
    auto attended = attend(scored, run.progress());
    KeptAttention kept;
    kept.plain.address = group.address;
    kept.plain.maps = group.maps;
    kept.plain.slots = group.slots;
    kept.plain.keyHeads = keyHeads;
    kept.plain.width = static_cast<int>(scored.queries.size(2));
    kept.plain.rows = scored.queries.size(0);
    kept.plain.columns = scored.keys.size(0);
    kept.plain.visibility = scored.visibility;
    kept.logSumExp = attended.logSumExp;
    scored.values = at::Tensor();
    kept.scored = std::move(scored);
    run.keep(std::move(kept));
    return attended.mixed;
}

} // namespace

std::vector<const RouterLayer*> HeadMixtureAttention::routers() const
{
    std::vector<const RouterLayer*> layers;
    for (const auto* projection : {&query, &key, &value, &output})
        if (projection->router)
            layers.push_back(&*projection->router);
    return layers;
}

MapGroup HeadMixtureAttention::maps() const { return {address, heads, false, 0}; }

at::Tensor HeadMixtureAttention::project(const Projection& projection, const at::Tensor& x, const Choices* choices, int outWidth,
                                         Run& run) const
{
    const auto tokens = x.size(0);
    if (!choices)
        return at::linear(x, projection.weight).view({tokens, heads, outWidth});
    const BucketPlan plan{projection.router->rule, projection.sharedExperts, Rows::Token, Rows::TokenHead};
    const auto buckets = bucketsOf(*choices, plan, x.options());
    return mixture(x, tokens * heads, projection.weight, buckets, ApplyGate::Yes, run.progress()).view({tokens, heads, outWidth});
}

at::Tensor HeadMixtureAttention::projectOut(const at::Tensor& mixed, const Choices* choices, Run& run) const
{
    const auto tokens = mixed.size(0);
    if (!choices)
        return at::linear(mixed.reshape({tokens, heads * valueWidth}), output.weight);
    const BucketPlan plan{output.router->rule, output.sharedExperts, Rows::TokenHead, Rows::Token};
    const auto buckets = bucketsOf(*choices, plan, mixed.options());
    return mixture(mixed.reshape({tokens * heads, valueWidth}), tokens, output.weight, buckets, ApplyGate::Yes, run.progress());
}

at::Tensor HeadMixtureAttention::operator()(const AttentionInput& input, Run& run) const
{
    std::vector<RoutedInput> routed;
    for (const auto* projection : {&query, &key, &value, &output})
        if (projection->router)
            routed.push_back({&*projection->router, projection == &query || projection == &output ? input.query : input.key});
    const auto decided = run.route(routed);
    auto next = decided.begin();
    const auto choicesOf = [&next](const Projection& projection) { return projection.router ? &*next++ : nullptr; };
    const auto* queryChoices = choicesOf(query);
    const auto* keyChoices = choicesOf(key);
    const auto* valueChoices = choicesOf(value);
    const auto* outputChoices = choicesOf(output);

    const auto q = project(query, input.query, queryChoices, width, run);
    const auto k = project(key, input.key, keyChoices, width, run);
    const auto v = project(value, input.value, valueChoices, valueWidth, run);
    auto mixed = attendAndKeep(score(q, k, v, positions, scale, visibility, run.compute()), maps(), heads, run);
    if (mixedNorm)
        mixed = (*mixedNorm)(mixed);
    return projectOut(mixed, outputChoices, run);
}

MapGroup SlotAttention::maps() const { return {address, router.rule.chosen, true, router.rule.experts}; }

at::Tensor SlotAttention::operator()(const AttentionInput& input, Run& run) const
{
    const RoutedInput routed{&router, input.query};
    const auto choices = run.route({&routed, 1}).front();
    const auto tokens = input.query.size(0);
    const auto slots = router.rule.chosen;
    const auto in = bucketsOf(choices, {router.rule, false, Rows::Token, Rows::TokenSlot}, input.query.options());
    const auto q = mixture(input.query, tokens * slots, queryExperts, in, ApplyGate::No, run.progress()).view({tokens, slots, width});
    const auto k = at::linear(input.key, keyProjection).unsqueeze(1);
    const auto v = at::linear(input.value, valueProjection).unsqueeze(1);
    const auto mixed = attendAndKeep(score(q, k, v, positions, scale, visibility, run.compute()), maps(), 1, run);
    const auto out = bucketsOf(choices, {router.rule, false, Rows::TokenSlot, Rows::Token}, input.query.options());
    return mixture(mixed.reshape({tokens * slots, width}), tokens, outputExperts, out, ApplyGate::Yes, run.progress());
}

} // namespace headscope::core::nn
