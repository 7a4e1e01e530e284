// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/tags.h"
#include "tests/core/corpus/corpus_folder.h"

#include <gmock/gmock.h>

namespace headscope::core::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Tags : public ::testing::Test
{
protected:
    Tags() : m_files(findCorpusFiles(std::vector{m_folder.file("x/a.txt", "a"), m_folder.file("y/a.txt", "b"), m_folder.file("y/b.txt", "c")})) {}

    TagTable read(const std::string& text, std::size_t files = 3) const
    {
        return TagTable::read(m_folder.file("tags.tsv", text), std::span(m_files).subspan(3 - files));
    }
    std::string refusal(const std::string& text) const
    {
        return sentenceOf([&] { read(text); });
    }

    CorpusFolder m_folder;
    std::vector<CorpusFile> m_files;
};

TEST_F(Tags, OneFile)
{
    const TagTable tags = read("begin\tend\tdomain\r\n10\t20\tweb\n0\t5\tkjv\n20\t21\tweb\n\n", 1);
    EXPECT_THAT(tags.names(), ElementsAre("", "kjv", "web"));
    std::vector<std::uint32_t> found;
    for (const std::uint64_t place : {0, 4, 5, 9, 10, 19, 20, 21})
        found.push_back(tags.at(0, place));
    EXPECT_THAT(found, ElementsAre(1, 1, 0, 0, 2, 2, 2, 0));
    EXPECT_EQ(read("0\t5\tkjv", 1).at(0, 0), 1U) << "without a header";
}

TEST_F(Tags, SeveralFiles)
{
    const std::string first = m_files[0].path.string();
    const TagTable tags = read("document\tbegin\tend\ttag\n" + first + "\t0\t1\tb\nb.txt\t0\t1\ta\n");
    EXPECT_EQ(tags.at(0, 0), 2U);
    EXPECT_EQ(tags.at(1, 0), 0U);
    EXPECT_EQ(tags.at(2, 0), 1U);
}

TEST_F(Tags, WhatIsWrongIsNamedWithItsLine)
{
    EXPECT_THAT(refusal("document\tbegin\tend\ttag\na.txt\t0\t1\tx\n"), HasSubstr("line 2: \"a.txt\" is not in the corpus, or several"));
    EXPECT_THAT(refusal("0\t1\tx\n"), HasSubstr("line 1"));
    EXPECT_THAT(refusal("b.txt\t0\t1\tx\nb.txt\t3\t2\tx\n"), HasSubstr("line 2"));
    EXPECT_THAT(refusal("b.txt\t0\t1\tx\nb.txt\tone\t2\tx\n"), HasSubstr("line 2"));
    EXPECT_THAT(refusal("b.txt\t0\t1\tx\nb.txt\t-1\t2\tx\n"), HasSubstr("line 2"));
    EXPECT_THAT(refusal("b.txt\t0\t9\tx\nb.txt\t8\t10\ty\n"), HasSubstr("line 2: these bytes overlap those of line 1"));
    EXPECT_THAT(refusal("b.txt 0 1 x\n"), HasSubstr("tabs"));
    EXPECT_THAT(refusal("\n"), HasSubstr("no tags"));
    EXPECT_THAT(sentenceOf([&] { TagTable::read(m_folder.file("absent.tsv"), m_files); }), HasSubstr("absent.tsv"));
    EXPECT_THAT(sentenceOf([&] { TagTable::read(m_folder.path(), m_files); }), HasSubstr("folder"));
}

} // namespace
} // namespace headscope::core::testing
