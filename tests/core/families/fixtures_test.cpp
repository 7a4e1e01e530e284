// SPDX-License-Identifier: GPL-3.0-or-later
// Every fixture, given as ids and as text, reproduces every expected value. Every family has a fixture.
#include "tests/core/families/expected_trace.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <set>

namespace headscope::tests {
namespace {

using ::testing::IsEmpty;

const core::TraceOptions everything{.maps = true, .routerLogits = true, .loss = true, .logits = true, .predictions = 0};

std::string nameOf(const ::testing::TestParamInfo<std::filesystem::path>& info)
{
    return info.param.parent_path().filename().string() + "_" + info.param.filename().string();
}

class EveryFixture : public ::testing::TestWithParam<std::filesystem::path>
{
};

TEST_P(EveryFixture, ReproducesItsTraceFromIds)
{
    const auto fixture = Fixture::read(GetParam());
    const auto model = fixture.open();
    const auto trace = model->trace(model->tokensFromIds(fixture.ids), everything);
    EXPECT_THAT(differences(fixture, *trace), IsEmpty());
}

class EveryFixtureWithText : public EveryFixture
{
};

TEST_P(EveryFixtureWithText, ReproducesItsTraceFromText)
{
    const auto fixture = Fixture::read(GetParam());
    const auto model = fixture.open();
    const auto trace = model->trace(model->tokenize(fixture.text), everything);
    EXPECT_THAT(differences(fixture, *trace), IsEmpty());

    std::ifstream file(fixture.folder / "expected_tokens.json");
    const auto expected = nlohmann::json::parse(file);
    const auto& tokens = trace->text().tokens;
    ASSERT_EQ(tokens.size(), expected.at("pieces").size());
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        EXPECT_EQ(tokens[i].piece, expected.at("pieces")[i].get<std::string>());
        EXPECT_EQ(tokens[i].span.begin, expected.at("spans")[i][0].get<std::size_t>());
        EXPECT_EQ(tokens[i].span.end, expected.at("spans")[i][1].get<std::size_t>());
    }
}

TEST_P(EveryFixture, IsDescribedWithoutReadingItsWeights)
{
    const auto fixture = Fixture::read(GetParam());
    core::OpenOptions options;
    options.purpose = core::OpenFor::Describing;
    const auto described = fixture.open(options);
    const auto running = fixture.open();
    EXPECT_EQ(described->info()->family, fixture.family);
    EXPECT_EQ(described->info()->parameters, running->info()->parameters);
    EXPECT_EQ(described->info()->routers.size(), running->info()->routers.size());
    EXPECT_LT(described->info()->bytesRead, running->info()->bytesRead);
    EXPECT_THROW(described->trace(described->tokensFromIds({1}), {}), core::Error);
}

INSTANTIATE_TEST_SUITE_P(Data, EveryFixture, ::testing::ValuesIn(fixtureFolders()), nameOf);
INSTANTIATE_TEST_SUITE_P(Data, EveryFixtureWithText, ::testing::ValuesIn(fixtureFoldersWithText()), nameOf);

TEST(Fixtures, ThereIsOneForEveryFamily)
{
    std::set<std::string> covered;
    for (const auto& folder : fixtureFolders())
        covered.insert(Fixture::read(folder).family);
    for (const auto& family : core::familyNames())
        EXPECT_TRUE(covered.contains(family)) << "the family " << family << " has no fixture in tests/data";
}

TEST(Fixtures, HalfPrecisionWeightsStayClose)
{
    // The expected values belong to the float32 file: float16 weights move logits by up to 0.04 and flip single choices.
    const auto fixture = Fixture::read(std::filesystem::path(HEADSCOPE_TEST_DATA) / "demo/switchhead");
    core::OpenOptions options;
    options.tokenizer = fixture.tokenizer;
    options.device = "cpu";
    const auto model = core::openModel(std::filesystem::path(HEADSCOPE_RESOURCES) / "demo/switchhead/model-1400.pth", options);
    const auto trace = model->trace(model->tokenize(fixture.text), everything);
    EXPECT_THAT(differences(fixture, *trace, {.logits = 0.1, .gates = 1, .attention = 1, .otherChoices = 0.01}), IsEmpty());
}

} // namespace
} // namespace headscope::tests
