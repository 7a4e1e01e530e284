// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tokenizer/tokenizer.h"

#include "core/tokenizer/sentencepiece_tokenizer.h"
#include "tests/core/tokenizer/test_models.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sentencepiece_processor.h>

#include <unistd.h>

#include <fstream>

namespace {

using namespace headscope::core;
namespace fs = std::filesystem;
using testing::HasSubstr;

/// A folder of its own for each test.
class FindTokenizer : public testing::Test
{
protected:
    void SetUp() override { fs::create_directories(root); }
    void TearDown() override { fs::remove_all(root); }

    fs::path write(const fs::path& name, const std::string& bytes) const
    {
        fs::create_directories((root / name).parent_path());
        std::ofstream(root / name, std::ios::binary) << bytes;
        return root / name;
    }
    /// A model with `pieces` pieces; `first` makes it differ from others as large.
    fs::path writeModel(const fs::path& name, int pieces, char first = 'a') const
    {
        test_models::Model model;
        for (int i = 3; i < pieces; ++i)
            model.add({fmt::format("{}{}", first, i)});
        return write(name, model.bytes());
    }

    const fs::path root =
        fs::temp_directory_path() /
        fmt::format("headscope-find-{}-{}", ::getpid(), testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(FindTokenizer, NothingThere)
{
    write("a/model.pth", "x");
    EXPECT_EQ(findTokenizer(root / "a/model.pth", 10), std::nullopt);
    EXPECT_EQ(findTokenizer(root / "missing/model.pth", 10), std::nullopt);
    EXPECT_EQ(findTokenizer("", 10), std::nullopt);
}

TEST_F(FindTokenizer, BesideAndAbove)
{
    for (const char* name : {"model-1.pth", "fp16/model-1.pth", "fp16/deeper/model-1.pth"})
        write(name, "x");
    const auto above = writeModel("tokenizer.model", 10);
    for (const char* name : {"model-1.pth", "fp16/model-1.pth", "fp16/deeper/model-1.pth"})
        EXPECT_EQ(findTokenizer(root / name, 10), above) << name;
    EXPECT_EQ(findTokenizer(root / "fp16", 10), above);
    EXPECT_EQ(findTokenizer(root / "fp16/", 10), above);
    const auto near = writeModel("fp16/tokenizer.spm.model", 10, 'b');
    EXPECT_EQ(findTokenizer(root / "fp16/model-1.pth", 10), near);
    EXPECT_EQ(findTokenizer(root / "model-1.pth", 10), above);
    EXPECT_EQ(findTokenizer(root / "fp16/model-1.pth", 0), near);
}

TEST_F(FindTokenizer, ATrainingRun)
{
    write("save/run/checkpoint/model-100.pth", "x");
    const auto wikitext = writeModel("cache/Wikitext103SentencePiece/0674-8000/tokenizer.spm.model", 12);
    const auto c4 = writeModel("cache/C4/C4-en-8000/tokenizer.model.model", 14, 'b');
    EXPECT_EQ(findTokenizer(root / "save/run/checkpoint/model-100.pth", 12), wikitext);
    EXPECT_EQ(findTokenizer(root / "save/run/checkpoint/model-100.pth", 14), c4);
}

TEST_F(FindTokenizer, AnyNameOnlyWhenSingleAndBeside)
{
    const auto checkpoint = write("run/sub/model.pth", "x");
    writeModel("run/spm.model", 10);
    EXPECT_EQ(findTokenizer(checkpoint, 10), std::nullopt);
    const auto single = writeModel("run/sub/spm.model", 10);
    EXPECT_EQ(findTokenizer(checkpoint, 10), single);
    writeModel("run/sub/other.model", 10);
    EXPECT_EQ(findTokenizer(checkpoint, 10), std::nullopt);
}

TEST_F(FindTokenizer, ACheckpointIsNotItsOwnTokenizer)
{
    const auto checkpoint = writeModel("best.model", 10);
    EXPECT_EQ(findTokenizer(checkpoint, 10), std::nullopt);
}

TEST_F(FindTokenizer, ExactBeatsNearBeatsPadded)
{
    const auto checkpoint = write("a/b/model.pth", "x");
    const auto padded = writeModel("a/b/tokenizer.model", 9);
    EXPECT_EQ(findTokenizer(checkpoint, 10), padded);
    EXPECT_THAT(searchTokenizer(checkpoint, 10).notes,
                testing::ElementsAre(HasSubstr("the last 1 rows belong to no piece")));
    const auto exact = writeModel("tokenizer.model", 10);
    EXPECT_EQ(findTokenizer(checkpoint, 10), exact);
    EXPECT_EQ(findTokenizer(checkpoint, 11), padded);
    EXPECT_EQ(findTokenizer(checkpoint, 0), padded);
    const auto closer = writeModel("a/b/tokenizer.spm.model", 10, 'c');
    EXPECT_EQ(findTokenizer(checkpoint, 11), closer);
}

TEST_F(FindTokenizer, TooManyPiecesNeverFit)
{
    const auto checkpoint = write("model.pth", "x");
    writeModel("tokenizer.model", 11);
    const auto search = searchTokenizer(checkpoint, 10);
    EXPECT_EQ(search.path, std::nullopt);
    EXPECT_THAT(search.notes, testing::ElementsAre(HasSubstr("has 11 pieces, more than the 10 embedding rows")));
}

TEST_F(FindTokenizer, TwoDifferentOnesAreAnError)
{
    const auto checkpoint = write("save/run/checkpoint/model-100.pth", "x");
    writeModel("cache/A/1/tokenizer.model", 10, 'a');
    writeModel("cache/B/2/tokenizer.model", 10, 'a');
    EXPECT_EQ(findTokenizer(checkpoint, 10), root / "cache/A/1/tokenizer.model"); // the same bytes
    writeModel("cache/C/3/tokenizer.model", 10, 'b');
    try {
        findTokenizer(checkpoint, 10);
        FAIL();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("cache/A/1"));
        EXPECT_THAT(error.what(), HasSubstr("cache/C/3"));
        EXPECT_THAT(error.what(), HasSubstr("model-100.pth"));
    }
}

TEST_F(FindTokenizer, BrokenFilesAreNoted)
{
    const auto checkpoint = write("a/model.pth", "x");
    write("a/tokenizer.model", "version https://git-lfs.github.com/spec/v1\n");
    fs::create_directories(root / "a/tokenizer.spm.model"); // a folder of that name
    const auto good = writeModel("tokenizer.model", 10);
    const auto search = searchTokenizer(checkpoint, 10);
    EXPECT_EQ(search.path, good);
    EXPECT_THAT(search.notes, testing::ElementsAre(HasSubstr("Git LFS pointer")));
}

using FaultD3 = FindTokenizer;

TEST_F(FaultD3, WhatLiesThereAndIsOfNoUseIsAlwaysNamed)
{
    const auto checkpoint = write("model.pth", "x");
    const std::vector<std::pair<std::string, std::string>> files{{"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"},
                                                                 {"", "is empty"},
                                                                 {"<!DOCTYPE html>", "web page"},
                                                                 {"{\"model\": 1}", "JSON file"}};
    for (const auto& [bytes, why] : files) {
        write("tokenizer.model", bytes);
        EXPECT_THAT(searchTokenizer(checkpoint, 10).notes, testing::ElementsAre(HasSubstr(why)));
    }
}

/// Protobuf's own reader passes over what it does not know, and so must ours.
TEST(FaultD3Models, WhatTheLibraryLoadsIsRead)
{
    using namespace test_models;
    const std::string model = smallBpe().bytes();
    const std::string group = varint(50 << 3 | 3) + numberField(1, 5) + varint(7 << 3 | 3) + stringField(2, "x") + varint(7 << 3 | 4) + varint(50 << 3 | 4);
    const std::vector<std::pair<std::string, std::string>> odd{
        {"a group", model + group},
        {"a group before the pieces", group + model},
        {"a field of later versions", model + stringField(250, "x") + numberField(300, 7)},
        {"numbers of fixed width", model + varint(60 << 3 | 5) + "abcd" + varint(61 << 3 | 1) + "abcdefgh"},
        {"a piece with more fields", model + stringField(1, stringField(1, "zz") + numberField(9, 3) + group)},
        {"a piece whose spelling came twice", model + stringField(1, stringField(1, "yy") + stringField(1, "zy"))},
    };
    for (const auto& [what, bytes] : odd) {
        sentencepiece::SentencePieceProcessor library;
        ASSERT_TRUE(library.LoadFromSerializedProto(bytes).ok()) << what;
        std::vector<int> ids;
        ASSERT_TRUE(library.Encode("the band", &ids).ok());
        const auto tokenizer = makeSentencePiece(bytes, "odd.model");
        EXPECT_EQ(tokenizer->size(), library.GetPieceSize()) << what;
        EXPECT_EQ(tokenizer->encode("the band", {}).ids(), (std::vector<TokenId>(ids.begin(), ids.end()))) << what;
    }
}

TEST_F(FindTokenizer, ManyEntriesDoNotHoldItUp)
{
    const auto checkpoint = write("model.pth", "x");
    for (int i = 0; i < 2100; ++i)
        write(fmt::format("cache/D/1/file{}", i), "");
    const auto beside = writeModel("tokenizer.model", 10);
    EXPECT_EQ(findTokenizer(checkpoint, 10), beside);
}

} // namespace
