// SPDX-License-Identifier: GPL-3.0-or-later
// Words of the command line that used to mislead, or were missing (faults D.4 and D.6).
#include "app/cli/command_line.h"
#include "app/cli/nearest_word.h"
#include "core/corpus/counts_file.h"
#include "tests/app/cli/program.h"
#include "tests/app/cli/run_folder.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <array>
#include <fstream>

namespace headscope::app::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::array drawing{Command{"show", "draw", [](const Arguments&, const CommandContext&) {}}};

bool isForTheCommandLine(std::vector<std::string> words)
{
    std::vector<char*> argv;
    for (std::string& word : words)
        argv.push_back(word.data());
    return isCommandLine(static_cast<int>(argv.size()), argv.data(), drawing);
}

std::string usage(const Arguments& line)
{
    const Outcome outcome = run(line);
    EXPECT_EQ(outcome.code, 2) << ::testing::PrintToString(line) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    return outcome.err;
}

TEST(FaultD4, AWordThatIsNeitherCommandNorFileIsASentence)
{
    EXPECT_THAT(usage({"trase"}), HasSubstr("did you mean trace?"));
    EXPECT_THAT(usage({"comapre", "a", "b"}), HasSubstr("did you mean compare?"));
    EXPECT_THAT(usage({"spec"}), HasSubstr("did you mean specialize?"));
    EXPECT_THAT(usage({"Info"}), HasSubstr("did you mean info?"));
    EXPECT_THAT(usage({"model.pth"}), AllOf(HasSubstr("model.pth"), Not(HasSubstr("did you mean"))));
    EXPECT_THAT(usage({""}), HasSubstr("empty"));
    EXPECT_THAT(usage({"--verison"}), HasSubstr("--verison"));
    EXPECT_THAT(usage({fixture("switchhead_xl")}), HasSubstr("info")) << "it is a file: what can be done with it";
}

TEST(FaultD4, OnlyFilesOpenTheWindow)
{
    const RunFolder at;
    const std::string model = fixture("switchhead_xl");
    EXPECT_FALSE(isForTheCommandLine({"headscope"}));
    EXPECT_FALSE(isForTheCommandLine({"headscope", model}));
    EXPECT_FALSE(isForTheCommandLine({"headscope", at.file("run"), model}));
    EXPECT_FALSE(isForTheCommandLine({"headscope", "-platform", "offscreen"}));
    EXPECT_FALSE(isForTheCommandLine({"headscope", "--style=Fusion", model}));
    EXPECT_TRUE(isForTheCommandLine({"headscope", "trase"}));
    EXPECT_TRUE(isForTheCommandLine({"headscope", "absent.pth"}));
    EXPECT_TRUE(isForTheCommandLine({"headscope", model, "absent.pth"}));
    EXPECT_TRUE(isForTheCommandLine({"headscope", "--frobnicate"}));
    EXPECT_TRUE(isForTheCommandLine({"headscope", ""}));
    for (const char* command : {"help", "version", "--version", "--help", "-h", "info", "show"})
        EXPECT_TRUE(isForTheCommandLine({"headscope", command})) << command;
}

TEST(FaultD4, HelpAndVersionAreWords)
{
    EXPECT_EQ(run({"help"}).out, run({"--help"}).out);
    EXPECT_EQ(run({"version"}).out, run({"--version"}).out);
    for (const char* command :
         {"info", "tokenize", "trace", "count", "merge", "compare", "series", "specialize", "contexts"}) {
        const Outcome help = run({"help", command});
        EXPECT_EQ(help.code, 0);
        EXPECT_EQ(help.out, run({command, "--help"}).out);
        EXPECT_THAT(help.out, HasSubstr(command));
    }
    EXPECT_EQ(run({"help", "help"}).code, 0);
    EXPECT_THAT(usage({"help", "trase"}), HasSubstr("did you mean trace?"));
}

