// SPDX-License-Identifier: GPL-3.0-or-later
// What odd files and texts do to counts: one test for every row of the table in docs/specialisation.md, and what was once
// wrong.
#include "core/checkpoint/strict_json.h"
#include "core/corpus/counts_file.h"
#include "core/corpus/merge_counts.h"
#include "core/corpus/text_kind.h"
#include "core/corpus/windows.h"
#include "core/corpus/word_key.h"
#include "tests/core/corpus/corpus_folder.h"

#include <gmock/gmock.h>
#include <zstd.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace headscope::core::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Kind = DocumentSplit::Kind;

std::string zstdPacked(std::string_view bytes)
{
    std::string packed(ZSTD_compressBound(bytes.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 3));
    return packed;
}

std::string utf16(std::string_view ascii, bool mark)
{
    std::string text = mark ? "\xff\xfe" : "";
    for (const char letter : ascii)
        text += {letter, '\0'};
    return text;
}

std::string randomBytes(std::size_t size)
{
    std::mt19937 random(1);
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i)
        bytes += static_cast<char>(random());
    return bytes;
}

class TextFaults : public ::testing::Test
{
protected:
    TextFaults()
    {
        fs::create_directories(folder.file("out"));
        settings.window = 24;
        settings.groups = 1024;
        settings.threads = 1;
        settings.batch = 1;
        settings.fingerprint = std::string(64, '0');
    }

    Counts count(std::vector<fs::path> corpus)
    {
        settings.corpus = std::move(corpus);
        notes.clear();
        CountHooks hooks;
        hooks.notes = [this](std::vector<std::string> found) { notes = std::move(found); };
        return countCorpus(*model, settings, hooks);
    }
    CorpusSize sizeOf(std::vector<fs::path> corpus) { return count(std::move(corpus)).streams.front().corpus; }
    std::string bytesOfCounts(std::vector<fs::path> corpus)
    {
        writeCounts(folder.file("out/out.counts"), count(std::move(corpus)));
        return bytesOf(folder.file("out/out.counts"));
    }
    std::string refusal(std::vector<fs::path> corpus)
    {
        return sentenceOf([&] { count(std::move(corpus)); });
    }
    /// N of one document.
    std::uint64_t tokensOf(const std::string& text) const
    {
        return model->tokenize(text + model->info()->textPolicy.documentSeparator).tokens.size();
    }
    fs::path file(std::string_view bytes) { return folder.file("file " + std::to_string(++m_files) + ".txt", bytes); }

    const std::string plain = "The river runs past the mill.\nIs it far? The café opens at six.\n";
    CorpusFolder folder;
    std::shared_ptr<const Model> model = fixtureModel("switchhead_xl");
    CountSettings settings;
    std::vector<std::string> notes;

private:
    int m_files = 0;
};

using FaultB6 = TextFaults;
using FaultB7 = TextFaults;
using FaultB8 = TextFaults;
using FaultB19 = TextFaults;

/// The first cells of the rows of the table in the docs.
std::set<std::string> rowsOfTheTable()
{
    std::set<std::string> rows;
    const std::string page = bytesOf(fs::path(HEADSCOPE_TEST_DATA) / "../../docs/specialisation.md");
    std::size_t line = page.find("| In a file |");
    for (line = page.find('\n', page.find('\n', line) + 1) + 1; page[line] == '|'; line = page.find('\n', line) + 1)
        rows.insert(page.substr(line + 2, page.find(" |", line) - line - 2));
    return rows;
}

