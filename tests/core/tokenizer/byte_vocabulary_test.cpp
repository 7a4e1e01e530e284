// SPDX-License-Identifier: GPL-3.0-or-later
// The vocabulary of a run on bytes, as torch.save writes such an object.
#include "core/tokenizer/tokenizer.h"
#include "tests/core/checkpoint/pickle_writer.h"
#include "tests/core/checkpoint/zip_writer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>

namespace {

using namespace headscope::core;
using headscope::test::PickleWriter;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

class ByteVocabulary : public testing::Test
{
protected:
    void SetUp() override { std::filesystem::create_directories(folder); }
    void TearDown() override { std::filesystem::remove_all(folder); }

    std::filesystem::path write(const PickleWriter& pickle, const std::string& name = "vocabulary.pth") const
    {
        headscope::test::ZipWriter zip;
        zip.add("archive/data.pkl", pickle.finish());
        zip.add("archive/version", "3\n");
        const auto path = folder / name;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << zip.finish();
        return path;
    }
    /// An object whose state is filled by `members`.
    static PickleWriter object(const std::function<void(PickleWriter&)>& members)
    {
        PickleWriter pickle;
        pickle.global("framework.data_structures.vocabulary", "ByteVocabulary").emptyTuple().newObject().emptyDict().mark();
        members(pickle);
        pickle.setItems().build();
        return pickle;
    }
    /// As the class keeps it: to_index {byte: id}, from_index {id: byte}, for the bytes of "\n abé".
    static void bothDictionaries(PickleWriter& pickle)
    {
        pickle.text("initialized").boolean(true).text("to_index").emptyDict().mark();
        for (std::size_t id = 0; id < bytes.size(); ++id)
            pickle.integer(bytes[id]).integer(static_cast<std::int64_t>(id));
        pickle.setItems().text("from_index").emptyDict().mark();
        for (std::size_t id = 0; id < bytes.size(); ++id)
            pickle.integer(static_cast<std::int64_t>(id)).integer(bytes[id]);
        pickle.setItems();
    }
    static std::string refusal(const std::filesystem::path& path)
    {
        try {
            openTokenizer(path);
        } catch (const Error& error) {
            return error.what();
        }
        return {};
    }

    static constexpr std::array<int, 6> bytes{'\n', ' ', 'a', 'b', 0xA9, 0xC3};
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() /
        fmt::format("headscope-bytes-{}-{}", ::getpid(), testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(ByteVocabulary, EveryByteIsATokenAndCharactersAreGroups)
{
    const auto tokenizer = openTokenizer(write(object(bothDictionaries)));
    EXPECT_EQ(tokenizer->size(), 6);
    EXPECT_EQ(tokenizer->description(), "bytes, 6 distinct");
    const auto text = tokenizer->encode("b\xC3\xA9\na", {});
    EXPECT_THAT(text.ids(), ElementsAre(3, 5, 4, 0, 2));
    EXPECT_EQ(text.tokens[1].group, text.tokens[2].group);
    EXPECT_NE(text.tokens[0].group, text.tokens[1].group);
    EXPECT_NE(text.tokens[2].group, text.tokens[3].group);
    EXPECT_EQ(text.tokens[1].piece, "<0xC3>");
    EXPECT_EQ(text.tokens[4].piece, "a");
    EXPECT_EQ(text.tokens[4].span, (ByteRange{4, 5}));
    EXPECT_TRUE(text.gaps.empty());
}

TEST_F(ByteVocabulary, LinesLoseTheirEnds)
{
    const auto text = openTokenizer(write(object(bothDictionaries)))->encode("a\r\nb\n", {.split = TextPolicy::Split::Lines});
    EXPECT_THAT(text.ids(), ElementsAre(2, 3));
    EXPECT_THAT(text.gaps, ElementsAre(ByteRange{1, 3}, ByteRange{4, 5}));
}

TEST_F(ByteVocabulary, OtherFormsOfTheSameAreRead)
{
    const auto ids = [](const std::filesystem::path& path) { return openTokenizer(path)->encode("ab \n", {}).ids(); };
    // A state dict with the set of characters, whose ids are their ranks.
    PickleWriter set;
    set.emptyDict().mark().text("chars").global("__builtin__", "set").emptyList().mark();
    for (const int byte : {'b', '\n', ' ', 'a'})
        set.integer(byte);
    set.appends().op('\x85').reduce().setItems();
    EXPECT_THAT(ids(write(set)), ElementsAre(2, 3, 1, 0));
    // A list, whose order counts; a dictionary of bytes of length one; of characters.
    PickleWriter list;
    list.emptyList().mark();
    for (const int byte : {'b', '\n', ' ', 'a'})
        list.integer(byte);
    EXPECT_THAT(ids(write(list.appends())), ElementsAre(3, 0, 2, 1));
    PickleWriter dictionary;
    dictionary.emptyDict().mark().bytes("a").integer(1).bytes("b").integer(0).text(" ").integer(2).text("\n").integer(3).setItems();
    EXPECT_THAT(ids(write(dictionary)), ElementsAre(1, 0, 2, 3));
}

TEST_F(ByteVocabulary, WhatIsNoneIsRefused)
{
    PickleWriter words;
    words.emptyDict().mark().text("the").integer(0).text("a").integer(1).setItems();
    EXPECT_THAT(refusal(write(words)), AllOf(HasSubstr("vocabulary.pth"), HasSubstr("no vocabulary of distinct bytes"), EndsWith(".")));
    PickleWriter twice;
    twice.emptyDict().mark().integer('a').integer(0).integer('b').integer(0).setItems();
    EXPECT_THAT(refusal(write(twice)), HasSubstr("no vocabulary of distinct bytes"));
    PickleWriter large;
    large.emptyDict().mark().integer(300).integer(0).setItems();
    EXPECT_THAT(refusal(write(large)), HasSubstr("no vocabulary of distinct bytes"));
}

TEST_F(ByteVocabulary, AByteItLacksAndSymbolsItLacksAreRefused)
{
    const auto tokenizer = openTokenizer(write(object(bothDictionaries)));
    EXPECT_THROW(tokenizer->encode("abc", {}), Error);
    EXPECT_THROW(tokenizer->encode("ab", {.addBos = true}), Error);
    EXPECT_TRUE(tokenizer->encode("", {}).tokens.empty());
}

TEST_F(ByteVocabulary, IsFoundInTheCacheOfARunWhenItFitsExactly)
{
    const auto path = write(object(bothDictionaries), "cache/Enwik8/0123/vocabulary.pth");
    std::filesystem::create_directories(folder / "save/run/checkpoint");
    const auto checkpoint = folder / "save/run/checkpoint/model-1.pth";
    std::ofstream(checkpoint) << "x";
    EXPECT_EQ(findTokenizer(checkpoint, 6), path);
    EXPECT_EQ(findTokenizer(checkpoint, 7), std::nullopt);
}

} // namespace
