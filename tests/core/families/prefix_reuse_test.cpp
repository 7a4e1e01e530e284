// SPDX-License-Identifier: GPL-3.0-or-later
// A trace that takes its beginning from an earlier one equals a trace of the whole text.
#include "tests/core/families/expected_trace.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

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
    ASSERT_EQ(whole.rank.size(), reused.rank.size());
    ASSERT_EQ(whole.predictions.size(), reused.predictions.size());
}

/// Inserts, deletes and replaces at random places, mostly near the end as a person who types does.
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

class PrefixReuse : public ::testing::TestWithParam<std::filesystem::path>
{
};

TEST_P(PrefixReuse, EqualsTheWholeRunOverAnEditingSession)
{
    const auto fixture = Fixture::read(GetParam());
    const auto model = fixture.open();
    const bool trained = fixture.folder.parent_path().filename() == "demo";
    std::mt19937 random(7);
    auto ids = fixture.ids;
    core::TraceOptions options;
    options.predictions = 2;
    auto previous = model->trace(model->tokensFromIds(ids), options);
    for (int edit = 0; edit < (trained ? 500 : 60); ++edit) {
        ids = edited(std::move(ids), model->info()->vocabulary, random);
        auto reusing = options;
        reusing.prefix = previous;
        previous = model->trace(model->tokensFromIds(ids), reusing);
        const auto whole = model->trace(model->tokensFromIds(ids), options);
        expectSame(*whole, *previous);
        if (HasFatalFailure())
            FAIL() << "after edit " << edit << " with " << ids.size() << " tokens";
        EXPECT_EQ(previous->options.prefix, nullptr);
    }
}

TEST_P(PrefixReuse, IsNotTakenFromAnotherModelOrOtherOptions)
{
    const auto fixture = Fixture::read(GetParam());
    const auto model = fixture.open();
    const auto other = fixture.open();
    core::TraceOptions options;
    options.prefix = other->trace(other->tokensFromIds(fixture.ids), {});
    expectSame(*model->trace(model->tokensFromIds(fixture.ids), {}), *model->trace(model->tokensFromIds(fixture.ids), options));
    core::TraceOptions without;
    without.prefix = model->trace(model->tokensFromIds(fixture.ids), {});
    without.routerLogits = false;
    EXPECT_TRUE(model->trace(model->tokensFromIds(fixture.ids), without)->sites.empty() || model->trace(model->tokensFromIds(fixture.ids), without)->sites.front()->logits.empty());
}

std::string nameOf(const ::testing::TestParamInfo<std::filesystem::path>& info)
{
    return info.param.parent_path().filename().string() + "_" + info.param.filename().string();
}
INSTANTIATE_TEST_SUITE_P(Data, PrefixReuse, ::testing::ValuesIn(fixtureFolders()), nameOf);

} // namespace
} // namespace headscope::tests
