// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nn/language_model.h"
#include "core/nn/run.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/norm.h>

#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include <algorithm>

namespace headscope::core::nn {

namespace {

/// A router of a layer and what belongs to it.
struct Found {
    const Layer* layer = nullptr;
    const RouterLayer* router = nullptr;
    std::vector<at::Tensor> experts;
    std::int64_t head = 0;
};

bool names(const RouterAddress& address, const RouterLayer& router)
{
    return address.wholeSite() == router.router.address.wholeSite() && address.head.has_value() == router.perHead &&
           address.head.value_or(0) < router.rule.heads;
}

Found find(const std::vector<Layer>& layers, const RouterAddress& address)
{
    for (const Layer& layer : layers) {
        for (const auto* router : layer.attention->routers())
            if (names(address, *router))
                return {&layer, router, layer.attention->expertsOf(*router), address.head.value_or(0)};
        if (!layer.feedForward)
            continue;
        for (const auto* router : layer.feedForward->routers())
            if (names(address, *router))
                return {&layer, router, layer.feedForward->expertsOf(*router), address.head.value_or(0)};
    }
    return {};
}

/// What the router reads where nothing but the embedding has been written: x as the layer norms it for that site
/// (Layer::operator()).
at::Tensor read(const Found& found, const at::Tensor& x)
{
    const Layer& layer = *found.layer;
    const bool feedForward = found.router->router.address.block == Block::Ffn;
    switch (layer.placement) {
    case NormPlacement::Pre:
    case NormPlacement::RoutersAndScoresOnly: return feedForward ? layer.norm2(x) : layer.norm1(x);
    case NormPlacement::Post: return feedForward ? layer.norm1(x) : x;
    case NormPlacement::PostWithNormedSource:
        return feedForward || found.router->router.side == Side::Source ? layer.norm1(x) : x;
    }
    return x;
}

/// [E, E]
std::vector<float> cosines(const Found& found)
{
    const std::int64_t experts = found.router->rule.experts;
    std::vector<at::Tensor> sideBySide;
    for (const at::Tensor& matrices : found.experts) {
        const std::int64_t first = matrices.size(0) == experts ? 0 : found.head * experts; // else all heads share them
        sideBySide.push_back(matrices.narrow(0, first, experts).reshape({experts, -1}).to(at::kFloat));
    }
    if (sideBySide.empty())
        return {};
    const at::Tensor rows = at::cat(sideBySide, 1);
    const at::Tensor unit = rows / at::norm(rows, 2, {1}, true);
    return toHost(at::matmul(unit, unit.t()));
}

} // namespace

WeightView LanguageModel::weightView(const RouterAddress& address, const Progress& progress) const
{
    constexpr std::int64_t tokensAtOnce = 4096;
    const c10::InferenceMode inference; // per thread
    if (m_parts.embedding.is_meta())
        throw Error(fmt::format("{} was opened for a description only; its weights were not read.", info()->path));
    const Found found = find(m_parts.layers, address);
    if (found.router == nullptr)
        throw Error(fmt::format("{} has no router {}.", info()->path, address.toString()));
    const std::int64_t experts = found.router->rule.experts;
    const std::int64_t first = found.head * experts;
    WeightView view;
    view.experts = static_cast<int>(experts);
    view.width = found.router->matrix.size(1);
    view.routerRows = toHost(found.router->matrix.narrow(0, first, experts).to(at::kFloat));
    const std::int64_t tokens = m_parts.embedding.size(0);
    for (std::int64_t begin = 0; begin < tokens; begin += tokensAtOnce) {
        progress.at(static_cast<double>(begin) / static_cast<double>(tokens), "scores of embeddings");
        const at::Tensor x = firstInput(m_parts.embedding.narrow(0, begin, std::min(tokensAtOnce, tokens - begin)));
        const at::Tensor logits = found.router->logits(read(found, x)).narrow(1, first, experts);
        const std::vector<float> values = toHost(logits.to(at::kFloat).contiguous());
        view.scores.insert(view.scores.end(), values.begin(), values.end());
    }
    view.expertCosines = cosines(found);
    return view;
}

} // namespace headscope::core::nn
