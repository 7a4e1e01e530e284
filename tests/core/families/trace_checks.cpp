// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/families/trace_checks.h"

#include "core/attention/maps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headscope::tests {
namespace {

constexpr float tolerance = 1e-4F;
constexpr float rounding = 1e-5F; // below this margin another text length may decide otherwise

/// Where routing of two traces of one text differs beyond rounding: the first token of an unexplained difference, or the number of tokens.
/// From a token on whose choice was decided within rounding, later values may differ; the comparison ends there.
std::int64_t comparableTokens(const core::Trace& a, const core::Trace& b)
{
    std::int64_t tokens = a.tokens();
    for (std::size_t s = 0; s < a.sites.size(); ++s) {
        const auto& x = *a.sites[s];
        const auto& y = *b.sites[s];
        for (std::int64_t t = 0; t < tokens; ++t)
            for (int head = 0; head < x.heads; ++head) {
                const auto slot = x.slot(t, head, 0);
                if (!std::equal(x.experts.begin() + static_cast<std::ptrdiff_t>(slot), x.experts.begin() + static_cast<std::ptrdiff_t>(slot) + x.router.chosen,
                                y.experts.begin() + static_cast<std::ptrdiff_t>(slot))
                    && x.margins[x.margin(t, head)] < rounding)
                    tokens = t;
            }
    }
    return tokens;
}

template <typename T>
::testing::AssertionResult agree(const std::vector<T>& a, const std::vector<T>& b, std::size_t count, const std::string& what)
{
    if (a.size() != b.size())
        return ::testing::AssertionFailure() << what << " has " << a.size() << " and " << b.size() << " values";
    for (std::size_t i = 0; i < count; ++i) {
        if constexpr (std::is_integral_v<T>) {
            if (a[i] != b[i])
                return ::testing::AssertionFailure() << what << "[" << i << "] is " << a[i] << " and " << b[i];
        } else if (std::isnan(a[i]) != std::isnan(b[i]) || std::abs(a[i] - b[i]) > tolerance) {
            return ::testing::AssertionFailure() << what << "[" << i << "] is " << a[i] << " and " << b[i];
        }
    }
    return ::testing::AssertionSuccess();
}

/// The factors of all experts, of which the chosen ones are used, from one router's logits. L1-normalised: before the division.
std::vector<double> factors(const std::vector<double>& logits, const std::vector<std::int32_t>& chosen, core::GateKind gate)
{
    std::vector<double> result;
    double sum = 0;
    for (std::size_t e = 0; e < logits.size(); ++e) {
        const bool among = gate != core::GateKind::SoftmaxChosen || std::find(chosen.begin(), chosen.end(), static_cast<std::int32_t>(e)) != chosen.end();
        sum += among ? std::exp(logits[e]) : 0;
    }
    for (const auto logit : logits)
        switch (gate) {
        case core::GateKind::SoftmaxAll:
        case core::GateKind::SoftmaxChosen: result.push_back(std::exp(logit) / sum); break;
        case core::GateKind::Magnitude: result.push_back(std::abs(logit)); break;
        default: result.push_back(1 / (1 + std::exp(-logit))); break;
        }
    if (gate == core::GateKind::L1Normalised) {
        double all = 0;
        for (const auto e : chosen)
            all += result[static_cast<std::size_t>(e)];
        for (auto& factor : result)
            factor /= all;
    }
    return result;
}

} // namespace

void expectRowsSumToOne(const core::Trace& trace)
{
    const auto tokens = trace.tokens();
    for (const auto& block : trace.attention) {
        for (const auto& map : core::mapsOf(*block)) {
            const auto whole = core::wholeMap(trace, map);
            for (std::int64_t i = 0; i < tokens; ++i) {
                double inside = 0;
                for (std::int64_t j = 0; j < tokens; ++j) {
                    const auto value = whole.values[static_cast<std::size_t>(i * tokens + j)];
                    if (j < block->visibility.firstVisible(i) || j > i)
                        ASSERT_EQ(value, 0) << map.toString(block->slots) << " " << i << "," << j;
                    else
                        inside += value;
                }
                ASSERT_NEAR(inside, 1, 1e-4) << map.toString(block->slots) << " row " << i;
            }
        }
    }
}

void expectTilesEqualWholeMaps(const core::Trace& trace)
{
    const auto tokens = trace.tokens();
    for (const auto& block : trace.attention) {
        for (const auto& map : core::mapsOf(*block)) {
            const auto whole = core::wholeMap(trace, map);
            for (const core::TileArea wanted : {core::TileArea{0, 0, 10, 10, 1}, {tokens - 15, 3, 40, 200, 1}, {5, 0, 9, 20, 4}, {tokens - 1, tokens - 1, 5, 5, 2}}) {
                const auto part = core::tile(trace, map, wanted);
                ASSERT_EQ(part.values.size(), static_cast<std::size_t>(part.area.rows * part.area.columns));
                for (std::int64_t r = 0; r < part.area.rows; ++r)
                    for (std::int64_t c = 0; c < part.area.columns; ++c)
                        ASSERT_EQ(part.values[static_cast<std::size_t>(r * part.area.columns + c)],
                                  whole.values[static_cast<std::size_t>((wanted.row + r * wanted.step) * tokens + wanted.column + c * wanted.step)]);
            }
        }
    }
}

