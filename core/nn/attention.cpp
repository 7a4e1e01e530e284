// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nn/attention.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>

#include <algorithm>
#include <limits>

namespace headscope::core::nn {
namespace {

/// The position term of a stretch: rows [n], keys [first, first + S). With c = (j - first) + (n - 1 - row), every row's distances lie on one
/// ascending axis, so the term is one product and a view with shifted rows.
at::Tensor positionTerm(const ScoredAttention& input, const at::Tensor& queries, std::int64_t firstQuery, std::int64_t firstKey,
                        std::int64_t keys)
{
    const auto maps = queries.size(0);
    const auto n = queries.size(1);
    const auto farthest = firstQuery - firstKey + n - 1;       // distance at c = 0
    const auto begin = input.distances - 1 - farthest;
    const auto span = keys + n - 1;
    const auto table = input.relative.narrow(0, begin, span).permute({1, 2, 0}); // [relativeHeads, width, span]
    const auto product = at::matmul(queries, table).contiguous();                // [maps, n, span]
    return product.as_strided({maps, n, keys}, {n * span, span - 1, 1}, product.storage_offset() + n - 1);
}

/// Keys after the query: the last n × n corner of a stretch's scores.
void maskFuture(at::Tensor& scores, std::int64_t n)
{
    const auto corner = scores.narrow(2, scores.size(2) - n, n);
    const auto future = at::ones({n, n}, scores.options().dtype(at::kBool)).triu(1);
    corner.masked_fill_(future, -std::numeric_limits<double>::infinity());
}

/// Rows that see one key less than the row before: the first n × n corner of a stretch's scores.
void maskPassed(at::Tensor& scores, std::int64_t n)
{
    const auto corner = scores.narrow(2, 0, n);
    const auto passed = at::ones({n, n}, scores.options().dtype(at::kBool)).tril(-1);
    corner.masked_fill_(passed, -std::numeric_limits<double>::infinity());
}

/// Rows of one stretch see the same first key, or each one less than the row before: stretches end where a segment ends.
std::int64_t stretchEnd(std::int64_t begin, std::int64_t end, const Visibility& visibility)
{
    auto stop = std::min(end, begin + attentionStretch);
    if (visibility.segment > 0)
        stop = std::min(stop, (begin / visibility.segment + 1) * visibility.segment);
    return stop;
}

} // namespace

Attended attend(const ScoredAttention& input, const Progress& progress)
{
    const auto rows = input.queries.size(0);
    const auto maps = input.queries.size(1);
    const auto columns = input.keys.size(0);
    const auto offset = columns - rows;
    Attended result;
    result.mixed = at::empty({rows, maps, input.values.size(2)}, input.values.options());
    result.logSumExp = at::empty({rows, maps}, input.queries.options().dtype(at::kFloat));
    const auto queries = input.queries.transpose(0, 1);
    const auto positionQueries = input.positionQueries.defined() ? input.positionQueries.transpose(0, 1) : queries;
    const auto keys = input.keys.permute({1, 2, 0});       // [keyHeads, width, S]
    const auto values = input.values.transpose(0, 1);      // [keyHeads, S, valueWidth]
    for (std::int64_t i = offset; i < columns;) {
        progress.checkpoint();
        const auto end = stretchEnd(i, columns, input.visibility);
        const auto n = end - i;
        const auto first = input.visibility.firstVisible(i);
        auto scores = at::matmul(queries.narrow(1, i - offset, n), keys.narrow(2, first, end - first)); // [maps, n, S]
        if (input.relative.defined())
            scores.add_(positionTerm(input, positionQueries.narrow(1, i - offset, n), i, first, end - first));
        scores = scores.to(at::kFloat);
        maskFuture(scores, n);
        if (input.visibility.firstVisible(end - 1) > first)
            maskPassed(scores, n);
        const auto logSumExp = at::logsumexp(scores, {2}, true);
        scores.sub_(logSumExp).exp_();
        const auto mixed = at::matmul(scores.to(values.scalar_type()), values.narrow(1, first, end - first));
        result.mixed.narrow(0, i - offset, n).copy_(mixed.transpose(0, 1));
        result.logSumExp.narrow(0, i - offset, n).copy_(logSumExp.squeeze(2).transpose(0, 1));
        i = end;
    }
    return result;
}

} // namespace headscope::core::nn
