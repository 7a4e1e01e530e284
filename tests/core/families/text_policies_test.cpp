// SPDX-License-Identifier: GPL-3.0-or-later
// How a run's texts become ids is told by its task, or by where its tokenizer lies.
#include "tests/core/families/changed_checkpoint.h"

#include "core/families/text_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headscope::tests {
namespace {

using Split = core::TextPolicy::Split;

TEST(TextPolicies, FollowTheTaskThenTheTokenizersFolder)
{
    EXPECT_EQ(core::trainingTextPolicy("wikitext103_sp_transformer", {}).split, Split::Lines);
    for (const auto* task : {"c4_transformer", "pes2o_transformer", "slimpajama_transformer"}) {
        EXPECT_EQ(core::trainingTextPolicy(task, {}).documentSeparator, "<STORY_SEP>") << task;
        EXPECT_EQ(core::trainingTextPolicy(task, {}).split, Split::Whole) << task;
    }
    EXPECT_EQ(core::trainingTextPolicy("thestack_transformer", "cache/C4/C4-en-8000/tokenizer.model.model"), core::TextPolicy{});
    EXPECT_EQ(core::trainingTextPolicy("", "run/cache/PES2O/PES2O-v2-8000/tokenizer.model.model").documentSeparator, "<STORY_SEP>");
    EXPECT_EQ(core::trainingTextPolicy("", "cache/Wikitext103SentencePiece/0123-8000/tokenizer.spm.model").split, Split::Lines);
    EXPECT_EQ(core::trainingTextPolicy("", "tokenizer.model"), core::TextPolicy{});
}

TEST_F(ChangedCheckpoint, ThePolicyIsThatOfTheTaskUnlessOverridden)
{
    set("task", std::string("c4_transformer"));
    EXPECT_EQ(open()->info()->textPolicy.documentSeparator, "<STORY_SEP>");
    core::OpenOptions options;
    options.device = "cpu";
    options.documentSeparator = "";
    options.textSplit = Split::Lines;
    const auto policy = core::openModel(folder / "model.pth", options)->info()->textPolicy;
    EXPECT_EQ(policy.documentSeparator, "");
    EXPECT_EQ(policy.split, Split::Lines);
}

TEST_F(ChangedCheckpoint, BytesWithoutTheirVocabularyAreRefusedAsTextButNotAsIds)
{
    set("task", std::string("enwik8_transformer"));
    const auto model = open();
    EXPECT_THAT(model->info()->notes, ::testing::Contains(::testing::HasSubstr("vocabulary.pth")));
    try {
        model->tokenize("text");
        FAIL() << "a text was accepted";
    } catch (const core::Error& error) {
        EXPECT_THAT(error.what(), ::testing::AllOf(::testing::HasSubstr("cannot be recovered"), ::testing::HasSubstr("vocabulary.pth"),
                                                   ::testing::HasSubstr("--tokenizer"), ::testing::EndsWith(".")));
    }
    EXPECT_EQ(model->trace(model->tokensFromIds({1, 2, 3}), {})->tokens(), 3);
}

} // namespace
} // namespace headscope::tests
