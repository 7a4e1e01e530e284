// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/trace_cost.h"

#include <algorithm>
#include <thread>

namespace headscope::core {
namespace {

constexpr std::int64_t number = 4;     // bytes of a float, of an index
constexpr std::int64_t stretch = 128;  // queries whose scores are in memory together
constexpr double perScore = 24;        // exponentials, sums and copies of one score, in multiply-accumulates
constexpr std::int64_t headRows = 256; // rows of the output head that are computed together

/// Keys that the rows from `first` on see, summed.
double visiblePairs(const Visibility& visibility, std::int64_t first, std::int64_t tokens)
{
    double pairs = 0;
    for (std::int64_t i = first; i < tokens; ++i)
        pairs += static_cast<double>((visibility.causal ? i + 1 : tokens) - visibility.firstVisible(i));
    return pairs;
}

/// Rows of keys and values that a block keeps.
std::int64_t keyRows(const ModelInfo& model, std::int64_t tokens)
{
    AttentionKeep layout;
    layout.visibility = model.visibility;
    layout.keysOfSegments = model.lastLayerMemory;
    return layout.keyRow(tokens - 1, tokens - 1) + 1;
}

std::int64_t routerBytes(const Router& router, const TraceOptions& options, std::int64_t tokens)
{
    const std::int64_t slots = 2 * static_cast<std::int64_t>(router.chosen); // expert and gate
    const std::int64_t margin = 1;
    return tokens * number * (slots + margin + (options.routerLogits ? router.experts : 0));
}

std::int64_t mapBytes(const MapGroup& group, const ModelInfo& model, std::int64_t tokens)
{
    const std::int64_t queries = static_cast<std::int64_t>(group.maps) * group.width * (group.positionQueries ? 2 : 1);
    const std::int64_t keysAndValues = static_cast<std::int64_t>(group.keyHeads) * (group.width + group.valueWidth);
    const std::int64_t logSumExp = group.maps;
    const std::int64_t relative = static_cast<std::int64_t>(group.relativeHeads) * group.width * model.visibility.distances(tokens);
    return number * (tokens * (queries + logSumExp) + keyRows(model, tokens) * keysAndValues + relative);
}

bool runsHead(const TraceOptions& options)
{
    return options.loss || options.logits || options.predictions > 0;
}

std::int64_t headBytes(const ModelInfo& model, const TraceOptions& options, std::int64_t tokens)
{
    if (!runsHead(options))
        return 0;
    const std::int64_t lossAndRank = 2 * number;
    const auto predictions = static_cast<std::int64_t>(sizeof(Prediction)) * std::min<std::int64_t>(options.predictions, model.vocabulary);
    return tokens * (lossAndRank + predictions + (options.logits ? number * model.vocabulary : 0));
}

/// The scores of one stretch, before and after their softmax, and a position term; a few rows of the residual stream; logits.
std::int64_t workingBytes(const ModelInfo& model, const TraceOptions& options, std::int64_t tokens)
{
    std::int64_t scores = 0;
    for (const MapGroup& group : model.maps)
        scores = std::max(scores, group.maps * std::min(stretch, tokens) * model.visibility.distances(tokens) *
                                      (group.relativeHeads > 0 ? 3 : 2));
    const std::int64_t rows = 8 * tokens * model.width;
    const std::int64_t logits = runsHead(options) ? 2 * std::min(headRows, tokens) * model.vocabulary : 0;
    return number * (std::max(scores, logits) + rows);
}

double products(const ModelInfo& model, const TraceOptions& options, std::int64_t tokens, std::int64_t known)
{
    const auto rows = static_cast<double>(tokens - known);
    double perToken = static_cast<double>(model.layerProducts);
    if (runsHead(options))
        perToken += static_cast<double>(model.headProducts);
    double perPair = 0;
    for (const MapGroup& group : model.maps)
        perPair += group.maps * (group.width + group.valueWidth + (group.relativeHeads > 0 ? group.width : 0) + perScore);
    return rows * perToken + perPair * visiblePairs(model.visibility, known, tokens);
}

template <typename T>
std::int64_t bytesOf(const std::vector<T>& values)
{
    return static_cast<std::int64_t>(values.size() * sizeof(T));
}

} // namespace

TraceCost traceCost(const ModelInfo& model, const TraceOptions& options, std::int64_t tokens, std::int64_t known)
{
    TraceCost cost;
    if (tokens == 0)
        return cost;
    if (options.maps) {
        for (const MapGroup& group : model.maps)
            cost.mapBytes += mapBytes(group, model, tokens);
        if (model.lastLayerMemory)
            cost.mapBytes += number * tokens * model.width;
    }
    const bool keptForMaps = options.maps && model.lastLayerMemory;
    const std::int64_t lastLayer = options.lastLayer && !keptForMaps ? number * tokens * model.width : 0;
    cost.keptBytes = cost.mapBytes + lastLayer + headBytes(model, options, tokens);
    for (const Router& router : model.routers)
        cost.keptBytes += routerBytes(router, options, tokens);
    cost.workingBytes = workingBytes(model, options, tokens);
    cost.products = products(model, options, tokens, std::clamp<std::int64_t>(known, 0, tokens));
    return cost;
}

std::int64_t keptBytes(const Trace& trace)
{
    std::int64_t bytes = bytesOf(trace.loss) + bytesOf(trace.rank) + bytesOf(trace.predictions) + bytesOf(trace.logits) + bytesOf(trace.lastLayer);
    for (const auto& site : trace.sites)
        bytes += bytesOf(site->logits) + bytesOf(site->experts) + bytesOf(site->gates) + bytesOf(site->margins);
    for (const auto& block : trace.attention)
        bytes += bytesOf(block->queries) + bytesOf(block->keys) + bytesOf(block->values) + bytesOf(block->positionQueries) +
                 bytesOf(block->relative) + bytesOf(block->logSumExp);
    return bytes;
}

double assumedSpeed(std::string_view device)
{
    constexpr double core = 2e9; // small matrices of a few million parameters, measured
    constexpr double gpu = 2e12;
    return device.starts_with("cuda") ? gpu : core * std::max(1U, std::thread::hardware_concurrency());
}

std::int64_t reusableTokens(const TraceOptions& options, const ModelInfo& model, const TokenizedText& text)
{
    const auto& earlier = options.prefix;
    if (!earlier || earlier->model.get() != &model || !earlier->options.keepsTheSame(options) || !options.maps || earlier->streams.size() != 1)
        return 0;
    const auto& before = earlier->text().tokens;
    const auto& now = text.tokens;
    const auto limit = std::min(before.size(), now.size());
    std::size_t common = 0;
    while (common < limit && before[common].id == now[common].id)
        ++common;
    return common > 1 ? static_cast<std::int64_t>(common) - 1 : 0;
}

} // namespace headscope::core
