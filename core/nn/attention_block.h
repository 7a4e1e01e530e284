// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nn/norm.h"
#include "core/nn/positions.h"
#include "core/nn/run.h"

#include <ATen/core/TensorBody.h>

#include <optional>
#include <vector>

namespace headscope::core::nn {

/// What the sides of an attention block read, each [tokens, width]; the same tensor when a layer makes no difference.
struct AttentionInput {
    at::Tensor query; // destination side: queries, their routers, the output's router
    at::Tensor key;   // source side: keys, routers of keys and values
    at::Tensor value; // what the value projection is applied to
};

/// How positions enter the score.
struct ScorePositions {
    at::Tensor relative;     // [relativeHeads · width, d]: projects sinusoids of distances (Transformer-XL); undefined: none
    at::Tensor contentBias;  // u, [maps, width]; undefined: none
    at::Tensor positionBias; // v, [maps, width]; undefined: none
    Rotary rotary;           // rotated = 0: none
};

/// Attention of one layer: [tokens, d] -> [tokens, d], before the residual sum.
class AttentionBlock
{
public:
    virtual ~AttentionBlock() = default;
    virtual at::Tensor operator()(const AttentionInput& input, Run& run) const = 0;
    /// Only what its routers decide.
    virtual void routeOnly(const AttentionInput& input, Run& run) const = 0;
    virtual std::vector<const RouterLayer*> routers() const = 0;
    /// The matrices that one of these routers picks from, each [heads · E or E, …].
    virtual std::vector<at::Tensor> expertsOf(const RouterLayer& router) const = 0;
    virtual MapGroup maps() const = 0;
    /// Multiply-accumulates with weights that a token costs.
    virtual std::int64_t products() const = 0;
};

/// A projection of the tokens, dense or a mixture of experts with one router per head.
struct Projection {
    at::Tensor weight;                 // in: dense [heads · width, d], mixture [heads · E or E, d, width];
                                       // out: dense [d, heads · width], mixture [heads · E or E, width, d]
    std::optional<RouterLayer> router; // a mixture has one
    bool sharedExperts = false;        // all heads choose from the same E matrices
};

/// Multi-head attention whose projections are dense or expert mixtures, each for itself (Csordás et al. 2023, Eq. 7-10). With four dense
/// projections it is ordinary attention.
class HeadMixtureAttention : public AttentionBlock
{
public:
    MapAddress address;
    int heads = 0;
    int width = 0;      // of queries and keys
    int valueWidth = 0;
    Projection query, key, value, output;
    ScorePositions positions;
    double scale = 1;
    std::optional<LayerNorm> mixedNorm; // over valueWidth, before the output projection
    Visibility visibility;

    at::Tensor operator()(const AttentionInput& input, Run& run) const override;
    void routeOnly(const AttentionInput& input, Run& run) const override;
    std::vector<const RouterLayer*> routers() const override;
    std::vector<at::Tensor> expertsOf(const RouterLayer& router) const override;
    MapGroup maps() const override;
    std::int64_t products() const override;

private:
    std::vector<Choices> decide(const AttentionInput& input, Run& run) const;
    at::Tensor project(const Projection& projection, const at::Tensor& x, const Choices* choices, int outWidth, Run& run) const;
    at::Tensor projectOut(const at::Tensor& mixed, const Choices* choices, Run& run) const;
};

/// Attention whose query and output projections are picked together by one router; keys and values are one head that all experts share
/// (Zhang et al. 2022, Eq. 4-8). Maps are slots in order of descending gate.
class SlotAttention : public AttentionBlock
{
public:
    MapAddress address;
    int width = 0;
    RouterLayer router;      // site QO
    at::Tensor queryExperts;  // [E, d, width]
    at::Tensor keyProjection; // [width, d]
    at::Tensor valueProjection; // [width, d]
    at::Tensor outputExperts; // [E, width, d]
    ScorePositions positions;
    double scale = 1;
    Visibility visibility;

    at::Tensor operator()(const AttentionInput& input, Run& run) const override;
    void routeOnly(const AttentionInput& input, Run& run) const override;
    std::vector<const RouterLayer*> routers() const override { return {&router}; }
    std::vector<at::Tensor> expertsOf(const RouterLayer&) const override { return {queryExperts, outputExperts}; }
    MapGroup maps() const override;
    std::int64_t products() const override;
};

} // namespace headscope::core::nn
