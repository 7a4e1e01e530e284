// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nn/language_model.h"

#include "core/nn/output_head.h"
#include "core/nn/threads.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/tensor.h>

#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <string_view>

namespace headscope::core::nn {
namespace {

at::Tensor idsOf(const TokenizedText& text, std::int64_t rows, const Compute& compute)
{
    requireIdsBelow(text, rows, nullptr);
    std::vector<std::int64_t> ids;
    ids.reserve(text.tokens.size());
    for (const auto& token : text.tokens)
        ids.push_back(token.id);
    return at::tensor(ids, at::TensorOptions().dtype(at::kLong)).to(compute.device);
}

void addRouters(const RouterLayer& layer, std::vector<Router>& routers)
{
    for (int head = 0; head < layer.rule.heads; ++head) {
        auto router = layer.router;
        if (layer.perHead) {
            router.address.head = head;
            if (router.sharedWith)
                router.sharedWith->head = head;
        }
        routers.push_back(std::move(router));
    }
}

ModelInfo withHead(ModelInfo info, const LanguageModelParts& parts)
{
    info.lastLayerMemory = parts.lastLayerMemory.has_value();
    info.headProducts = parts.output.weight.numel() + (parts.outputAdapter ? parts.outputAdapter->weight.numel() : 0);
    return info;
}

/// Whether nothing is kept that is computed behind the last router.
bool decisionsOnly(const TraceOptions& options)
{
    return !options.maps && !options.loss && !options.logits && options.predictions == 0 && !options.lastLayer;
}

[[noreturn]] void refuseForMemory(std::int64_t tokens)
{
    throw Error(fmt::format(
        "{} tokens do not fit into memory: give a shorter text, or let fewer windows run at the same time.", tokens));
}

} // namespace

at::Tensor Linear::operator()(const at::Tensor& x) const
{
    return at::linear(x, weight, bias.defined() ? std::optional(bias) : std::nullopt);
}

AttentionInput Layer::attentionInput(const at::Tensor& x, const Run& run) const
{
    const bool remembers = run.part().memory.defined();
    switch (placement) {
    case NormPlacement::Pre: {
        const auto n = norm1(x);
        const auto source = remembers ? norm1(run.withMemory(x)) : n;
        return {n, source, source};
    }
    case NormPlacement::Post: {
        const auto source = run.withMemory(x);
        return {x, source, source};
    }
    case NormPlacement::PostWithNormedSource: {
        const auto source = norm1(run.withMemory(x));
        return {x, source, source};
    }
    case NormPlacement::RoutersAndScoresOnly: {
        const auto n = norm1(x);
        const auto source = run.withMemory(x);
        return {n, remembers ? norm1(source) : n, source};
    }
    }
    return {x, x, x};
}

at::Tensor Layer::afterAttention(const at::Tensor& x, Run& run) const
{
    const auto y = x + (*attention)(attentionInput(x, run), run);
    return normsSums() ? norm1(y) : y;
}

FeedForwardInput Layer::feedForwardInput(const at::Tensor& y) const
{
    if (normsSums())
        return {y, y};
    const auto m = norm2(y);
    return {m, placement == NormPlacement::RoutersAndScoresOnly ? y : m};
}

at::Tensor Layer::operator()(const at::Tensor& x, Run& run) const
{
    const auto y = afterAttention(x, run);
    if (!feedForward)
        return y;
    const auto out = y + (*feedForward)(feedForwardInput(y), run);
    return normsSums() ? norm2(out) : out;
}

void Layer::routeOnly(const at::Tensor& x, Run& run) const
{
    if (!feedForward || feedForward->routers().empty())
        return attention->routeOnly(attentionInput(x, run), run);
    feedForward->routeOnly(feedForwardInput(afterAttention(x, run)), run);
}

bool Layer::routes() const
{
    return !attention->routers().empty() || (feedForward && !feedForward->routers().empty());
}

void describeLayers(const std::vector<Layer>& layers, ModelInfo& info)
{
    info.layers = static_cast<int>(layers.size());
    for (const auto& layer : layers) {
        for (const auto* router : layer.attention->routers())
            addRouters(*router, info.routers);
        if (layer.feedForward)
            for (const auto* router : layer.feedForward->routers())
                addRouters(*router, info.routers);
        info.maps.push_back(layer.attention->maps());
        info.layerProducts += layer.attention->products() + (layer.feedForward ? layer.feedForward->products() : 0);
    }
}

LanguageModel::LanguageModel(LanguageModelParts parts, ModelInfo info, std::shared_ptr<const Tokenizer> tokenizer)
    : Model(std::make_shared<const ModelInfo>(withHead(std::move(info), parts)), std::move(tokenizer)), m_parts(std::move(parts))
{
}

at::Tensor LanguageModel::firstInput(at::Tensor rows) const
{
    if (m_parts.embeddingAdapter)
        rows = (*m_parts.embeddingAdapter)(rows);
    if (m_parts.embeddingScale != 1)
        rows = rows * m_parts.embeddingScale;
    return m_parts.inputNorm ? (*m_parts.inputNorm)(rows) : rows;
}

at::Tensor LanguageModel::head(const at::Tensor& rows) const
{
    const auto normed = m_parts.outputNorm ? (*m_parts.outputNorm)(rows) : rows;
    return m_parts.output(m_parts.outputAdapter ? (*m_parts.outputAdapter)(normed) : normed);
}

std::vector<float> LanguageModel::nextTokenLogits(std::span<const float> rows) const
{
    const c10::InferenceMode inference; // per thread
    if (m_parts.embedding.is_meta())
        throw Error(fmt::format("{} was opened for a description only and cannot be run.", info()->path));
    const auto n = static_cast<std::int64_t>(rows.size()) / info()->width;
    try {
        useThreadsFor(n, info()->headProducts);
        return toHost(head(toDevice({rows.begin(), rows.end()}, 0, n, 1, info()->width, m_parts.compute).squeeze(1)).to(at::kFloat));
    } catch (const c10::OutOfMemoryError&) {
        throw Error(fmt::format("The output head does not fit into the memory of {} for {} tokens at once: use --device cpu.", info()->device, n));
    } catch (const c10::Error& error) {
        throw Error(fmt::format("{}: the output head failed: {}", info()->path, error.what_without_backtrace()));
    }
}

/// All layers over the rows of one part. `done` and `share`: of the whole run, for the progress.
at::Tensor LanguageModel::runLayers(at::Tensor x, Run& run, double done, double share) const
{
    const auto steps = static_cast<double>(m_parts.layers.size() + 1); // and the head
    for (std::size_t layer = 0; layer < m_parts.layers.size(); ++layer) {
        run.progress().at(done + share * static_cast<double>(layer) / steps, "tracing");
        x = m_parts.layers[layer](x, run);
    }
    run.progress().at(done + share * static_cast<double>(m_parts.layers.size()) / steps, "tracing");
    return x;
}

/// Up to the last decision.
void LanguageModel::routeLayers(at::Tensor x, Run& run) const
{
    const auto last = std::find_if(m_parts.layers.rbegin(), m_parts.layers.rend(), [](const Layer& layer) { return layer.routes(); }).base();
    for (auto layer = m_parts.layers.begin(); layer != last; ++layer) {
        run.progress().at(static_cast<double>(layer - m_parts.layers.begin()) / static_cast<double>(last - m_parts.layers.begin()), "tracing");
        if (layer + 1 == last)
            return layer->routeOnly(x, run);
        x = (*layer)(x, run);
    }
}

/// x: [n, d], the rows behind the reused ones. Returns the last layer's output of all rows, the reused ones included.
at::Tensor LanguageModel::runSegments(const at::Tensor& x, const Visibility& seen, const Reuse& reuse, Run& run) const
{
    const auto d = x.size(1);
    const auto tokens = reuse.rows + x.size(0);
    auto outputs = at::empty({tokens, d}, x.options());
    if (reuse.rows > 0)
        outputs.narrow(0, 0, reuse.rows).copy_(toDevice(reuse.from->lastLayer, 0, reuse.rows, 1, d, m_parts.compute).squeeze(1));
    auto begin = reuse.rows;
    do { // once for no tokens, too
        const auto block = begin / seen.segment;
        const auto end = std::min(tokens, (block + 1) * seen.segment);
        const auto oldest = seen.oldestSegment(block) * seen.segment;
        Part part{.firstRow = begin, .memory = {}, .ofSegments = true};
        if (begin == reuse.rows && begin > 0) {
            // The earlier trace has this segment's keys: they begin so many rows before that of the first token computed.
            AttentionKeep layout;
            layout.visibility = seen;
            layout.keysOfSegments = true;
            part.knownKeys = begin - oldest;
            part.knownKeysFrom = layout.keyRow(begin, oldest);
        } else if (begin > oldest) {
            part.memory = outputs.narrow(0, oldest, begin - oldest);
        }
        run.begin(std::move(part));
        const auto all = static_cast<double>(std::max<std::int64_t>(x.size(0), 1));
        const auto done = static_cast<double>(begin - reuse.rows) / all;
        outputs.narrow(0, begin, end - begin)
            .copy_(runLayers(x.narrow(0, begin - reuse.rows, end - begin), run, done, static_cast<double>(end - begin) / all));
        begin = end;
    } while (begin < tokens);
    return outputs;
}

/// A stretch of a document whose earlier segments are remembered as what the last layer made of them: one segment, or the
/// rest of one, after the other.
void LanguageModel::runStretch(const at::Tensor& x, std::int64_t first, DocumentMemory& memory, Run& run) const
{
    const auto segment = memory.seen().segment;
    const auto end = first + x.size(0);
    for (auto begin = first; begin < end;) {
        const auto next = std::min(end, (begin / segment + 1) * segment);
        const auto before = memory.outputsBefore(begin, run.progress());
        run.begin({.firstRow = memory.rowsBefore(begin),
                   .memory = begin % segment == 0 ? before : at::Tensor(),
                   .inDocument = begin});
        memory.addOutputs(begin, runLayers(x.narrow(0, begin - first, next - begin), run, 0, 1));
        begin = next;
    }
}

std::shared_ptr<Trace> LanguageModel::beginTrace(std::vector<Stream> streams, const TraceOptions& options) const
{
    if (m_parts.embedding.is_meta())
        throw Error(fmt::format("{} was opened for a description only and cannot be run.", info()->path));
    auto trace = std::make_shared<Trace>();
    trace->model = info();
    trace->streams = std::move(streams);
    trace->options = options;
    trace->options.prefix.reset();
    return trace;
}

template <typename Work>
void LanguageModel::computing(const Trace& trace, Work&& work) const
{
    try {
        std::forward<Work>(work)();
    } catch (const c10::OutOfMemoryError&) {
        throw Error(fmt::format(
            "{} tokens do not fit into the memory of {} beside the model: give a shorter text or use --device cpu.",
            trace.tokens(), info()->device));
    } catch (const c10::Error& error) {
        if (std::string_view(error.what_without_backtrace()).find("can't allocate memory") != std::string_view::npos)
            refuseForMemory(trace.tokens());
        throw Error(fmt::format("{}: the forward pass failed: {}", info()->path, error.what_without_backtrace()));
    } catch (const std::bad_alloc&) {
        refuseForMemory(trace.tokens());
    }
}

std::shared_ptr<const Trace> LanguageModel::traceStretch(std::int64_t first, TokenizedText tokens,
                                                         const TraceOptions& options, const Progress& progress,
                                                         DocumentMemory& memory) const
{
    const c10::InferenceMode inference; // per thread
    auto trace = beginTrace({{"text", std::move(tokens)}}, options);
    computing(*trace, [&] {
        const auto ids = idsOf(trace->text(), info()->vocabulary, m_parts.compute);
        useThreadsFor(ids.size(0), info()->layerProducts);
        auto x = firstInput(at::index_select(m_parts.embedding, 0, ids));
        Run run(trace->options, progress, m_parts.compute);
        run.remember(memory);
        if (m_parts.lastLayerMemory) {
            runStretch(x, first, memory, run);
        } else {
            run.begin({.firstRow = memory.rowsBefore(first), .memory = {}, .inDocument = first});
            routeLayers(std::move(x), run);
        }
        trace->sites = run.takeSites();
    });
    return trace;
}

namespace {

class RememberedDocument : public DocumentRun
{
public:
    RememberedDocument(const LanguageModel& model, const Visibility& seen, DocumentMemory::Kind kind)
        : m_model(model), m_memory(seen, kind)
    {
    }

