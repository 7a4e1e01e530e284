// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nn/attention.h"
#include "core/nn/device.h"
#include "core/nn/document_memory.h"
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

/// The rows of `options.prefix` that can stand for the beginning of `text` (reusableTokens).
Reuse reusableRows(const TraceOptions& options, const ModelInfo& model, const TokenizedText& text);

/// The rows that one pass through the layers computes: all behind the reused ones, or those of one segment.
struct Part {
    std::int64_t firstRow = 0;
    at::Tensor memory;             // [m, width]: hidden states of the m rows before, which are attended to but not computed; undefined: none
    std::int64_t knownKeysFrom = 0; // rows of the earlier trace's keys and values that stand before those made in this pass
    std::int64_t knownKeys = 0;
    bool ofSegments = false; // AttentionKeep::keysOfSegments
    std::int64_t inDocument = 0; // of the first row, where a document is run in stretches

    std::int64_t remembered() const { return memory.defined() ? memory.size(0) : 0; }
};

/// What an attention block keeps of a part, still on the device.
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
    /// The next pass through the layers computes these rows. Without it there is one pass, over all rows behind the reused ones.
    void begin(Part part) { m_part = std::move(part); }
    const Part& part() const { return m_part; }
    /// From now on rows are a stretch of a document; keys and values before them are remembered there.
    void remember(DocumentMemory& document) { m_document = &document; }
    DocumentMemory* document() const { return m_document; } // nullptr: none
    /// Rows before the ones that are computed.
    std::int64_t firstRow() const { return m_part.firstRow; }
    /// What the source side reads where the destination side reads x: [n, width] -> [remembered + n, width]
    at::Tensor withMemory(const at::Tensor& x) const;
    /// What an earlier trace kept of a block; nullptr when every row is computed.
    const AttentionKeep* reused(const MapAddress& address) const { return m_reuse.rows > 0 ? m_reuse.from->block(address) : nullptr; }

    /// Decides for all sites that are known at the same time, with one transfer to the host, and records them in this order.
    std::vector<Choices> route(std::span<const RoutedInput> inputs);
    /// Keeps what maps need, if maps are wanted.
    void keep(KeptAttention attention);

    std::vector<std::shared_ptr<const SiteRouting>> takeSites() { return {m_sites.begin(), m_sites.end()}; }
    /// Moves everything kept to the host.
    std::vector<std::shared_ptr<const AttentionKeep>> takeAttention();

private:
    void record(const RouterLayer& layer, const at::Tensor& logits, const Choices& choices);
    std::shared_ptr<SiteRouting> beginSite(const RouterLayer& layer) const;
    std::shared_ptr<const AttentionKeep> joined(std::vector<KeptAttention>& parts) const;

    const TraceOptions& m_options;
    const Progress& m_progress;
    Compute m_compute;
    Reuse m_reuse;
    Part m_part;
    DocumentMemory* m_document = nullptr;
    std::vector<std::shared_ptr<SiteRouting>> m_sites;
    std::vector<std::vector<KeptAttention>> m_attention; // of every block, its parts
};

/// Row-major values on the host.
std::vector<float> toHost(const at::Tensor& tensor);
/// The first elements of `earlier`, then the values of the tensors one after the other.
std::vector<float> toHostBehind(const std::vector<float>& earlier, std::int64_t elements, std::span<const at::Tensor> tensors);
/// Rows of host values [·, heads, width] on the device, from `first` on.
at::Tensor toDevice(const std::vector<float>& values, std::int64_t first, std::int64_t rows, std::int64_t heads, std::int64_t width,
                    const Compute& compute);

} // namespace headscope::core::nn