void expectLossFollowsFromLogits(const core::Trace& trace)
{
    const auto vocabulary = static_cast<std::size_t>(trace.model->vocabulary);
    for (std::size_t t = 1; t < static_cast<std::size_t>(trace.tokens()); ++t) {
        const auto* row = trace.logits.data() + (t - 1) * vocabulary;
        const auto truth = row[trace.text().tokens[t].id];
        double sum = 0;
        int better = 0;
        for (std::size_t v = 0; v < vocabulary; ++v) {
            sum += std::exp(static_cast<double>(row[v]) - truth);
            better += row[v] > truth;
        }
        EXPECT_NEAR(trace.loss[t], std::log(sum), 1e-4);
        EXPECT_EQ(trace.rank[t], better);
        EXPECT_EQ(std::max_element(row, row + vocabulary) - row, trace.predictions[2 * (t - 1)].id);
    }
}

void expectGatesFollowFromLogits(const core::Trace& trace)
{
    for (const auto& site : trace.sites) {
        const auto& router = site->router;
        for (std::int64_t t = 0; t < site->tokens; ++t)
            for (int head = 0; head < site->heads; ++head) {
                std::vector<double> logits;
                for (int e = 0; e < router.experts; ++e)
                    logits.push_back(site->logits[site->logit(t, head, e)]);
                const auto first = site->experts.begin() + static_cast<std::ptrdiff_t>(site->slot(t, head, 0));
                const std::vector<std::int32_t> chosen(first, first + router.chosen);
                const auto score = [&](std::size_t e) { return router.gate == core::GateKind::Magnitude ? std::abs(logits[e]) : logits[e]; };
                std::vector<std::int32_t> order(logits.size());
                std::iota(order.begin(), order.end(), 0);
                std::stable_sort(order.begin(), order.end(),
                                 [&](auto a, auto b) { return score(static_cast<std::size_t>(a)) > score(static_cast<std::size_t>(b)); });
                order.resize(chosen.size());
                ASSERT_EQ(chosen, order) << router.address.toString() << " token " << t;
                const auto expected = factors(logits, chosen, router.gate);
                for (int slot = 0; slot < router.chosen; ++slot)
                    ASSERT_NEAR(site->gates[site->slot(t, head, slot)], expected[static_cast<std::size_t>(chosen[static_cast<std::size_t>(slot)])], 1e-5)
                        << router.address.toString() << " token " << t;
            }
    }
}

void expectSame(const core::Trace& whole, const core::Trace& reused)
{
    const auto tokens = static_cast<std::size_t>(comparableTokens(whole, reused));
    ASSERT_EQ(whole.sites.size(), reused.sites.size());
    for (std::size_t s = 0; s < whole.sites.size(); ++s) {
        const auto& a = *whole.sites[s];
        const auto& b = *reused.sites[s];
        const auto name = a.router.address.toString();
        ASSERT_TRUE(agree(a.experts, b.experts, tokens * a.heads * a.router.chosen, name + ".experts"));
        ASSERT_TRUE(agree(a.gates, b.gates, tokens * a.heads * a.router.chosen, name + ".gates"));
        ASSERT_TRUE(agree(a.logits, b.logits, tokens * a.heads * a.router.experts, name + ".logits"));
        ASSERT_TRUE(agree(a.margins, b.margins, tokens * a.heads, name + ".margins"));
    }
    for (std::size_t l = 0; l < whole.attention.size(); ++l) {
        const auto& a = *whole.attention[l];
        const auto& b = *reused.attention[l];
        ASSERT_TRUE(agree(a.queries, b.queries, tokens * a.maps * a.width, "queries"));
        ASSERT_TRUE(agree(a.keys, b.keys, tokens * a.keyHeads * a.width, "keys"));
        ASSERT_TRUE(agree(a.logSumExp, b.logSumExp, tokens * a.maps, "logSumExp"));
        ASSERT_TRUE(agree(a.relative, b.relative, a.relative.size(), "relative"));
        ASSERT_EQ(a.rows, b.rows);
        ASSERT_EQ(a.columns, b.columns);
    }
    ASSERT_TRUE(agree(whole.loss, reused.loss, tokens, "loss"));
    ASSERT_TRUE(agree(whole.lastLayer, reused.lastLayer, tokens * (whole.lastLayer.size() / std::max<std::size_t>(1, static_cast<std::size_t>(whole.tokens()))),
                      "last layer"));
    ASSERT_EQ(whole.rank.size(), reused.rank.size());
    ASSERT_EQ(whole.predictions.size(), reused.predictions.size());
}

std::vector<core::TokenId> edited(std::vector<core::TokenId> ids, std::int64_t vocabulary, std::mt19937& random)
{
    const auto at = [&random](std::size_t size) {
        const auto back = random() % 3 ? random() % 4 : random() % (size + 1);
        return static_cast<std::ptrdiff_t>(size - std::min<std::size_t>(size, back));
    };
    const auto id = static_cast<core::TokenId>(random() % static_cast<std::uint64_t>(vocabulary));
    const auto place = at(ids.size());
    if (ids.empty() || (random() % 2 && ids.size() < 150))
        ids.insert(ids.begin() + place, id);
    else if (random() % 2)
        ids.erase(ids.begin() + std::min<std::ptrdiff_t>(place, static_cast<std::ptrdiff_t>(ids.size()) - 1));
    else
        ids[static_cast<std::size_t>(std::min<std::ptrdiff_t>(place, static_cast<std::ptrdiff_t>(ids.size()) - 1))] = id;
    return ids;
}

} // namespace headscope::tests