TEST_F(TextFaults, EveryRowOfTheTable)
{
    const std::string asPlain = bytesOfCounts({file(plain)});
    const auto isText = [&](const std::string& text) { // one document whose tokens all count
        const CorpusSize size = sizeOf({file(text)});
        EXPECT_EQ(size.documents, 1U);
        EXPECT_EQ(size.positions, tokensOf(text));
        EXPECT_EQ(size.bytes, text.size());
        return size;
    };
    const auto refuses = [&](const std::string& bytes, const std::string& why) {
        const auto odd = folder.file("a folder/odd.txt", bytes);
        folder.file("a folder/text.txt", plain);
        for (const auto& path : {odd, folder.file("a folder")})
            EXPECT_THAT(refusal({path}), ::testing::AllOf(HasSubstr("odd.txt"), HasSubstr(why)));
    };
    const std::map<std::string, std::function<void()>> tests{
        {"U+FEFF at the beginning of a file", [&] { EXPECT_EQ(bytesOfCounts({file("\xEF\xBB\xBF" + plain)}), asPlain); }},
        {"U+FEFF inside", [&] { isText("The mill.\n\xEF\xBB\xBFIs it\xEF\xBB\xBF far?"); }},
        {"CR-LF",
         [&] {
             isText("The mill.\r\nIs it far?\r\n");
             settings.documents.kind = Kind::Line;
             EXPECT_EQ(bytesOfCounts({file("The mill.\r\nIs it far?\r\n")}),
                       bytesOfCounts({file("The mill.\nIs it far?\n")}));
         }},
        {"lone CR",
         [&] {
             settings.documents.kind = Kind::Line;
             isText("The mill.\rIs it far?");
         }},
        {"bytes that are not UTF-8",
         [&] {
             EXPECT_EQ(isText("The mill \xff\xfe of caf\xe9.").invalidBytes, 3U);
             EXPECT_THAT(notes, ElementsAre(HasSubstr("3 of the 20 bytes of text are not UTF-8")));
         }},
        {"NUL", [&] { EXPECT_EQ(isText(std::string("The mill\0of old", 15)).invalidBytes, 0U); }},
        {"an empty document",
         [&] {
             EXPECT_EQ(bytesOfCounts({file(plain), file("")}), asPlain);
         }},
        {"a blank document",
         [&] {
             const CorpusSize size = sizeOf({file(plain), file(" \n\t "), file("\n")});
             EXPECT_EQ(size.documents, model->info()->textPolicy.documentSeparator.empty() ? 1U : 3U);
             EXPECT_EQ(size.blankDocuments, 3 - size.documents);
         }},
        {"equal documents",
         [&] {
             const Counts once = count({file(plain)});
             const Counts twice = count({file(plain), file("Is it far?"), file(plain)});
             const StreamCounts& stream = twice.streams.front();
             EXPECT_EQ(stream.corpus.documents, 3U);
             EXPECT_EQ(stream.corpus.equalDocuments, 1U);
             EXPECT_EQ(stream.corpus.positions, 2 * once.streams.front().corpus.positions + tokensOf("Is it far?"));
             EXPECT_GE(*std::max_element(stream.groupDocuments.begin(), stream.groupDocuments.end()), 2U)
                 << "equal ones share a group";
             EXPECT_THAT(notes, ElementsAre(HasSubstr("1 of the 3 documents is byte for byte equal")));
         }},
        {"one file named twice",
         [&] {
             const auto path = file(plain);
             EXPECT_EQ(bytesOfCounts({path, path}), asPlain);
             EXPECT_THAT(notes, ElementsAre(HasSubstr("counted once")));
         }},
        {"a binary file", [&] { refuses(randomBytes(5000), "no text in UTF-8"); }},
        {"UTF-16 or UTF-32",
         [&] {
             refuses(utf16(plain, true), "iconv");
             refuses(utf16("The river runs past the mill", false), "UTF-16LE");
         }},
        {".gz and .zst",
         [&] {
             EXPECT_EQ(bytesOfCounts({folder.gzipped("a.gz", plain)}), asPlain);
             EXPECT_EQ(bytesOfCounts({folder.file("a.zst", zstdPacked(plain))}), asPlain);
             EXPECT_EQ(bytesOfCounts({folder.file("a", zstdPacked("\xEF\xBB\xBF" + plain))}), asPlain) << "its bytes decide";
         }},
        {".jsonl",
         [&] {
             settings.documents.jsonField = "text";
             const Counts counts = count({folder.file(
                 "a.jsonl", "{\"text\": \"Is it far?\"}\n\n{\"id\": 1, \"text\": \"A mill\\n\\nand a river\"}")});
             EXPECT_EQ(counts.streams.front().corpus.documents, 2U);
             EXPECT_EQ(counts.streams.front().corpus.positions, tokensOf("Is it far?") + tokensOf("A mill\n\nand a river"));
             EXPECT_EQ(counts.basis.jsonField, "text");
         }},
    };
    std::set<std::string> tested;
    for (const auto& [row, test] : tests) {
        SCOPED_TRACE(row);
        settings.documents = {Kind::File, {}};
        test();
        tested.insert(row);
    }
    EXPECT_EQ(tested, rowsOfTheTable()) << "a row without a test, or a test without a row";
}