TEST(FaultD4, EmptyWordsAreRefusedInWords)
{
    const RunFolder at;
    EXPECT_THAT(usage({"trace", "", "--text", "a"}), HasSubstr("MODEL is empty"));
    EXPECT_THAT(usage({"info", ""}), HasSubstr("MODEL is empty"));
    EXPECT_THAT(usage({"count", at.file("run"), "", "--out", at.file("n")}), HasSubstr("CORPUS is empty"));
    EXPECT_THAT(usage({"compare", at.file("run"), "", "--text", "a"}), HasSubstr("B is empty"));
    EXPECT_THAT(usage({"trace", at.file("run"), "--text", "a", "--out="}), HasSubstr("--out is empty"));
    for (const char* option : {"--tokenizer", "--sidecar", "--family", "--device", "--file"})
        EXPECT_THAT(usage({"trace", at.file("run"), option, ""}), HasSubstr(std::string(option) + " is empty")) << option;
    EXPECT_EQ(run({"trace", at.file("run"), "--text", ""}).code, 0) << "the empty text is one";
    EXPECT_EQ(run({"trace", at.file("run"), "--ids", ""}).code, 0);
}

TEST(FaultD4, StandardInputWhereItCannotBe)
{
    const RunFolder at;
    EXPECT_THAT(usage({"count", at.file("run"), "-", "--out", at.file("n")}),
                AllOf(HasSubstr("Standard input"), HasSubstr("CORPUS")));
    EXPECT_THAT(usage({"info", "-"}), HasSubstr("MODEL"));
    EXPECT_THAT(usage({"merge", at.file("a.csv"), "-", "--out", at.file("n")}), HasSubstr("COUNTS"));
    EXPECT_THAT(usage({"specialize", "--counts", "-"}), HasSubstr("--counts"));
    EXPECT_THAT(usage({"trace", at.file("run"), "--text", "a", "--tokenizer", "-"}), HasSubstr("--tokenizer"));
    EXPECT_THAT(usage({"trace", at.file("run"), "--text", "a", "--out", "-"}), HasSubstr("/dev/stdout"));
    EXPECT_EQ(run({"trace", at.file("run"), "--file", "-"}, "far").code, 0) << "a text can";
}

TEST(FaultD4, DamagedGzipNamesItsFile)
{
    const RunFolder at;
    std::ofstream(at.file("a.gz"), std::ios::binary)
        << std::string("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03garbage garbage garbage", 33);
    EXPECT_THAT(refusal({"count", at.file("run"), at.file("a.gz"), "--out", at.file("n")}),
                AllOf(HasSubstr("a.gz"), Not(HasSubstr("<fd:"))));
}

TEST(FaultD4, ADeletedWorkingFolderIsASentence)
{
    const RunFolder at;
    for (const Arguments& line : {Arguments{"trace", at.file("run"), "--text", "a"}, {"info", at.file("run")}}) {
        fs::create_directory(at.file("gone"));
        Start start;
        start.folder = at.file("gone");
        start.folderGone = true;
        const Outcome outcome = runProgram(line, start);
        EXPECT_EQ(outcome.code, 1);
        EXPECT_THAT(outcome.err, AllOf(StartsWith("error: The folder"), HasSubstr("does not exist any more")));
        EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
    }
}

TEST(FaultD4, NearestWords)
{
    constexpr std::array<std::string_view, 3> words{"trace", "merge", "count"};
    EXPECT_EQ(nearestWord("trcae", words), "trace");
    EXPECT_EQ(nearestWord("merg", words), "merge");
    EXPECT_EQ(nearestWord("counts", words), "count");
    EXPECT_EQ(nearestWord("x", words), std::nullopt);
    EXPECT_EQ(nearestWord("", words), std::nullopt);
    EXPECT_EQ(nearestWord("/data/models/trace/model.pth", words), std::nullopt);
}

