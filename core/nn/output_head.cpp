// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nn/output_head.h"

#include "core/trace/model_info.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/topk.h>

#include <algorithm>
#include <limits>

namespace headscope::core::nn {
namespace {

constexpr std::int64_t stretch = 256;

void appendPredictions(const at::Tensor& logits, const at::Tensor& logSumExp, int wanted, std::vector<Prediction>& predictions)
{
    const auto [values, ids] = at::topk(logits, std::min<std::int64_t>(wanted, logits.size(1)), 1);
    const auto probabilities = toHost((values - logSumExp).exp());
    const auto hostIds = ids.cpu().contiguous();
    const auto* id = hostIds.const_data_ptr<std::int64_t>();
    for (std::size_t i = 0; i < probabilities.size(); ++i)
        predictions.push_back({static_cast<TokenId>(id[i]), probabilities[i]});
}

/// Losses and ranks up to and with the first new row (its token is the same), predictions and logits before it.
void takeEarlier(const Reuse& reuse, Trace& trace)
{
    if (reuse.rows == 0)
        return;
    const auto& from = *reuse.from;
    const auto rows = static_cast<std::ptrdiff_t>(reuse.rows);
    trace.loss.assign(from.loss.begin(), from.loss.begin() + rows + 1);
    trace.rank.assign(from.rank.begin(), from.rank.begin() + rows + 1);
    trace.predictions.assign(from.predictions.begin(), from.predictions.begin() + rows * trace.options.predictions);
    if (trace.options.logits)
        trace.logits.assign(from.logits.begin(), from.logits.begin() + rows * static_cast<std::ptrdiff_t>(from.model->vocabulary));
}

} // namespace

void runHead(const at::Tensor& x, const at::Tensor& ids, const std::function<at::Tensor(const at::Tensor&)>& head, Trace& trace,
             const Reuse& reuse, const Progress& progress)
{
    const auto tokens = x.size(0);
    if (tokens == 0)
        return;
    takeEarlier(reuse, trace);
    const auto floats = x.options().dtype(at::kFloat);
    auto loss = at::full({tokens}, std::numeric_limits<double>::quiet_NaN(), floats);
    auto rank = at::full({tokens}, -1, x.options().dtype(at::kInt));
    for (std::int64_t begin = 0; begin < tokens; begin += stretch) {
        progress.checkpoint();
        const auto n = std::min(stretch, tokens - begin);
        const auto logits = head(x.narrow(0, begin, n)).to(at::kFloat);
        const auto logSumExp = at::logsumexp(logits, {1}, true);
        const auto known = std::min(n, tokens - 1 - begin); // the last position's next token is not in the text
        if (known > 0) {
            const auto next = ids.narrow(0, begin + 1, known).unsqueeze(1);
            const auto scores = logits.narrow(0, 0, known);
            const auto truth = scores.gather(1, next);
            loss.narrow(0, begin + 1, known).copy_((logSumExp.narrow(0, 0, known) - truth).squeeze(1));
            rank.narrow(0, begin + 1, known).copy_(scores.gt(truth).sum(1));
        }
        if (trace.options.predictions > 0)
            appendPredictions(logits, logSumExp, trace.options.predictions, trace.predictions);
        if (trace.options.logits) {
            const auto values = toHost(logits);
            trace.logits.insert(trace.logits.end(), values.begin(), values.end());
        }
    }
    const auto losses = toHost(loss);
    const auto ranks = rank.cpu();
    // The first row's own loss belongs to the row before it: known from the earlier trace, or to nobody.
    const auto skip = static_cast<std::ptrdiff_t>(trace.loss.empty() ? 0 : 1);
    trace.loss.insert(trace.loss.end(), losses.begin() + skip, losses.end());
    trace.rank.insert(trace.rank.end(), ranks.const_data_ptr<int>() + skip, ranks.const_data_ptr<int>() + tokens);
}

} // namespace headscope::core::nn