TEST_F(FaultB6, WhatIsNoTextIsRefusedByName)
{
    using namespace std::string_literals;
    const std::vector<std::pair<std::string, std::string>> files{
        {"a.zip", "PK\x03\x04\x14\0\0\0rest"s},
        {"a.xz", "\xfd"s + "7zXZ\0\0\x04"s},
        {"a.bz2", "BZh91AY&SY"},
        {"a.parquet", "PAR1\x15\x04"},
        {"a.pdf", "%PDF-1.7\n1 0 obj"},
        {"a.pth", "\x80\x02\x8a\x0a"s},
        {"a.7z", "7z\xbc\xaf\x27\x1c\0"s},
        {"a.tar", std::string(257, 'x') + "ustar"},
        {"a.png", "\x89PNG\r\n\x1a\n"},
        {"a.npy", "\x93NUMPY\x01"},
        {"a.safetensors", "\x40\0\0\0\0\0\0\0{\"a\":{}}"s},
        {"pointer.txt", "version https://git-lfs.github.com/spec/v1\n"},
        {"u32.txt", "\xff\xfe\0\0T\0\0\0"s},
        {"a.txt", randomBytes(200)}};
    for (const auto& [name, bytes] : files) {
        const auto path = folder.file("texts/" + name, bytes);
        folder.file("texts/text.txt", plain);
        EXPECT_THAT(refusal({path}), HasSubstr(name + " is "));
        EXPECT_THAT(refusal({folder.file("texts")}), HasSubstr(name + " is "));
        const auto packed = folder.gzipped("packed.gz", bytes);
        EXPECT_THAT(refusal({packed}), HasSubstr("packed.gz is ")) << name;
        fs::remove(path);
    }
    EXPECT_EQ(refusal({folder.file("texts")}), "");
    EXPECT_EQ(refusal({file("Le café, l'\xe9t\xe9, no\xebl: du fran\xe7"
                            "ais en Latin-1, avec peu d'octets.")}),
              "")
        << "is read, and said";
    EXPECT_THAT(refusal({folder.file("cut.zst", zstdPacked(someText(50)).substr(0, 300))}), HasSubstr("cut off"));
    std::string damaged = zstdPacked(someText(50));
    damaged[20] = static_cast<char>(~damaged[20]);
    EXPECT_THAT(refusal({folder.file("damaged.zst", damaged)}), HasSubstr("damaged.zst"));
}

