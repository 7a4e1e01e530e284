// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nn/run.h"

#include "core/trace/trace_cost.h"

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

std::vector<float> toHostBehind(const std::vector<float>& earlier, std::int64_t elements, std::span<const at::Tensor> tensors)
{
    auto all = static_cast<std::size_t>(elements);
    for (const auto& tensor : tensors)
        all += static_cast<std::size_t>(tensor.numel());
    std::vector<float> values;
    values.reserve(all);
    values.assign(earlier.begin(), earlier.begin() + static_cast<std::ptrdiff_t>(elements));
    for (const auto& tensor : tensors) {
        const auto plain = tensor.to(at::TensorOptions().device(at::kCPU).dtype(at::kFloat)).contiguous();
        const auto* data = plain.const_data_ptr<float>();
        values.insert(values.end(), data, data + plain.numel());
    }
    return values;
}

at::Tensor toDevice(const std::vector<float>& values, std::int64_t first, std::int64_t rows, std::int64_t heads, std::int64_t width,
                    const Compute& compute)
{
    // The blob is only read: the copy to the compute type and device, or the concatenation that follows, makes it the tensor's own.
    auto* data = const_cast<float*>(values.data()) + first * heads * width;
    return at::from_blob(data, {rows, heads, width}, at::TensorOptions().dtype(at::kFloat)).to(compute.options());
}

Reuse reusableRows(const TraceOptions& options, const ModelInfo& model, const TokenizedText& text)
{
    const auto rows = reusableTokens(options, model, text);
    return rows > 0 ? Reuse{options.prefix, rows} : Reuse{};
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
    m_part.firstRow = m_part.knownKeys = m_reuse.rows;
}

at::Tensor Run::withMemory(const at::Tensor& x) const { return m_part.memory.defined() ? at::cat({m_part.memory, x}, 0) : x; }

std::vector<Choices> Run::route(std::span<const RoutedInput> inputs)
{
    std::vector<Choices> choices;
    if (inputs.empty())
        return choices;
    std::vector<at::Tensor> all; // flat: sides may have different numbers of rows
    for (const auto& input : inputs)
        all.push_back(input.layer->logits(input.x).reshape({-1}));
    const auto flat = at::cat(all, 0).to(at::TensorOptions().device(at::kCPU).dtype(at::kFloat));
    std::int64_t begin = 0;
    for (const auto& input : inputs) {
        const auto rows = input.x.size(0);
        const auto width = input.layer->matrix.size(0);
        const auto logits = flat.narrow(0, begin, rows * width).view({rows, width});
        begin += rows * width;
        choices.push_back(decide({logits.const_data_ptr<float>(), static_cast<std::size_t>(logits.numel())}, input.layer->rule));
        record(*input.layer, logits, choices.back());
    }
    return choices;
}

/// A site with the decisions of the reused rows.
std::shared_ptr<SiteRouting> Run::beginSite(const RouterLayer& layer) const
{
    auto site = std::make_shared<SiteRouting>();
    site->router = layer.router;
    site->heads = layer.rule.heads;
    site->perHead = layer.perHead;
    site->tokens = m_reuse.rows;
    const auto* earlier = m_reuse.rows > 0 ? m_reuse.from->site(layer.router.address) : nullptr;
    if (!earlier)
        return site;
    const auto take = [&](auto& into, const auto& before, std::int64_t perToken) {
        into.assign(before.begin(), before.begin() + m_reuse.rows * perToken);
    };
    const std::int64_t slots = static_cast<std::int64_t>(site->heads) * layer.rule.chosen;
    if (m_options.routerLogits)
        take(site->logits, earlier->logits, static_cast<std::int64_t>(site->heads) * layer.rule.experts);
    take(site->experts, earlier->experts, slots);
    take(site->gates, earlier->gates, slots);
    take(site->margins, earlier->margins, site->heads);
    return site;
}

/// Decisions about remembered tokens are not recorded: those made when the tokens were current are.
void Run::record(const RouterLayer& layer, const at::Tensor& logits, const Choices& choices)
{
    const auto& address = layer.router.address;
    const auto known = std::find_if(m_sites.begin(), m_sites.end(), [&](const auto& site) { return site->router.address == address; });
    auto& site = known != m_sites.end() ? **known : *m_sites.emplace_back(beginSite(layer));
    const auto skipped = layer.router.side == Side::Source ? m_part.remembered() : 0;
    const auto append = [&](auto& into, const auto& values, std::int64_t perToken) {
        into.insert(into.end(), values.begin() + skipped * perToken, values.end());
    };
    const std::int64_t slots = static_cast<std::int64_t>(site.heads) * layer.rule.chosen;
    site.tokens += logits.size(0) - skipped;
    if (m_options.routerLogits)
        append(site.logits, std::span(logits.const_data_ptr<float>(), static_cast<std::size_t>(logits.numel())), logits.size(1));
    append(site.experts, choices.experts, slots);
    append(site.gates, choices.gates, slots);
    append(site.margins, choices.margins, site.heads);
}

