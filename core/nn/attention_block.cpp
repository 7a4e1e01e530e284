// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nn/attention_block.h"

#include "core/nn/experts.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace headscope::core::nn {
namespace {

/// Projected sinusoids for distances from `distances` - 1 down to 0, then zeros for keys after the query, which are masked.
/// Those that an earlier trace has are taken from it.
at::Tensor relativeTable(const at::Tensor& projection, std::int64_t distances, std::int64_t width, const AttentionKeep* earlier,
                         const Compute& compute)
{
    const auto heads = projection.size(0) / width;
    const auto known = earlier ? std::min<std::int64_t>(distances, static_cast<std::int64_t>(earlier->relative.size()) / (heads * width)) : 0;
    std::vector<at::Tensor> parts;
    if (distances > known) {
        const auto sinusoids = relativeSinusoids(distances - 1, -known, projection.size(1), compute); // t from 1 - distances to -known
        parts.push_back(at::linear(sinusoids, projection).view({distances - known, heads, width}));
    }
    if (known > 0)
        parts.push_back(toDevice(earlier->relative, 0, known, heads, width, compute).flip({0}));
    parts.push_back(at::zeros({attentionStretch - 1, heads, width}, projection.options()));
    return at::cat(parts, 0);
}

/// The rows of an earlier trace that stand before those just computed.
at::Tensor behind(const std::vector<float>& earlier, const at::Tensor& rows, const Run& run)
{
    const auto& part = run.part();
    return at::cat({toDevice(earlier, part.knownKeysFrom, part.knownKeys, rows.size(1), rows.size(2), run.compute()), rows}, 0);
}

/// Brings queries and keys into the form score = q·k + p·r. q: [n, maps, width]; k, v: [n, keyHeads, ·], the last n of all positions.
ScoredAttention score(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const ScorePositions& positions, double scale,
                      const Visibility& visibility, const MapGroup& group, const Run& run)
{
    const auto* earlier = run.reused(group.address);
    ScoredAttention scored;
    scored.visibility = visibility;
    if (auto* document = run.document()) {
        auto seen = document->join(group.address, run.part().inDocument, q.size(0), {k, v}, run.progress());
        scored.keys = positions.rotary(seen.keys, 0);
        scored.values = std::move(seen.values);
    } else {
        scored.keys = positions.rotary(k, run.firstRow() - run.part().remembered());
        scored.values = v;
    }
    if (earlier && run.part().knownKeys > 0) {
        scored.keys = behind(earlier->keys, scored.keys, run);
        scored.values = behind(earlier->values, v, run);
    }
    const auto rotated = positions.rotary(q, run.firstRow());
    scored.queries = (positions.contentBias.defined() ? rotated + positions.contentBias : rotated) * scale;
    if (positions.relative.defined() && scored.keys.size(0) > 0) {
        scored.distances = visibility.distances(scored.keys.size(0));
        const auto table = [&] {
            return relativeTable(positions.relative, scored.distances, k.size(2), earlier, run.compute());
        };
        scored.relative = run.document() ? run.document()->relative(group.address, scored.distances, table) : table();
        if (positions.positionBias.defined())
            scored.positionQueries = (rotated + positions.positionBias) * scale;
    }
    return scored;
}

/// Attends and keeps. Returns [n, maps, valueWidth].
at::Tensor attendAndKeep(ScoredAttention scored, const MapGroup& group, Run& run)
{
    auto attended = attend(scored, run.progress());
    KeptAttention kept;
    kept.plain.address = group.address;
    kept.plain.maps = group.maps;
    kept.plain.slots = group.slots;
    kept.plain.keyHeads = static_cast<int>(scored.keys.size(1));
    kept.plain.width = static_cast<int>(scored.queries.size(2));
    kept.plain.valueWidth = static_cast<int>(scored.values.size(2));
    kept.plain.rows = scored.queries.size(0);
    kept.plain.columns = scored.keys.size(0);
    kept.plain.visibility = scored.visibility;
    kept.logSumExp = attended.logSumExp;
    kept.scored = std::move(scored);
    run.keep(std::move(kept));
    return attended.mixed;
}

int relativeHeads(const ScorePositions& positions, int width)
{
    return positions.relative.defined() ? static_cast<int>(positions.relative.size(0)) / width : 0;
}

/// A text has about as many distances as tokens.
std::int64_t relativeProducts(const ScorePositions& positions)
{
    return positions.relative.defined() ? positions.relative.numel() : 0;
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

MapGroup HeadMixtureAttention::maps() const
{
    return {address, heads, false, 0, heads, width, valueWidth, relativeHeads(positions, width),
            relativeHeads(positions, width) > 0 && positions.positionBias.defined()};
}

std::int64_t HeadMixtureAttention::products() const
{
    std::int64_t all = relativeProducts(positions);
    for (const auto* projection : {&query, &key, &value, &output}) {
        if (!projection->router) {
            all += projection->weight.numel();
            continue;
        }
        const auto experts = static_cast<std::int64_t>(heads) * projection->router->rule.chosen;
        all += projection->router->matrix.numel() + experts * projection->weight.size(-1) * projection->weight.size(-2);
    }
    return all;
}

std::vector<at::Tensor> HeadMixtureAttention::expertsOf(const RouterLayer& router) const
{
    std::vector<at::Tensor> matrices;
    for (const auto* projection : {&query, &key, &value, &output})
        if (projection->router && &*projection->router == &router)
            matrices.push_back(projection->weight);
    return matrices;
}

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

std::vector<Choices> HeadMixtureAttention::decide(const AttentionInput& input, Run& run) const
{
    std::vector<RoutedInput> routed;
    for (const auto* projection : {&query, &key, &value, &output})
        if (projection->router)
            routed.push_back({&*projection->router, projection == &query || projection == &output ? input.query : input.key});
    return run.route(routed);
}

void HeadMixtureAttention::routeOnly(const AttentionInput& input, Run& run) const
{
    decide(input, run);
}

at::Tensor HeadMixtureAttention::operator()(const AttentionInput& input, Run& run) const
{
    const auto decided = decide(input, run);
    auto next = decided.begin();
    const auto choicesOf = [&next](const Projection& projection) { return projection.router ? &*next++ : nullptr; };
    const auto* queryChoices = choicesOf(query);
    const auto* keyChoices = choicesOf(key);
    const auto* valueChoices = choicesOf(value);
    const auto* outputChoices = choicesOf(output);

    const auto q = project(query, input.query, queryChoices, width, run);
    const auto k = project(key, input.key, keyChoices, width, run);
    const auto v = project(value, input.value, valueChoices, valueWidth, run);
    auto mixed = attendAndKeep(score(q, k, v, positions, scale, visibility, maps(), run), maps(), run);
    if (mixedNorm)
        mixed = (*mixedNorm)(mixed);
    return projectOut(mixed, outputChoices, run);
}

MapGroup SlotAttention::maps() const
{
    return {address, router.rule.chosen, true, router.rule.experts, 1, width, static_cast<int>(valueProjection.size(0)),
            relativeHeads(positions, width), relativeHeads(positions, width) > 0 && positions.positionBias.defined()};
}

std::int64_t SlotAttention::products() const
{
    const auto expert = queryExperts.size(1) * queryExperts.size(2) + outputExperts.size(1) * outputExperts.size(2);
    return router.matrix.numel() + router.rule.chosen * expert + keyProjection.numel() + valueProjection.numel() + relativeProducts(positions);
}

void SlotAttention::routeOnly(const AttentionInput& input, Run& run) const
{
    const RoutedInput routed{&router, input.query};
    run.route({&routed, 1});
}

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
    const auto mixed = attendAndKeep(score(q, k, v, positions, scale, visibility, maps(), run), maps(), run);
    const auto out = bucketsOf(choices, {router.rule, false, Rows::TokenSlot, Rows::Token}, input.query.options());
    return mixture(mixed.reshape({tokens * slots, width}), tokens, outputExperts, out, ApplyGate::Yes, run.progress());
}

} // namespace headscope::core::nn
