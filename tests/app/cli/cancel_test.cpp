// SPDX-License-Identifier: GPL-3.0-or-later
// Every command asks whether it is still wanted, whatever it is given: no stretch of work between two questions grows with the input.

#include "tests/app/cli/driver.h"
#include "tests/app/cli/work_counter.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <random>
#include <set>

namespace headscope::app::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longBytes = 300'000;
constexpr std::size_t partBytes = 80'000; // where a model runs

std::string demo()
{
    return HEADSCOPE_TEST_DATA "/demo/switchhead/model-1400.pth";
}
const Arguments tokenizer{"--tokenizer", HEADSCOPE_TEST_DATA "/demo/tokenizer.model"};

std::string repeated(std::string_view piece, std::size_t bytes)
{
    std::string text;
    while (text.size() < bytes)
        text += piece;
    return text;
}

/// One line of what looks like base64.
std::string letters(std::size_t bytes)
{
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::mt19937 random(7);
    std::string text;
    for (std::size_t i = 0; i < bytes; ++i)
        text += alphabet[random() % alphabet.size()];
    return text;
}

/// A text without a place where one would cut it.
struct LongText {
    const char* name;
    std::function<std::string()> text;
};

const std::vector<LongText>& longTexts()
{
    static const std::vector<LongText> texts{
        {"OneLetter", [] { return std::string(longBytes, 'a'); }},
        {"TwoLetters", [] { return repeated("ab", longBytes); }},
        {"Base64", [] { return letters(longBytes); }},
        {"Spaces", [] { return std::string(longBytes, ' ') + "x"; }},
        {"LineEnds", [] { return std::string(longBytes, '\n') + "x"; }},
        {"Zeros", [] { return std::string(longBytes, '\0'); }},
        {"JoinedEmoji", [] { return repeated("\xF0\x9F\x91\xA9\xE2\x80\x8D", longBytes); }},
        {"Accents", [] { return "a" + repeated("\xCC\x81", longBytes); }},
        {"NoUtf8", [] { return std::string(longBytes, '\xC3'); }},
        {"Words", [] { return repeated("the river ran to the sea and back ", longBytes); }},
    };
    return texts;
}

