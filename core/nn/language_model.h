// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nn/attention_block.h"
#include "core/nn/feed_forward.h"
#include "core/nn/norm.h"
#include "core/trace/document_run.h"
#include "core/trace/model.h"
#include "core/trace/next_token.h"
#include "core/trace/weight_view.h"

#include <ATen/core/TensorBody.h>

#include <memory>
#include <optional>
#include <vector>

namespace headscope::core::nn {

/// y = x·weightᵀ + bias
struct Linear {
    at::Tensor weight; // [out, in]
    at::Tensor bias;   // [out]; may be undefined

    at::Tensor operator()(const at::Tensor& x) const;
};

/// Where the norms of a layer stand.
enum class NormPlacement : std::uint8_t {
    Pre,                   // y = x + attention(norm1 x); out = y + ffn(norm2 y)
    Post,                  // y = norm1(x + attention x); out = norm2(y + ffn y)
    PostWithNormedSource,  // as Post, but keys and values read norm1 x
    RoutersAndScoresOnly,  // as Pre, but values and the feed-forward layer read x itself
};

struct Layer {
    std::shared_ptr<const AttentionBlock> attention;
    std::shared_ptr<const FeedForward> feedForward; // nullptr: the layer ends with the attention
    LayerNorm norm1, norm2;
    NormPlacement placement = NormPlacement::Pre;

    at::Tensor operator()(const at::Tensor& x, Run& run) const; // [tokens, d] -> [tokens, d]
    /// Up to the last decision of this layer.
    void routeOnly(const at::Tensor& x, Run& run) const;
    bool routes() const;

private:
    bool normsSums() const { return placement == NormPlacement::Post || placement == NormPlacement::PostWithNormedSource; }
    AttentionInput attentionInput(const at::Tensor& x, const Run& run) const;
    at::Tensor afterAttention(const at::Tensor& x, Run& run) const;
    FeedForwardInput feedForwardInput(const at::Tensor& y) const;
};

/// A causal language model: embedding, layers, output head.
struct LanguageModelParts {
    Compute compute;
    at::Tensor embedding; // [vocabulary, e]
    double embeddingScale = 1;
    std::optional<Linear> embeddingAdapter; // e -> d
    std::optional<LayerNorm> inputNorm;     // of the first layer's input
    std::vector<Layer> layers;
    std::optional<LayerNorm> outputNorm;
    std::optional<Linear> outputAdapter; // d -> e
    Linear output;                       // -> vocabulary
    /// Layers attend to their own rows and to what the last layer made of the segments before, instead of what they read themselves there.
    /// Then the model runs segment by segment; needs segments and memory.
    std::optional<Visibility> lastLayerMemory;
};

/// Fills in what the parts know: routers, maps, layers.
void describeLayers(const std::vector<Layer>& layers, ModelInfo& info);

class LanguageModel : public Model, public WeightViews, public NextTokenHead, public DocumentRuns
{
public:
    LanguageModel(LanguageModelParts parts, ModelInfo info, std::shared_ptr<const Tokenizer> tokenizer);

    using Model::trace;
    std::shared_ptr<const Trace> trace(std::vector<Stream> streams, const TraceOptions& options, const Progress& progress) const override;
    WeightView weightView(const RouterAddress& router, const Progress& progress) const override;
    std::vector<float> nextTokenLogits(std::span<const float> rows) const override;
    std::shared_ptr<DocumentRun> beginDocument() const override;
    /// DocumentRun::trace
    std::shared_ptr<const Trace> traceStretch(std::int64_t first, TokenizedText tokens, const TraceOptions& options,
                                              const Progress& progress, DocumentMemory& memory) const;

private:
    /// What the first layer reads of these rows of the embedding, [n, e] -> [n, d].
    at::Tensor firstInput(at::Tensor rows) const;
    /// Logits of rows of the last layer's output, [n, d] -> [n, vocabulary].
    at::Tensor head(const at::Tensor& rows) const;
    at::Tensor runLayers(at::Tensor x, Run& run, double done, double share) const;
    void routeLayers(at::Tensor x, Run& run) const;
    at::Tensor runSegments(const at::Tensor& x, const Visibility& seen, const Reuse& reuse, Run& run) const;
    void runStretch(const at::Tensor& x, std::int64_t first, DocumentMemory& memory, Run& run) const;
    std::shared_ptr<Trace> beginTrace(std::vector<Stream> streams, const TraceOptions& options) const;
    /// Calls `work`; what Torch throws becomes a sentence.
    template <typename Work>
    void computing(const Trace& trace, Work&& work) const;

    LanguageModelParts m_parts;
};

} // namespace headscope::core::nn
