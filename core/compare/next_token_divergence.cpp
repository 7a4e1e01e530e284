// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/next_token_divergence.h"

#include "core/error.h"
#include "core/trace/model_info.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace headscope::core {
namespace {

constexpr std::int64_t rowsAtOnce = 48;

double logSumExp(std::span<const float> logits)
{
    const double largest = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
    double sum = 0;
    for (const float logit : logits)
        sum += std::exp(static_cast<double>(logit) - largest);
    return largest + std::log(sum);
}

/// Of two rows of logits.
double divergence(std::span<const float> a, std::span<const float> b)
{
    const double ofA = logSumExp(a);
    const double ofB = logSumExp(b);
    double sum = 0;
    for (std::size_t id = 0; id < a.size(); ++id) {
        const double logA = static_cast<double>(a[id]) - ofA;
        sum += std::exp(logA) * (logA - (static_cast<double>(b[id]) - ofB));
    }
    return std::max(0.0, sum); // rounding
}

std::span<const float> rowsOf(const Trace& trace, std::int64_t first, std::int64_t count)
{
    const auto width = static_cast<std::size_t>(trace.model->width);
    return std::span(trace.lastLayer)
        .subspan(static_cast<std::size_t>(first) * width, static_cast<std::size_t>(count) * width);
}

void requireLastLayer(const Trace& trace)
{
    if (trace.streams.size() != 1 ||
        static_cast<std::int64_t>(trace.lastLayer.size()) != trace.tokens() * trace.model->width)
        throw Error(trace.model->path +
                    ": its trace did not keep the last layer, from which the next tokens' distributions are computed.");
}

} // namespace

std::vector<float> nextTokenDivergence(const TracedHead& a, const TracedHead& b, const Progress& progress)
{
    requireLastLayer(a.trace);
    requireLastLayer(b.trace);
    if (a.trace.text().ids() != b.trace.text().ids())
        throw Error("The two models read different tokens: the distributions of what follows them cannot be compared.");
    std::vector<float> result;
    const auto tokens = a.trace.tokens();
    for (std::int64_t begin = 0; begin < tokens; begin += rowsAtOnce) {
        progress.at(static_cast<double>(begin) / static_cast<double>(tokens), "comparing next tokens");
        const auto rows = std::min(rowsAtOnce, tokens - begin);
        const auto logitsA = a.head.nextTokenLogits(rowsOf(a.trace, begin, rows));
        const auto logitsB = b.head.nextTokenLogits(rowsOf(b.trace, begin, rows));
        if (logitsA.size() != logitsB.size())
            throw Error("The two models have vocabularies of different sizes: the distributions of the next token cannot be "
                        "compared.");
        const auto vocabulary = logitsA.size() / static_cast<std::size_t>(rows);
        for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row)
            result.push_back(static_cast<float>(divergence(std::span(logitsA).subspan(row * vocabulary, vocabulary),
                                                           std::span(logitsB).subspan(row * vocabulary, vocabulary))));
    }
    return result;
}

} // namespace headscope::core
