// SPDX-License-Identifier: GPL-3.0-or-later
// The reference's ids, pieces and spans, with the tokenizer found beside the checkpoint.
#include "core/tokenizer/tokenizer.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace {

using namespace headscope::core;

const std::filesystem::path data = HEADSCOPE_TEST_DATA;

std::string bytesOf(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file) << path;
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class Reference : public testing::TestWithParam<std::string>
{
};

TEST_P(Reference, IdsPiecesAndSpans)
{
    const auto folder = data / GetParam();
    const auto model = findTokenizer(folder / "model-100000.pth", -1);
    ASSERT_TRUE(model);
    const auto tokens = openSentencePiece(*model)->encode(bytesOf(folder / "text.txt"), {}).tokens;
    const auto expected = nlohmann::json::parse(bytesOf(folder / "expected_tokens.json"));
    ASSERT_EQ(tokens.size(), expected["ids"].size());
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        EXPECT_EQ(tokens[i].id, expected["ids"][i]) << "token " << i;
        EXPECT_EQ(tokens[i].piece, expected["pieces"][i]) << "token " << i;
        EXPECT_EQ(tokens[i].span, (ByteRange{expected["spans"][i][0], expected["spans"][i][1]})) << "token " << i;
        EXPECT_EQ(tokens[i].group, static_cast<std::int32_t>(i));
        EXPECT_FALSE(tokens[i].special);
    }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, Reference,
                         testing::Values("fixtures/switchhead_xl", "fixtures/moa_mode_moa", "fixtures/moa_mode_my",
                                         "fixtures/dense_xl", "fixtures/switchall_xl", "demo/switchhead"));

} // namespace
