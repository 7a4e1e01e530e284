// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/corpus/corpus_folder.h"

#include <gmock/gmock.h>

namespace headscope::core::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Kind = DocumentSplit::Kind;

std::vector<std::string> cut(std::string_view text, const DocumentSplit& split)
{
    const CorpusFolder folder;
    return documentsIn({folder.file("text", text)}, split);
}

TEST(Documents, AFileIsOneDocument)
{
    EXPECT_THAT(cut("a\n\nb\r\n", {}), ElementsAre("a\n\nb\r\n"));
    EXPECT_THAT(cut("", {}), IsEmpty());
    EXPECT_THAT(cut(std::string_view("\0\xff", 2), {}), ElementsAre(std::string("\0\xff", 2)));
}

TEST(Documents, Lines)
{
    const DocumentSplit lines{Kind::Line, {}};
    EXPECT_THAT(cut("a\nb\r\n\n\r\nc d", lines), ElementsAre("a", "b", "c d"));
    EXPECT_THAT(cut("\n\n", lines), IsEmpty());
    EXPECT_THAT(cut("a\rb\n", lines), ElementsAre("a\rb"));
    EXPECT_THAT(cut("a\r", lines), ElementsAre("a\r"));
}

TEST(Documents, BlankLines)
{
    const DocumentSplit blank{Kind::Blank, {}};
    EXPECT_THAT(cut("a\nb\n\nc\n", blank), ElementsAre("a\nb", "c"));
    EXPECT_THAT(cut("\n \t\n  a\r\n\r\n\r\n  b\n c \n   \n\n\n", blank), ElementsAre("  a", "  b\n c "));
    EXPECT_THAT(cut("\n\n \n", blank), IsEmpty());
    EXPECT_THAT(cut("a", blank), ElementsAre("a"));
}

TEST(Documents, ALiteral)
{
    const DocumentSplit story{Kind::Literal, "<STORY_SEP>"};
    EXPECT_THAT(cut("<STORY_SEP>one<STORY_SEP><STORY_SEP>two\n<STORY_SE<STORY_SEP>three", story), ElementsAre("one", "two\n<STORY_SE", "three"));
    EXPECT_THAT(cut("aaa", {Kind::Literal, "aa"}), ElementsAre("a"));
}

TEST(Documents, PiecesOfAFileMakeNoDifference)
{
    // Separators of all kinds on every place relative to the pieces in which files are read.
    for (const std::size_t before : {65530, 65533, 65534, 65535, 65536, 65537, 131071, 131072}) {
        const std::string long1(before, 'x');
        EXPECT_THAT(cut(long1 + "\r\n \r\nb", {Kind::Blank, {}}), ElementsAre(long1, "b")) << before;
        EXPECT_THAT(cut(long1 + "\r\nb\r\n", {Kind::Line, {}}), ElementsAre(long1, "b")) << before;
        EXPECT_THAT(cut(long1 + "<SEP>b<SEP>", {Kind::Literal, "<SEP>"}), ElementsAre(long1, "b")) << before;
        EXPECT_THAT(cut(long1 + "\n x", {Kind::Blank, {}}), ElementsAre(long1 + "\n x")) << before;
    }
    EXPECT_THAT(cut("a\n" + std::string(200000, ' ') + "\nb", {Kind::Blank, {}}), ElementsAre("a", "b"));
    EXPECT_THAT(cut("a" + std::string(200000, '\n') + "b", {Kind::Blank, {}}), ElementsAre("a", "b"));
}

TEST(Documents, FoldersAreReadInOrder)
{
    const CorpusFolder folder;
    folder.file("c/b.txt", "2");
    folder.file("c/a/z.txt", "1");
    folder.file("c/.hidden/x.txt", "no");
    folder.file("c/.x", "no");
    folder.gzipped("c/c.gz", "3");
    const auto first = folder.file("z.txt", "0");
    EXPECT_THAT(documentsIn({first, folder.file("c")}, {}), ElementsAre("0", "1", "2", "3"));
}

TEST(Documents, PlacesInTheFile)
{
    const CorpusFolder folder;
    DocumentReader reader(findCorpusFiles(std::vector{folder.file("a", "x\n\n\nyy\n"), folder.file("b", "\n\nz")}), {Kind::Blank, {}});
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(std::pair(reader.file(), reader.begin()), std::pair(std::size_t{0}, std::uint64_t{0}));
    ASSERT_TRUE(reader.next()); // what is left of the document before is passed over
    EXPECT_EQ(std::pair(reader.file(), reader.begin()), std::pair(std::size_t{0}, std::uint64_t{4}));
    EXPECT_EQ(reader.read(), "yy");
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(std::pair(reader.file(), reader.begin()), std::pair(std::size_t{1}, std::uint64_t{2}));
    EXPECT_FALSE(reader.next());
}

TEST(Documents, NamesOfSplits)
{
    for (const char* name : {"file", "blank", "line", "literal:<STORY_SEP>", "literal:a:b"})
        EXPECT_EQ(toString(documentSplitFromString(name).value()), name);
    for (const char* name : {"", "literal", "literal:", "Line", "lines"})
        EXPECT_FALSE(documentSplitFromString(name).has_value()) << name;
}

TEST(CorpusFiles, WhatCannotBeReadIsNamed)
{
    const CorpusFolder folder;
    const auto read = [](const std::filesystem::path& path) { return sentenceOf([&] { documentsIn({path}, {}); }); };
    EXPECT_THAT(read(folder.file("absent.txt")), HasSubstr("absent.txt does not exist"));
    std::filesystem::create_directory(folder.file("empty"));
    EXPECT_THAT(read(folder.file("empty")), HasSubstr("No file was found"));
    EXPECT_THAT(read("/dev/null"), HasSubstr("no regular file"));

    const auto packed = folder.gzipped("text.gz", std::string(100000, 'a') + someText(50));
    const std::string bytes = bytesOf(packed);
    EXPECT_THAT(read(folder.file("cut.gz", bytes.substr(0, bytes.size() / 2))), HasSubstr("cut off"));
    std::string damaged = bytes;
    for (std::size_t i = 200; i < damaged.size() - 20; ++i)
        damaged[i] = static_cast<char>(~damaged[i]);
    EXPECT_THAT(read(folder.file("damaged.gz", damaged)), HasSubstr("damaged"));

    auto files = findCorpusFiles(std::vector{folder.file("a", "text")});
    folder.file("a", "another text");
    EXPECT_THAT(sentenceOf([&] { DocumentReader(files, {}).next(); }), HasSubstr("changed"));
}

} // namespace
} // namespace headscope::core::testing