/// The files that the commands are given.
class Files
{
public:
    Files()
    {
        for (const LongText& text : longTexts())
            m_folder.file(text.name, text.text());
        for (const LongText& text : longTexts())
            m_folder.file(text.name + std::string(".part"), text.text().substr(0, partBytes));
        m_folder.file("short.txt", repeated("The experts chose what the river told them. ", 1200));
        // Many words and tokens of a few letters each, for tables over counts.
        std::string words;
        for (std::size_t i = 0; const char letter : letters(40'000))
            words += ++i % 5 == 0 ? std::string(" ") : std::string(1, letter);
        m_folder.file("words.txt", words);
        for (const char* part : {"1", "2"}) {
            Arguments count{"count", demo(), at("words.txt"), "--documents", "literal:+", "--words", "--part", fmt::format("{}/2", part),
                            "--out", at(fmt::format("{}.counts", part))};
            count.insert(count.end(), tokenizer.begin(), tokenizer.end());
            EXPECT_EQ(run(count).code, 0);
        }
        EXPECT_EQ(run({"merge", at("1.counts"), at("2.counts"), "--out", at("whole.counts")}).code, 0);
        fs::create_directory(at("series"));
        for (const char* step : {"100", "200"})
            fs::create_symlink(demo(), fs::path(at("series")) / fmt::format("model-{}.pth", step));
    }
    std::string at(const std::string& name) const { return m_folder.file(name); }

private:
    OwnFolder m_folder;
};

const Files& files()
{
    static const Files made;
    return made;
}

struct CancelCase {
    std::string name;
    std::function<Arguments(const std::string& out)> line; // `out` is where a file is to be written
    std::uint64_t leastQuestions = 2;
};

Arguments with(Arguments line, const Arguments& more)
{
    line.insert(line.end(), more.begin(), more.end());
    return line;
}

std::vector<CancelCase> cancelCases()
{
    constexpr std::uint64_t aQuestion = 64 * 1024; // bytes of text
    std::vector<CancelCase> cases;
    for (const LongText& text : longTexts()) {
        const std::string name = text.name;
        cases.push_back({"Tokenize" + name, [name](const std::string&) {
                             return with({"tokenize", demo(), "--json", "--file", files().at(name)}, tokenizer);
                         }, longBytes / aQuestion});
        cases.push_back({"Contexts" + name, [name](const std::string& out) {
                             return with({"contexts", demo(), files().at(name), "--router", "layers.0.self.o.h0", "--id", "260", "--windows", "20",
                                          "--out", out + ".json"}, tokenizer);
                         }, longBytes / aQuestion});
    }
    for (const char* name : {"OneLetter", "Base64", "Accents"})
        cases.push_back({std::string("Count") + name, [name](const std::string& out) {
                             return with({"count", demo(), files().at(name + std::string(".part")), "--words", "--threads", "1", "--out", out}, tokenizer);
                         }, partBytes / aQuestion});
    const auto add = [&](const char* name, std::function<Arguments(const std::string&)> line) { cases.push_back({name, std::move(line)}); };
    add("Info", [](const std::string&) { return Arguments{"info", demo(), "--json"}; });
    add("Trace", [](const std::string& out) { return with({"trace", demo(), "--file", files().at("short.txt"), "--out", out}, tokenizer); });
    add("TraceJson", [](const std::string&) { return with({"trace", demo(), "--json", "--file", files().at("short.txt")}, tokenizer); });
    add("Compare", [](const std::string& out) {
        return with({"compare", demo(), demo(), "--match", "coselection", "--file", files().at("short.txt"), "--out", out + ".json"}, tokenizer);
    });
    add("CompareCounts", [](const std::string& out) {
        return Arguments{"compare", "--counts-a", files().at("1.counts"), "--counts-b", files().at("2.counts"), "--out", out + ".csv"};
    });
    add("Series", [](const std::string& out) {
        return with({"series", files().at("series"), "--file", files().at("short.txt"), "--out", out + ".csv"}, tokenizer);
    });
    add("Merge", [](const std::string& out) { return Arguments{"merge", files().at("1.counts"), files().at("2.counts"), "--out", out}; });
    for (const char* table : {"pairs", "routers", "experts"})
        cases.push_back({std::string("Specialize_") + table, [table](const std::string& out) {
                             return Arguments{"specialize", "--counts", files().at("whole.counts"), "--min-count", "1", "--top", "0",
                                              "--table", table, "--out", out + ".json"};
                         }});
    add("SpecializeWords", [](const std::string& out) {
        return Arguments{"specialize", "--counts", files().at("whole.counts"), "--words", "--min-count", "1", "--top", "0", "--out", out + ".csv"};
    });
    return cases;
}

class Cancel : public ::testing::TestWithParam<CancelCase>
{
protected:
    void SetUp() override { files(); }
    OwnFolder m_folder;
};

struct Questions {
    std::atomic<std::uint64_t> number = 0;
    std::atomic<std::uint64_t> before = 0;  // work at the last one
    std::atomic<std::uint64_t> largest = 0; // work between two

    void ask()
    {
        const std::uint64_t now = allocations();
        const std::uint64_t last = before.exchange(now);
        const std::uint64_t gap = now > last ? now - last : 0;
        std::uint64_t most = largest;
        while (gap > most && !largest.compare_exchange_weak(most, gap)) {
        }
        ++number;
    }
};

TEST_P(Cancel, IsAskedAfterBoundedWork)
{
    constexpr std::uint64_t mostWork = 400'000; // calls of `new`: a call of the tokenizer takes some for every character
    Questions questions;
    questions.before = allocations();
    const Outcome outcome = run(GetParam().line(m_folder.file("out")), {}, {}, [&] { questions.ask(); });
    const std::uint64_t afterTheLast = allocations() - questions.before;
    EXPECT_TRUE(outcome.code == 0 || outcome.code == 1) << outcome.err; // some of these texts are refused, and that may take as long
    EXPECT_LE(std::max<std::uint64_t>(questions.largest, afterTheLast), mostWork) << questions.number << " questions";
    if (outcome.code == 0) {
        EXPECT_GE(questions.number, GetParam().leastQuestions);
    }
}

TEST_P(Cancel, EndsWhereverItIsAsked)
{
    Questions all;
    const int whole = run(GetParam().line(m_folder.file("whole")), {}, {}, [&] { all.ask(); }).code;
    const std::uint64_t number = all.number;
    ASSERT_GT(number, 0U);
    for (const std::uint64_t at : std::set<std::uint64_t>{1, std::min<std::uint64_t>(5, number), number / 2 + 1, number}) {
        const std::string out = m_folder.file(fmt::format("out{}", at));
        std::stop_source source;
        std::atomic<std::uint64_t> asked = 0;
        const Outcome outcome = run(GetParam().line(out), {}, source.get_token(), [&] {
            if (++asked == at)
                source.request_stop();
        });
        const bool endedFirst = at == number && outcome.code == whole; // what was begun before the last question ended
        EXPECT_TRUE(outcome.code == 130 || endedFirst) << "question " << at << " of " << number << ": " << outcome.code << ' ' << outcome.err;
        if (outcome.code != 130)
            continue;
        for (const fs::directory_entry& left : fs::directory_iterator(m_folder.path())) {
            const std::string name = left.path().filename().string();
            EXPECT_TRUE(name.starts_with("whole") || name.ends_with(".partial")) << name << " is left, question " << at;
            if (name.ends_with(".partial"))
                fs::remove(left.path());
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Commands, Cancel, ::testing::ValuesIn(cancelCases()),
                         [](const ::testing::TestParamInfo<CancelCase>& each) { return each.param.name; });

} // namespace
} // namespace headscope::app::testing
