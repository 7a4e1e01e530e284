// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nn/run.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/norm.h>

#include <algorithm>

namespace headscope::core::nn {

std::vector<float> toHost(const at::Tensor& tensor)
{
    const auto plain = tensor.to(at::TensorOptions().device(at::kCPU).dtype(at::kFloat)).contiguous();
    const auto* data = plain.const_data_ptr<float>();
    return {data, data + plain.numel()};
}

std::vector<float> toHostBehind(const std::vector<float>& earlier, std::size_t elements, const at::Tensor& tensor)
{
    const auto plain = tensor.to(at::TensorOptions().device(at::kCPU).dtype(at::kFloat)).contiguous();
    const auto* data = plain.const_data_ptr<float>();
    std::vector<float> values;
    values.reserve(elements + static_cast<std::size_t>(plain.numel()));
    values.assign(earlier.begin(), earlier.begin() + static_cast<std::ptrdiff_t>(elements));
    values.insert(values.end(), data, data + plain.numel());
    return values;
}

at::Tensor toDevice(const std::vector<float>& values, std::int64_t rows, std::int64_t heads, std::int64_t width, const Compute& compute)
{
    // The blob is only read: the copy to the compute type and device, or the concatenation that follows, makes it the tensor's own.
    auto* data = const_cast<float*>(values.data());
    return at::from_blob(data, {rows, heads, width}, at::TensorOptions().dtype(at::kFloat)).to(compute.options());
}

Reuse reusableRows(const TraceOptions& options, const ModelInfo& model, const TokenizedText& text)
{
    const auto& earlier = options.prefix;
    if (!earlier || earlier->model.get() != &model || !earlier->options.keepsTheSame(options) || !options.maps || earlier->streams.size() != 1)
        return {};
    const auto& before = earlier->text().tokens;
    const auto& now = text.tokens;
    const auto limit = std::min(before.size(), now.size());
    std::size_t common = 0;
    while (common < limit && before[common].id == now[common].id)
        ++common;
    return common > 1 ? Reuse{earlier, static_cast<std::int64_t>(common) - 1} : Reuse{};
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

Run::Run(const TraceOptions& options, const Progress& progress, Compute compute, Reuse reuse)
    : m_options(options), m_progress(progress), m_compute(compute), m_reuse(std::move(reuse))
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
    site->tokens = m_reuse.rows + logits.size(0);
    const auto* earlier = m_reuse.rows > 0 ? m_reuse.from->site(layer.router.address) : nullptr;
    const auto append = [&](auto& into, const auto* before, const auto& values, std::int64_t perToken) {
        if (before)
            into.assign(before->begin(), before->begin() + m_reuse.rows * perToken);
        into.insert(into.end(), values.begin(), values.end());
    };
    const std::int64_t slots = static_cast<std::int64_t>(site->heads) * layer.rule.chosen;
    if (m_options.routerLogits)
        append(site->logits, earlier ? &earlier->logits : nullptr, std::span(logits.const_data_ptr<float>(), static_cast<std::size_t>(logits.numel())),
               logits.size(1));
    append(site->experts, earlier ? &earlier->experts : nullptr, choices.experts, slots);
    append(site->gates, earlier ? &earlier->gates : nullptr, choices.gates, slots);
    append(site->margins, earlier ? &earlier->margins : nullptr, choices.margins, site->heads);
    m_sites.push_back(std::move(site));
}

void Run::keep(KeptAttention attention)
{
    if (m_options.maps)
        m_attention.push_back(std::move(attention));
}

std::vector<std::shared_ptr<const AttentionKeep>> Run::takeAttention()
{
    static const AttentionKeep nothing;
    std::vector<std::shared_ptr<const AttentionKeep>> kept;
    for (auto& attention : m_attention) {
        m_progress.checkpoint();
        const auto& scored = attention.scored;
        auto plain = std::make_shared<AttentionKeep>(std::move(attention.plain));
        const auto* found = reused(plain->address);
        const auto& earlier = found ? *found : nothing;
        const auto rows = static_cast<std::size_t>(m_reuse.rows);
        const auto newRows = [this](const at::Tensor& all) { return all.narrow(0, m_reuse.rows, all.size(0) - m_reuse.rows); };
        const auto query = static_cast<std::size_t>(plain->maps) * plain->width;
        plain->rows += m_reuse.rows;
        plain->queries = toHostBehind(earlier.queries, rows * query, scored.queries);
        plain->keys = toHostBehind(earlier.keys, rows * plain->keyHeads * plain->width, newRows(scored.keys));
        plain->values = toHostBehind(earlier.values, rows * plain->keyHeads * plain->valueWidth, newRows(scored.values));
        plain->logSumExp = toHostBehind(earlier.logSumExp, rows * plain->maps, attention.logSumExp);
        if (scored.positionQueries.defined())
            plain->positionQueries = toHostBehind(earlier.positionQueries, rows * query, scored.positionQueries);
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