void Run::keep(KeptAttention attention)
{
    if (!m_options.maps)
        return;
    const auto known = std::find_if(m_attention.begin(), m_attention.end(),
                                    [&](const auto& parts) { return parts.front().plain.address == attention.plain.address; });
    auto& parts = known != m_attention.end() ? *known : m_attention.emplace_back();
    // Only what this part made; what stands before it is on the host already.
    for (auto* rows : {&attention.scored.keys, &attention.scored.values})
        *rows = rows->narrow(0, m_part.knownKeys, rows->size(0) - m_part.knownKeys);
    attention.plain.keysOfSegments = m_part.ofSegments;
    parts.push_back(std::move(attention));
}

namespace {

std::size_t perDistance(const AttentionKeep& kept) { return static_cast<std::size_t>(kept.relativeHeads) * kept.width; }

} // namespace

/// A block's parts on the host, behind the reused rows.
std::shared_ptr<const AttentionKeep> Run::joined(std::vector<KeptAttention>& parts) const
{
    static const AttentionKeep nothing;
    auto plain = std::make_shared<AttentionKeep>(std::move(parts.front().plain));
    const auto* found = reused(plain->address);
    const auto& earlier = found ? *found : nothing;
    const auto perQuery = static_cast<std::int64_t>(plain->maps) * plain->width;
    const auto rows = m_reuse.rows;
    // Keys of segments: those of the segment of the first row up to that row, and all of the segments before.
    const auto keys = rows > 0 && plain->keysOfSegments ? plain->keyRow(rows, rows) : rows;
    const auto host = [&parts](const std::vector<float>& before, std::int64_t elements, auto&& tensorOf) {
        std::vector<at::Tensor> tensors;
        for (const auto& part : parts)
            tensors.push_back(tensorOf(part));
        return toHostBehind(before, elements, tensors);
    };
    for (std::size_t part = 1; part < parts.size(); ++part)
        plain->rows += parts[part].plain.rows;
    plain->rows += rows;
    if (plain->keysOfSegments)
        plain->columns = plain->rows;
    plain->queries = host(earlier.queries, rows * perQuery, [](const auto& part) { return part.scored.queries; });
    plain->keys = host(earlier.keys, keys * plain->keyHeads * plain->width, [](const auto& part) { return part.scored.keys; });
    plain->values = host(earlier.values, keys * plain->keyHeads * plain->valueWidth, [](const auto& part) { return part.scored.values; });
    plain->logSumExp = host(earlier.logSumExp, rows * plain->maps, [](const auto& part) { return part.logSumExp; });
    if (parts.front().scored.positionQueries.defined())
        plain->positionQueries = host(earlier.positionQueries, rows * perQuery, [](const auto& part) { return part.scored.positionQueries; });
    const auto longest = std::max_element(parts.begin(), parts.end(),
                                          [](const auto& a, const auto& b) { return a.scored.distances < b.scored.distances; });
    if (const auto& relative = longest->scored.relative; relative.defined()) {
        plain->relativeHeads = static_cast<int>(relative.size(1));
        plain->relative = toHost(relative.narrow(0, 0, longest->scored.distances).flip({0}));
        // Reused rows of one segment may look further back than the computed ones of the next.
        const auto farthest = static_cast<std::size_t>(plain->visibility.distances(plain->columns)) * perDistance(*plain);
        if (plain->relative.size() < farthest)
            plain->relative.assign(earlier.relative.begin(), earlier.relative.begin() + static_cast<std::ptrdiff_t>(farthest));
    }
    return plain;
}

std::vector<std::shared_ptr<const AttentionKeep>> Run::takeAttention()
{
    std::vector<std::shared_ptr<const AttentionKeep>> kept;
    for (auto& parts : m_attention) {
        m_progress.checkpoint();
        kept.push_back(joined(parts));
        parts.clear(); // their memory is needed for the next one
    }
    m_attention.clear();
    return kept;
}

} // namespace headscope::core::nn
