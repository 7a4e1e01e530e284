// SPDX-License-Identifier: GPL-3.0-or-later
// A trace that takes its beginning from an earlier one equals a trace of the whole text.
#include "tests/core/families/expected_trace.h"
#include "tests/core/families/trace_checks.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <random>

namespace headscope::tests {
namespace {

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
    options.lastLayer = true;
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
