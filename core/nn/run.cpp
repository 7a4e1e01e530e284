// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nn/run.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/norm.h>

namespace headscope::core::nn {

std::vector<float> toHost(const at::Tensor& tensor)
{
    const auto plain = tensor.to(at::TensorOptions().device(at::kCPU).dtype(at::kFloat)).contiguous();
    const auto* data = plain.const_data_ptr<float>();
    return {data, data + plain.numel()};
}

at::Tensor RouterLayer::logits(const at::Tensor& x) const
{
    auto result = at::linear(x, matrix);
    if (norm == LogitNorm::Cosine || norm == LogitNorm::Rows)
        result = result / at::norm(matrix, 2, {1}).unsqueeze(0);
    if (norm == LogitNorm::Cosine || norm == LogitNorm::Input)
        result = result / at::norm(x, 2, {1}, true);
    return bias.defined() ? result + bias : result;
}

Run::Run(const TraceOptions& options, const Progress& progress, Compute compute)
    : m_options(options), m_progress(progress), m_compute(compute)
{
}

std::vector<Choices> Run::route(std::span<const RoutedInput> inputs)
{
    std::vector<Choices> choices;
    if (inputs.empty())
        return choices;
    std::vector<at::Tensor> columns;
    for (const auto& input : inputs)
        columns.push_back(input.layer->logits(input.x));
    const auto all = at::cat(columns, 1).to(at::TensorOptions().device(at::kCPU).dtype(at::kFloat));
    std::int64_t column = 0;
    for (const auto& input : inputs) {
        const auto width = input.layer->matrix.size(0);
        const auto logits = all.narrow(1, column, width).contiguous();
        column += width;
        choices.push_back(decide({logits.const_data_ptr<float>(), static_cast<std::size_t>(logits.numel())}, input.layer->rule));
        record(*input.layer, logits, choices.back());
    }
    return choices;
}

void Run::record(const RouterLayer& layer, const at::Tensor& logits, const Choices& choices)
{
    auto site = std::make_shared<SiteRouting>();
    site->router = layer.router;
    site->heads = layer.rule.heads;
    site->perHead = layer.perHead;
    site->tokens = logits.size(0);
    if (m_options.routerLogits)
        site->logits = toHost(logits);
    site->experts = choices.experts;
    site->gates = choices.gates;
    site->margins = choices.margins;
    m_sites.push_back(std::move(site));
}

void Run::keep(KeptAttention attention)
{
    if (m_options.maps)
        m_attention.push_back(std::move(attention));
}

std::vector<std::shared_ptr<const AttentionKeep>> Run::takeAttention()
{
    std::vector<std::shared_ptr<const AttentionKeep>> kept;
    for (auto& attention : m_attention) {
        m_progress.checkpoint();
        const auto& scored = attention.scored;
        auto plain = std::make_shared<AttentionKeep>(std::move(attention.plain));
        plain->queries = toHost(scored.queries);
        plain->keys = toHost(scored.keys);
        plain->logSumExp = toHost(attention.logSumExp);
        if (scored.positionQueries.defined())
            plain->positionQueries = toHost(scored.positionQueries);
        if (scored.relative.defined()) {
            plain->relativeHeads = static_cast<int>(scored.relative.size(1));
            plain->relative = toHost(scored.relative.narrow(0, 0, scored.distances).flip({0}));
        }
        kept.push_back(std::move(plain));
    }
    m_attention.clear();
    return kept;
}

} // namespace headscope::core::nn
