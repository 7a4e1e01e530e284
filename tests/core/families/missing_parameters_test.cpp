// SPDX-License-Identifier: GPL-3.0-or-later
// Plain state dicts: what neither file nor shapes tell is asked for, and given it the numbers are right.
#include "core/checkpoint/hyper_parameters.h"
#include "tests/core/checkpoint/test_files.h"
#include "tests/core/families/expected_trace.h"

#include <gmock/gmock.h>

namespace headscope::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A fixture's checkpoint alone, in a folder of its own.
struct Bare {
    Fixture fixture;
    test::TemporaryFolder folder;
    std::filesystem::path checkpoint;

    explicit Bare(const char* name) : fixture(Fixture::read(std::filesystem::path(HEADSCOPE_TEST_DATA) / "fixtures" / name))
    {
        checkpoint = folder / fixture.checkpoint.filename().string();
        std::filesystem::copy_file(fixture.checkpoint, checkpoint);
    }
    std::vector<core::MissingParameter> missing(const core::GivenParameters& given = {}) const
    {
        core::OpenOptions options;
        options.parameters = given;
        try {
            core::openModel(checkpoint, options);
        } catch (const core::MissingParameters& error) {
            sentence = error.what();
            return error.parameters();
        }
        return {};
    }
    void expectRightNumbers(const core::OpenOptions& options) const
    {
        const auto model = core::openModel(checkpoint, options);
        EXPECT_THAT(differences(fixture, *model->trace(model->tokensFromIds(fixture.ids), {.logits = true})), ElementsAre());
    }
    mutable std::string sentence;
};

std::vector<std::string> keysOf(const std::vector<core::MissingParameter>& missing)
{
    std::vector<std::string> keys;
    for (const auto& parameter : missing)
        keys.push_back(parameter.key);
    return keys;
}

/// What the fixture's own sidecar says of these keys.
core::GivenParameters answers(const Bare& bare, const std::vector<std::string>& keys)
{
    const auto values = core::hyperParametersFrom(bare.fixture.checkpoint.parent_path() / "headscope.json").values;
    core::GivenParameters given;
    for (const auto& key : keys)
        given.emplace_back(key, values.at(key).is_string() ? values.at(key).get<std::string>() : values.at(key).dump());
    return given;
}

TEST(MissingParameters, OfTheSwitchHeadPackage)
{
    const Bare bare("switchhead_package");
    const auto missing = bare.missing();
    ASSERT_THAT(keysOf(missing), ElementsAre("n_heads", "moe_k", "position_encoding"));
    for (const auto& parameter : missing)
        EXPECT_THAT(bare.sentence, HasSubstr(parameter.key));
    EXPECT_THAT(missing[0].choices, testing::Contains(answers(bare, {"n_heads"}).front().second));
    EXPECT_GE(missing[1].most, 2);
    EXPECT_EQ(missing[2].choices.size(), 1U); // the tensors tell which, but the sidecar has to say so

    const auto given = answers(bare, keysOf(missing));
    EXPECT_THAT(keysOf(bare.missing({given[0]})), ElementsAre("moe_k", "position_encoding")); // the rest is still missing
    core::OpenOptions options;
    options.parameters = given;
    bare.expectRightNumbers(options);
    const auto model = core::openModel(bare.checkpoint, options);
    const auto& settings = model->info()->settings;
    const auto heads = std::find_if(settings.begin(), settings.end(), [](const auto& setting) { return setting.name == "n_heads"; });
    ASSERT_NE(heads, settings.end());
    EXPECT_EQ(heads->source, "given by the user");
}

TEST(MissingParameters, OfTheMoeutPackage)
{
    const Bare bare("moeut_clean");
    const auto missing = bare.missing();
    ASSERT_THAT(keysOf(missing), ElementsAre("n_layers", "n_heads", "att_k", "ff_k"));
    EXPECT_EQ(missing[0].step, missing[0].least);
    core::OpenOptions options;
    options.parameters = answers(bare, keysOf(missing));
    bare.expectRightNumbers(options);
}

TEST(MissingParameters, AnswersAreSavedBesideTheCheckpoint)
{
    const Bare bare("switchhead_package");
    const auto given = answers(bare, {"n_heads", "moe_k", "position_encoding"});
    test::writeFile(bare.folder / "headscope.json", R"({"layer_norm_eps": 1e-5, "moe_k": 99})");
    EXPECT_EQ(core::saveBeside(bare.checkpoint, given), bare.folder / "headscope.json");
    const auto saved = core::hyperParametersFrom(bare.folder / "headscope.json").values;
    EXPECT_TRUE(saved.at("n_heads").is_number_integer());
    EXPECT_EQ(saved.at("layer_norm_eps"), 1e-5); // what was there stays
    EXPECT_NE(saved.at("moe_k"), 99);
    bare.expectRightNumbers({});

    test::writeFile(bare.folder / "args.json", R"({"moe_k": 1})"); // of a trainer of the user's own: what the user said comes first
    core::saveBeside(bare.checkpoint, given);
    bare.expectRightNumbers({});
}

TEST(MissingParameters, WrongAnswersAreContradicted)
{
    const Bare bare("switchhead_package");
    auto given = answers(bare, {"n_heads", "moe_k", "position_encoding"});
    given[0].second = "7";
    core::OpenOptions options;
    options.parameters = given;
    EXPECT_THAT(test::errorOf([&] { core::openModel(bare.checkpoint, options); }), HasSubstr("7 heads"));
}

} // namespace
} // namespace headscope::tests