    std::shared_ptr<const Trace> trace(std::int64_t first, TokenizedText tokens, const TraceOptions& options,
                                       const Progress& progress) override
    {
        try {
            return m_model.traceStretch(first, std::move(tokens), options, progress, m_memory);
        } catch (...) {
            m_memory.abandon(std::current_exception());
            throw;
        }
    }

private:
    const LanguageModel& m_model;
    DocumentMemory m_memory;
};

} // namespace

std::shared_ptr<DocumentRun> LanguageModel::beginDocument() const
{
    const auto kind = m_parts.lastLayerMemory ? DocumentMemory::Kind::LastLayer : DocumentMemory::Kind::Layers;
    return std::make_shared<RememberedDocument>(*this, info()->visibility, kind);
}

std::shared_ptr<const Trace> LanguageModel::trace(std::vector<Stream> streams, const TraceOptions& options,
                                                  const Progress& progress) const
{
    const auto started = std::chrono::steady_clock::now();
    const c10::InferenceMode inference; // per thread
    auto trace = beginTrace(std::move(streams), options);
    computing(*trace, [&] {
        const auto reuse = reusableRows(options, *info(), trace->text());
        const auto allIds = idsOf(trace->text(), info()->vocabulary, m_parts.compute);
        const auto ids = allIds.narrow(0, reuse.rows, allIds.size(0) - reuse.rows);
        useThreadsFor(ids.size(0), info()->layerProducts);
        auto x = firstInput(at::index_select(m_parts.embedding, 0, ids));
        Run run(trace->options, progress, m_parts.compute, reuse);
        if (m_parts.lastLayerMemory) {
            const auto outputs = runSegments(x, *m_parts.lastLayerMemory, reuse, run);
            if (options.maps || options.lastLayer)
                trace->lastLayer = toHost(outputs);
            x = outputs.narrow(0, reuse.rows, ids.size(0));
        } else if (decisionsOnly(options)) {
            routeLayers(x, run);
        } else {
            x = runLayers(x, run, 0, 1);
            if (options.lastLayer)
                trace->lastLayer = toHostBehind(reuse.rows > 0 ? reuse.from->lastLayer : std::vector<float>(), reuse.rows * info()->width,
                                                std::span(&x, 1));
        }
        if (options.loss || options.logits || options.predictions > 0)
            runHead(x, ids, [this](const at::Tensor& rows) { return head(rows); }, *trace, reuse, progress);
        trace->sites = run.takeSites();
        trace->attention = run.takeAttention();
    });
    trace->milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started).count();
    return trace;
}

} // namespace headscope::core::nn