TEST_F(FaultB6, LinesOfJson)
{
    const std::string lines =
        "{\"title\": \"x\", \"body\": \"The river\"}\r\n{\"body\": \"Is it far?\", \"title\": \"y\"}\n";
    const auto path = folder.file("a.jsonl", lines);
    EXPECT_THAT(refusal({path}), ::testing::AllOf(HasSubstr("--json-field"), HasSubstr("\"body\""), HasSubstr("\"title\"")));
    EXPECT_THAT(refusal({folder.file("whole.json", "{\n \"a\": 1\n}")}), HasSubstr("is JSON, not text"));
    settings.documents.jsonField = "body";
    const std::string plainly = bytesOfCounts({path});
    for (const auto& packed :
         {folder.gzipped("b.jsonl.gz", lines), folder.file("c.ndjson.zst", zstdPacked("\xEF\xBB\xBF" + lines))})
        EXPECT_EQ(bytesOfCounts({packed}), plainly);
    settings.documents.kind = Kind::Blank;
    EXPECT_EQ(sizeOf({path, file("one\n\ntwo")}).documents, 4U) << "text files beside them are cut as ever";
    settings.documents.kind = Kind::File;
    EXPECT_THAT(refusal({folder.file("d.jsonl", lines + "{\"title\": 1}\n")}),
                ::testing::AllOf(HasSubstr("d.jsonl, line 3"), HasSubstr("no field \"body\""), HasSubstr("\"title\"")));
    EXPECT_THAT(refusal({folder.file("e.jsonl", "{\"body\": \"a\"}\n\n{\"body\": 5}\n")}),
                HasSubstr("line 3: its field \"body\" is no text"));
    EXPECT_THAT(refusal({folder.file("f.jsonl", lines + "{\"body\": \n")}), HasSubstr("f.jsonl, line 3"));
    EXPECT_THAT(refusal({folder.file("g.jsonl", "[1]\n")}), HasSubstr("line 1: it is no JSON object"));
    std::string many; // more than is read at once
    for (int i = 0; i < 3000; ++i)
        many += "{\"body\": \"document " + std::to_string(i) + " of the river\"}\n";
    EXPECT_EQ(sizeOf({folder.file("h.jsonl", many)}).documents, 3000U);
}

TEST_F(FaultB7, OneFileCountsOnceByWhateverName)
{
    const auto path = folder.file("c/a.txt", plain);
    folder.file("c/b.txt", "Is it far?");
    const std::string once = bytesOfCounts({folder.file("c")});
    EXPECT_THAT(notes, IsEmpty());
    fs::create_symlink(path, folder.file("link.txt"));
    fs::create_hard_link(path, folder.file("hard.txt"));
    fs::create_directory_symlink(folder.file("c"), folder.file("other"));
    const auto respelled = folder.file("c") / "../c/a.txt";
    for (const auto& again :
         {path, folder.file("link.txt"), folder.file("hard.txt"), respelled, folder.file("other/a.txt")}) {
        EXPECT_EQ(bytesOfCounts({folder.file("c"), again}), once) << again;
        EXPECT_THAT(notes, ElementsAre(HasSubstr("counted once"))) << again;
    }
    EXPECT_EQ(bytesOfCounts({folder.file("c"), folder.file("other")}), once);
    EXPECT_THAT(notes, ElementsAre(HasSubstr("the same file"), HasSubstr("the same file")));
    // Tags may name it either way.
    settings.tags = folder.file("tags.tsv", "hard.txt\t0\t10\told\n");
    EXPECT_EQ(count({folder.file("c"), folder.file("hard.txt")}).basis.tags.size(), 2U);
}

TEST_F(FaultB7, EqualDocumentsAreCountedAndSaid)
{
    settings.documents.kind = Kind::Blank;
    const auto text = file("one river\n\nthe mill\n\none river\n\n \n\nthe mill\n\nfar\n\none river");
    const std::vector<fs::path> corpus{text, folder.gzipped("copy.gz", "far\n\nother")};
    const std::string whole = bytesOfCounts(corpus);
    const CorpusSize size = sizeOf(corpus);
    EXPECT_EQ(size.documents, 8U);
    EXPECT_EQ(size.equalDocuments, 4U);
    // Parts add up to the whole, wherever the copies are.
    settings.parts = 3;
    std::vector<NamedCounts> parts;
    for (settings.part = 1; settings.part <= 3; ++settings.part)
        parts.push_back({"part", count(corpus)});
    writeCounts(folder.file("out/merged.counts"), mergeCounts(parts));
    EXPECT_EQ(bytesOf(folder.file("out/merged.counts")), whole);
    EXPECT_EQ(readCounts(folder.file("out/merged.counts")).streams.front().corpus, size);
}

