// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of hyper-parameters are sound, and docs/checkpoints.md shows them as they are.
#include "core/families/model.h"
#include "core/families/parameter_table.h"
#include "tests/core/checkpoint/test_files.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace headscope::tests {
namespace {

using core::ParameterTable;

std::string replaced(std::string text, std::string_view what, std::string_view with)
{
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
    return text;
}

/// "memory !test-blocks" as "memory, not test-blocks"
std::string condition(std::string_view words)
{
    auto text = replaced(std::string(words), " ", ", ");
    return replaced(replaced(text, "|", " or "), "!", "not ");
}

std::string documented(const ParameterTable& table)
{
    std::string text = "| key | class | when absent | acts where | meaning |\n|---|---|---|---|---|\n";
    std::string training;
    for (const auto& row : table.keys) {
        if (row.kind == core::KeyClass::Training) {
            training += fmt::format("{}`{}`", training.empty() ? "" : ", ", row.name);
            continue;
        }
        std::string absent = row.kind == core::KeyClass::Cut || row.kind == core::KeyClass::Settled
                                 ? "the tensors tell"
                                 : std::string(row.fallback);
        if (row.fallback == "none" && row.kind == core::KeyClass::Cut)
            absent = "none";
        if (row.must == "always")
            absent = "must be given";
        else if (!row.must.empty())
            absent += fmt::format("; must be given: {}", condition(row.must));
        std::string meaning(row.meaning);
        if (!row.words.empty())
            meaning += fmt::format(" ({})", row.words);
        text += fmt::format("| `{}` | {} | {} | {} | {} |\n", row.name, core::toString(row.kind), absent,
                            condition(row.acts), meaning);
    }
    text += fmt::format("\nTraining only: {}.\n", training);
    for (const auto& tensor : table.ignored)
        text += fmt::format("\nIgnored tensor: `{}` ({}).\n", tensor.name, tensor.why);
    return text;
}

class Tables : public ::testing::TestWithParam<const ParameterTable*>
{
};

TEST_P(Tables, StandInTheDocumentation)
{
    const auto& table = *GetParam();
    const auto file = test::readFile(std::filesystem::path(HEADSCOPE_TEST_DATA) / ".." / ".." / "docs" / "checkpoints.md");
    const auto begin = fmt::format("<!-- hyper-parameters of {} -->\n", table.family);
    const auto at = file.find(begin);
    const auto expected = documented(table);
    const auto kept = std::filesystem::path(::testing::TempDir()) / fmt::format("hyper_parameters_of_{}.md", table.family);
    test::writeFile(kept, expected);
    ASSERT_NE(at, std::string::npos) << begin << "; what belongs there is in " << kept;
    EXPECT_EQ(file.substr(at + begin.size(), expected.size()), expected) << "what belongs there is in " << kept;
    EXPECT_TRUE(file.substr(std::min(file.size(), at + begin.size() + expected.size())).starts_with("<!-- end -->"))
        << "what belongs there is in " << kept;
}

TEST_P(Tables, HaveNoRowThatNeverCounts)
{
    const auto& table = *GetParam();
    std::set<std::string> unconditional;
    for (const auto& row : table.keys) {
        EXPECT_FALSE(unconditional.contains(std::string(row.name))) << row.name << " behind a row that always counts";
        if (row.acts.empty())
            unconditional.emplace(row.name);
        if (!row.words.empty() && !row.fallback.empty() && row.fallback != "standard" && row.fallback != "none") {
            EXPECT_THAT(core::wordsOf(row.words), testing::Contains(std::string(row.fallback))) << row.name;
        }
    }
}

TEST_P(Tables, NameTheNearestKey)
{
    const auto& table = *GetParam();
    for (const auto& row : table.keys) {
        if (row.kind == core::KeyClass::Training || row.name.ends_with('*'))
            continue;
        const std::string name(row.name);
        EXPECT_FALSE(table.nearest(name + "s").empty()) << name;
        if (name.size() > 6) {
            EXPECT_FALSE(table.nearest(name.substr(0, name.size() - 1)).empty()) << name;
        }
    }
    EXPECT_EQ(table.nearest("something_else_altogether"), "");
    EXPECT_THAT(std::string(table.nearest("model.n_heads")), testing::EndsWith("n_heads")); // by its last part
}

INSTANTIATE_TEST_SUITE_P(Families, Tables,
                         ::testing::ValuesIn(core::parameterTables().begin(), core::parameterTables().end()),
                         [](const auto& tested) { return std::string(tested.param->family); });

TEST(ParameterTables, OfEveryFamily)
{
    std::vector<std::string> names;
    for (const auto* table : core::parameterTables())
        names.emplace_back(table->family);
    EXPECT_THAT(names, testing::UnorderedElementsAreArray(core::familyNames()));
}

TEST(ParameterTables, ConditionsAreSetsOfWords)
{
    const core::Traits traits{"a", "b"};
    for (const auto* holding : {"", "a", "a b", "!c", "a|c", "c|b a", "always"})
        EXPECT_TRUE(core::holds(holding, traits)) << holding;
    for (const auto* failing : {"c", "a c", "!a", "c|d", "a !b"})
        EXPECT_FALSE(core::holds(failing, traits)) << failing;
}

TEST(ParameterTables, ValuesAreComparedAsTrainingCodesWriteThem)
{
    const auto same = [](const char* value, const char* word) {
        return core::sameValue(nlohmann::json::parse(value), word);
    };
    EXPECT_TRUE(same("4", "4") && same("\"4\"", "4") && same("4.0", "4") && same("true", "1") && same("\"True\"", "1") &&
                same("0.5", "0.5"));
    EXPECT_TRUE(same("null", "none") && same("\"None\"", "none") && same("\"full\"", "full"));
    EXPECT_FALSE(same("4", "5") || same("\"four\"", "4") || same("null", "0") || same("0", "none") || same("[4]", "4") ||
                 same("{}", "none"));
}

} // namespace
} // namespace headscope::tests
