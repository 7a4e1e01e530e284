// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nn/attention.h"
#include "core/nn/device.h"
#include "core/nn/routing_function.h"
#include "core/progress.h"
#include "core/trace/model_info.h"
#include "core/trace/trace.h"

#include <ATen/core/TensorBody.h>

#include <memory>
#include <span>
#include <vector>

namespace headscope::core::nn {

/// How the logits of a router are scaled by lengths before the choice.
enum class LogitNorm : std::uint8_t { None, Cosine, Rows, Input };

/// A site: one router per head, or one.
struct RouterLayer {
    Router router;        // address without head
    bool perHead = false; // one router per attention head
    RoutingRule rule;
    at::Tensor matrix;    // [heads · E, width]; logits = matrix·x (+ bias)
    at::Tensor bias;      // [heads · E]; may be undefined
    LogitNorm norm = LogitNorm::None;

    at::Tensor logits(const at::Tensor& x) const; // [tokens, width] -> [tokens, heads · E]
};

/// A router and the tokens it reads.
struct RoutedInput {
    const RouterLayer* layer = nullptr;
    at::Tensor x; // [tokens, width]
};

/// The rows that a run takes from an earlier trace instead of computing them: its first `rows` tokens. rows = 0: none.
struct Reuse {
    std::shared_ptr<const Trace> from;
    std::int64_t rows = 0;
};

/// How many rows of `options.prefix` can stand for the beginning of `text`: all common tokens but the last, whose successor is another one and
/// whose output is therefore needed again.
Reuse reusableRows(const TraceOptions& options, const ModelInfo& model, const TokenizedText& text);

/// What an attention block keeps, still on the device.
struct KeptAttention {
    AttentionKeep plain; // all but the arrays
    ScoredAttention scored;
    at::Tensor logSumExp;
};

/// One forward pass: what is kept of it and whether it should go on. Used by one thread.
class Run
{
public:
    Run(const TraceOptions& options, const Progress& progress, Compute compute, Reuse reuse = {});

    const Progress& progress() const { return m_progress; }
    const Compute& compute() const { return m_compute; }
    const TraceOptions& options() const { return m_options; }
    /// Rows before the ones that are computed.
    std::int64_t firstRow() const { return m_reuse.rows; }
    /// What an earlier trace kept of a block; nullptr when every row is computed.
    const AttentionKeep* reused(const MapAddress& address) const { return m_reuse.rows > 0 ? m_reuse.from->block(address) : nullptr; }

    /// Decides for all sites that are known at the same time, with one transfer to the host, and records them in this order.
    std::vector<Choices> route(std::span<const RoutedInput> inputs);
    /// Keeps what maps need, if maps are wanted.
    void keep(KeptAttention attention);

    std::vector<std::shared_ptr<const SiteRouting>> takeSites() { return std::move(m_sites); }
    /// Moves everything kept to the host.
    std::vector<std::shared_ptr<const AttentionKeep>> takeAttention();

private:
    void record(const RouterLayer& layer, const at::Tensor& logits, const Choices& choices);

    const TraceOptions& m_options;
    const Progress& m_progress;
    Compute m_compute;
    Reuse m_reuse;
    std::vector<std::shared_ptr<const SiteRouting>> m_sites;
    std::vector<KeptAttention> m_attention;
};

/// Row-major values on the host.
std::vector<float> toHost(const at::Tensor& tensor);
/// The first elements of `earlier`, then the values of `tensor`.
std::vector<float> toHostBehind(const std::vector<float>& earlier, std::size_t elements, const at::Tensor& tensor);
/// The first rows of host values [·, heads, width] on the device.
at::Tensor toDevice(const std::vector<float>& values, std::int64_t rows, std::int64_t heads, std::int64_t width, const Compute& compute);

} // namespace headscope::core::nn