TEST(FaultD4, OneTokenizerForBothSides)
{
    const RunFolder at;
    fs::create_directory(at.file("bare"));
    fs::copy_file(at.file("series/model-100.pth"), at.file("bare/model-1.pth"));
    const std::string bare = at.file("bare/model-1.pth");
    fs::create_directory(at.file("away"));
    fs::rename(at.file("series/tokenizer.model"), at.file("away/tokenizer.model"));
    const auto compare = [&](const Arguments& more) {
        Arguments line{
            "compare",     bare, at.file("series/model-200.pth"), "--text", "The mill is old, and it is far.", "--null", "0",
            "--bootstrap", "0"};
        line.insert(line.end(), more.begin(), more.end());
        return run(line);
    };
    EXPECT_EQ(compare({}).code, 1) << "neither has one";
    const Outcome both = compare({"--tokenizer", at.file("tokenizer.csv")});
    EXPECT_EQ(both.code, 0) << both.err;
    const Outcome each = compare({"--tokenizer-a", at.file("tokenizer.csv"), "--tokenizer-b", at.file("tokenizer.csv")});
    EXPECT_EQ(both.out, each.out);
    EXPECT_EQ(compare({"--tokenizer", at.file("absent"), "--tokenizer-a", at.file("tokenizer.csv"), "--tokenizer-b",
                       at.file("tokenizer.csv")})
                  .code,
              0)
        << "its own comes first";
    EXPECT_EQ(compare({"--tokenizer", at.file("absent"), "--tokenizer-a", at.file("tokenizer.csv")}).code, 1);
}

TEST(FaultD6, TheMarkForExcel)
{
    const RunFolder at;
    const std::string mark = "\xEF\xBB\xBF";
    const std::vector<Arguments> lines{
        {"specialize", "--counts", at.file("a.csv")},
        {"specialize", at.file("run"), "--table", "likes"},
        {"contexts", at.file("run"), at.file("corpus"), "--router", "layers.0.self.v.h0", "--word", "far"},
        {"compare", at.file("run"), at.file("series/model-100.pth"), "--file", at.file("text.csv"), "--null", "0",
         "--bootstrap", "0"},
        {"compare", "--counts-a", at.file("a.csv"), "--counts-b", at.file("a.csv")},
        {"series", at.file("series"), "--file", at.file("text.csv")},
    };
    for (const Arguments& line : lines) {
        const auto written = [&](const std::string& name, const Arguments& more) {
            Arguments words = line;
            words.insert(words.end(), {"--out", at.file(name)});
            words.insert(words.end(), more.begin(), more.end());
            const Outcome outcome = run(words);
            EXPECT_EQ(outcome.code, more.empty() || name.ends_with("sv") ? 0 : 2) << outcome.err;
            return contents(at.file(name));
        };
        for (const char* name : {"t.csv", "t.tsv"}) {
            const std::string plain = written(name, {});
            EXPECT_FALSE(plain.starts_with(mark));
            EXPECT_EQ(written(name, {"--excel"}), mark + plain) << line.front();
        }
        for (const char* name : {"t.json", "t.md", "t.tex"}) {
            written(name, {"--excel"});
            EXPECT_FALSE(fs::exists(at.file(name)));
        }
        Arguments printed = line;
        printed.emplace_back("--excel");
        EXPECT_EQ(run(printed).code, 2);
    }
}

TEST(FaultD6, TablesOfPapersSayHowManyTokensTheyHold)
{
    const RunFolder at;
    const auto written = [&](const std::string& name, const Arguments& more) {
        Arguments line{"specialize",  "--counts", at.file("a.csv"), "--min-count", "0",
                       "--bootstrap", "0",        "--out",          at.file(name)};
        line.insert(line.end(), more.begin(), more.end());
        EXPECT_EQ(run(line).code, 0);
        return contents(at.file(name));
    };
    EXPECT_THAT(written("t.md", {}), HasSubstr("top: 10\n"));
    EXPECT_THAT(written("t.tex", {}), HasSubstr("top: 10\n"));
    EXPECT_THAT(written("t.md", {"--top", "3"}), HasSubstr("top: 3\n"));
    EXPECT_THAT(written("e.md", {"--table", "experts"}), HasSubstr("top: 10\n"));
    EXPECT_EQ(nlohmann::json::parse(written("e.json", {"--table", "experts"})).at("about").at("top"), 10);
    EXPECT_EQ(nlohmann::json::parse(written("p.json", {})).at("about").at("top"), 0) << "all of them are there";
}

} // namespace
} // namespace headscope::app::testing