TEST_F(FaultB8, DocumentsThatHoldNothingAreNone)
{
    std::vector<fs::path> corpus{file("one river"), file("the mill"), file("is it far")};
    const StreamCounts three = count(corpus).streams.front();
    for (int i = 0; i < 30; ++i)
        corpus.push_back(file(std::string(static_cast<std::size_t>(i) + 1, " \n\t"[i % 3])));
    const StreamCounts stream = count(corpus).streams.front();
    EXPECT_EQ(stream.corpus.documents, 3U);
    EXPECT_EQ(stream.corpus.blankDocuments, 30U);
    EXPECT_EQ(stream.groupDocuments, three.groupDocuments);
    EXPECT_EQ(stream.corpus.positions, three.corpus.positions);
    EXPECT_THAT(notes, Contains(HasSubstr("30 of the 33 documents")));
    // What is shorter than the positions left out holds nothing either.
    settings.skipFirst = 12;
    EXPECT_EQ(sizeOf({file("a"), file(plain)}).documents, 1U);
}

class FaultB9 : public ::testing::Test
{
protected:
    TagTable read(const std::string& text) const { return TagTable::read(folder.file("tags.tsv", text), files); }
    std::string refusal(const std::string& text) const
    {
        return sentenceOf([&] { read(text); });
    }
    CorpusFolder folder;
    std::vector<CorpusFile> files = findCorpusFiles(std::vector{folder.file("a.txt", std::string(100, 'a'))});
};

TEST_F(FaultB9, TheFirstRowIsAHeaderOnlyWithoutNumbers)
{
    for (const char* first : {"\xEF\xBB\xBF"
                              "0\t50\tx\n",
                              " 0\t50\tx\n", "+0\t50\tx\n", "0\t 50 \tx\n", "00\t50\tx\n"})
        EXPECT_EQ(read(std::string(first) + "50\t60\ty\n").at(0, 10), 1U) << first;
    for (const char* header : {"begin\tend\ttag\n",
                               "\xEF\xBB\xBF"
                               "von\tbis\tname\n",
                               "Begin2\t(end)\tt\n", "-\t-\tt\n"})
        EXPECT_EQ(read(std::string(header) + "50\t60\ty\n").names().size(), 2U) << header;
    for (const char* wrong : {"0.0\t50\tx\n", "0\tend\tx\n", "begin\t50\tx\n", "-1\t50\tx\n", "1,000\t2,000\tx\n",
                              "1e3\t2e3\tx\n", "0x10\t0x20\tx\n"})
        EXPECT_THAT(refusal(std::string(wrong) + "50\t60\ty\n"), HasSubstr("line 1")) << wrong;
}

TEST_F(FaultB9, StretchesBehindTheEndOfAFileAreSaid)
{
    const std::vector<std::uint64_t> sizes{100};
    EXPECT_EQ(read("0\t100\tx\n").noteOnSizes(files, sizes), std::nullopt);
    EXPECT_THAT(read("0\t90\tx\n90\t101\ty\n").noteOnSizes(files, sizes).value_or(""), HasSubstr("line 2 ends at byte 101"));
    EXPECT_THAT(read("200\t300\tx\n300\t400\ty\n").noteOnSizes(files, sizes).value_or(""), HasSubstr("2 of the stretches"));
}

TEST_F(FaultB9, EverythingThatIsReadMayBeginWithAMark)
{
    EXPECT_EQ(parseStrictJson("\xEF\xBB\xBF{\"a\": 1}", "sidecar").at("a"), 1);
    EXPECT_EQ(withoutByteOrderMark("\xEF\xBB\xBF\xEF\xBB\xBF"
                                   "a"),
              "\xEF\xBB\xBF"
              "a")
        << "one is the file's, another is text";
    DocumentReader reader(findCorpusFiles(std::vector{folder.file("marked.txt", "\xEF\xBB\xBFone\ntwo")}), {Kind::Line, {}});
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.begin(), 3U) << "tags count the bytes of the file";
    EXPECT_EQ(reader.read(), "one");
}

