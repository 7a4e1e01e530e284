// SPDX-License-Identifier: GPL-3.0-or-later
// What stands for no text of the corpus is read by the model and never counted.
#include "core/corpus/count_corpus.h"
#include "core/corpus/windows.h"
#include "core/trace/model_info.h"
#include "tests/core/corpus/corpus_folder.h"

#include <gmock/gmock.h>

#include <map>

namespace headscope::core::testing {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<const Model> withSeparator(const std::string& name, const std::string& separator)
{
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(HEADSCOPE_TEST_DATA) / "fixtures" / name)) {
        const std::string file = entry.path().filename().string();
        if (!file.starts_with("model") || file.ends_with(".json"))
            continue;
        OpenOptions options;
        options.documentSeparator = separator;
        return openModel(entry.path(), options);
    }
    throw std::runtime_error("no checkpoint in " + name);
}

/// n(t) of the tokens that stand for text of the documents.
std::map<TokenId, std::uint64_t> tokensOf(const Model& model, const std::vector<std::string>& documents)
{
    std::map<TokenId, std::uint64_t> tokens;
    for (const std::string& document : documents)
        for (const Token& token : model.tokenize(document + model.info()->textPolicy.documentSeparator).tokens)
            if (token.span.begin < document.size() &&
                (token.span.end <= document.size() ||
                 document.find_first_not_of(" \t\r\n", token.span.begin) != std::string::npos))
                ++tokens[token.id];
    return tokens;
}

class FaultB17 : public ::testing::Test
{
protected:
    Counts count(const Model& model, const std::string& text) const
    {
        CountSettings settings;
        settings.corpus = {m_folder.file("text", text)};
        settings.documents = {DocumentSplit::Kind::Line, {}};
        settings.words = true;
        settings.groups = 2;
        settings.frequentTokens = 3;
        settings.fingerprint = std::string(64, '0');
        settings.threads = 1;
        return countCorpus(model, settings);
    }
    CorpusFolder m_folder;
};

TEST_F(FaultB17, SeparatorsOfDocumentsAreNotCounted)
{
    const std::vector<std::string> documents{"The old mill runs quietly past the river.", "Is it far?",
                                             "A wheel, and no one's here 42", "mill   "};
    std::string text;
    for (const std::string& document : documents)
        text += document + "\n";
    for (const char* name : {"moeut_aabb", "moeut_abab_odd_head", "switchhead_xl", "moa_mode_my"})
        for (const char* separator : {"<STORY_SEP>", " river", "\n\n###\n", "。", ""}) {
            SCOPED_TRACE(std::string(name) + separator);
            const auto model = withSeparator(name, separator);
            const auto expected = tokensOf(*model, documents);
            const Counts counts = count(*model, text);
            const StreamCounts& stream = counts.streams.at(0);
            std::map<TokenId, std::uint64_t> counted;
            std::uint64_t all = 0;
            for (std::size_t row = 0; row < stream.tokens.size(); ++row)
                counted[stream.tokens.ids[row]] = stream.tokens.count[row];
            for (const auto& [id, n] : expected)
                all += n;
            EXPECT_EQ(counted, expected);
            EXPECT_EQ(stream.corpus.positions, all);
            for (const RouterCounts& router : counts.routers) {
                std::uint64_t selections = 0;
                for (const std::uint64_t n : router.selections)
                    selections += n;
                EXPECT_EQ(selections, all * static_cast<std::uint64_t>(router.router.chosen));
            }
            std::uint64_t read = 0; // all that the model reads
            for (const std::string& document : documents)
                read += model->tokenize(document + separator).tokens.size();
            EXPECT_EQ(stream.corpus.tokens, read);
        }
}

/// The fixture's own convention: its pieces are unknown to the small vocabulary.
TEST_F(FaultB17, UnknownPiecesOfSeparatorsAreNoTokensOfTheCorpus)
{
    const auto model = fixtureModel("moeut_aabb");
    ASSERT_EQ(model->info()->textPolicy.documentSeparator, "<STORY_SEP>");
    const Counts counts = count(*model, "The old mill.\nThe river.\nThe wheel.");
    const TokenTable& tokens = counts.streams.at(0).tokens;
    const auto unknown = model->tokenize("\U0001F600").ids().back();
    EXPECT_EQ(tokens.find(unknown), std::nullopt);
    EXPECT_LT(counts.streams.at(0).corpus.positions, counts.streams.at(0).corpus.tokens);
}

TEST_F(FaultB17, NeitherAreSymbolsThatWholeTextsBeginWith)
{
    const auto tokenizer = openSentencePiece(std::filesystem::path(HEADSCOPE_TEST_DATA) / "demo/tokenizer.model");
    const TextPolicy policy{.addBos = true, .addEos = true, .documentSeparator = "<STORY_SEP>"};
    const std::vector<std::filesystem::path> paths{m_folder.file("a", "Is it far?  ")};
    WindowReader reader(DocumentReader(findCorpusFiles(paths), {}), tokenizer, {.policy = policy, .length = 100}, {});
    ASSERT_TRUE(reader.nextDocument());
    const Window window = reader.next().value();
    const auto tokens = tokenizer->encode("Is it far?  <STORY_SEP>", policy).tokens;
    ASSERT_EQ(window.counts.size(), tokens.size());
    for (std::size_t i = 0; i < tokens.size(); ++i)
        EXPECT_EQ(window.counts[i], !tokens[i].special && tokens[i].span.begin < 12 && tokens[i].span.end <= 12)
            << i << " " << tokens[i].piece;
    EXPECT_FALSE(window.counts.front());
    EXPECT_FALSE(window.counts.back());
}

TEST_F(FaultB17, ACorpusOfNothingButSeparatorsHoldsNothing)
{
    const auto model = withSeparator("moeut_aabb", "<STORY_SEP>");
    EXPECT_THAT(sentenceOf([&] { count(*model, "   \n \n"); }), HasSubstr("no token"));
}

} // namespace
} // namespace headscope::core::testing