TEST_F(FaultB19, WordsAreComparedWithoutWhatShowsNothing)
{
    EXPECT_EQ(wordKey("na\u00EFve"), wordKey("nai\u0308ve"));
    EXPECT_EQ(wordKey("soft\u00ADware\u2060\uFEFF\u200B\uFE0F"), "software");
    EXPECT_EQ(wordKey("a\xff"), "a\xff");
    settings.words = true;
    const auto wordsOf = [&](const std::string& text) {
        const WordTable table = count({file(text)}).streams.front().words;
        std::map<std::string, std::uint64_t> words;
        for (std::size_t i = 0; i < table.size(); ++i)
            words[table.words[i]] = table.count[i];
        return words;
    };
    const auto once = wordsOf("the na\u00EFve river");
    for (const char* word : {"na\u00EFve", "nai\u0308ve"}) {
        const auto found = wordsOf("the " + std::string(word) + " river");
        ASSERT_EQ(found.size(), 3U);
        EXPECT_TRUE(found.contains(word)) << "shown as written";
    }
    const auto both = wordsOf("the na\u00EFve river nai\u0308ve \u200Briver\u200B ri\u00ADver");
    EXPECT_EQ(both.size(), 3U);
    EXPECT_TRUE(both.contains("nai\u0308ve")) << "the first in order of bytes";
    EXPECT_TRUE(both.contains("river"));
    EXPECT_THAT(wordsOf("the \u200B mill \u2060 , \u00AD."), ::testing::SizeIs(2)) << "nothing is no word";
}

TEST_F(FaultB19, PartsGiveTheSpellingOfTheWhole)
{
    settings.words = true;
    settings.documents.kind = Kind::Line;
    settings.skipFirst = 1;
    const std::vector<fs::path> corpus{
        file("is it na\u00EFve\nis it nai\u0308ve and far\nriver\u200Bs and ri\u00ADvers\nnai\u0308ve\n")};
    const std::string whole = bytesOfCounts(corpus);
    settings.parts = 4;
    std::vector<NamedCounts> parts;
    settings.frequent = countCorpus(*model, settings).basis.frequent;
    for (settings.part = 4; settings.part >= 1; --settings.part)
        parts.push_back({"part", count(corpus)});
    writeCounts(folder.file("out/merged.counts"), mergeCounts(parts));
    EXPECT_EQ(bytesOf(folder.file("out/merged.counts")), whole);
}

/// Tokens that share a character belong to its word, document and tag, and to no later one.
TEST_F(TextFaults, SpansAsTheLibraryPlaceTokensInTheirWord)
{
    const std::string text = "a \u00BD, b\u2026 \uFB03x";
    WordNumbers numbers;
    const auto files = findCorpusFiles(std::vector{file(text)});
    const auto tags = TagTable::read(folder.file("tags.tsv", "0\t4\tfirst\n4\t100\tsecond\n"), files);
    const auto tokenizer = openSentencePiece(fs::path(HEADSCOPE_TEST_DATA) / "demo/tokenizer.model");
    WindowReader reader(DocumentReader(files, {}), tokenizer,
                        {.policy = {}, .length = 100, .tags = &tags, .words = &numbers, .textAround = 10}, {});
    ASSERT_TRUE(reader.nextDocument());
    const Window window = reader.next().value();
    const auto tokens = tokenizer->encode(text, {}).tokens;
    ASSERT_EQ(window.ids.size(), tokens.size());
    std::size_t empty = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i].span.begin >= 2 && tokens[i].span.end <= 4) { // the half
            empty += tokens[i].span.empty() ? 1 : 0;
            EXPECT_EQ(window.words[i] == noWord ? "-" : numbers.words()[window.words[i]], "\u00BD") << i;
            EXPECT_EQ(window.text.spans[i].end, 4U) << i;
            EXPECT_EQ(tags.names()[window.tags[i]], "first") << i;
        }
    }
    EXPECT_GE(empty, 2U);
}

} // namespace
} // namespace headscope::core::testing
