// SPDX-License-Identifier: GPL-3.0-or-later
// Nothing that a command reads is written over, whatever it is called (fault A.1): all commands, all their inputs, all
// spellings.
#include "tests/app/cli/program.h"
#include "tests/app/cli/run_folder.h"

#include <gmock/gmock.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <functional>
#include <thread>

namespace headscope::app::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::HasSubstr;

const std::vector<std::string> runFiles{"run/model-00001-of-00002.safetensors", "run/model-00002-of-00002.safetensors",
                                        "run/model.safetensors.index.json", "run/args.json", "run/tokenizer.model"};

std::vector<std::string> with(std::vector<std::string> files, const std::vector<std::string>& more)
{
    files.insert(files.end(), more.begin(), more.end());
    return files;
}

struct Case {
    const char* name;
    std::function<Arguments(const RunFolder&)> line; // but the option of the output
    std::vector<std::string> inputs;                 // of the folder
    const char* option = "--out";
    bool table = true; // the name has to end in .csv
};

Arguments compareLine(const RunFolder& at)
{
    return {"compare",
            at.file("run"),
            at.file("series/model-100.pth"),
            "--file",
            at.file("text.csv"),
            "--fit",
            at.file("fit.csv"),
            "--tokenizer-b",
            at.file("tokenizer.csv"),
            "--null",
            "0",
            "--bootstrap",
            "0"};
}

const std::vector<std::string> compared = with(runFiles, {"series/model-100.pth", "text.csv", "fit.csv", "tokenizer.csv"});

const std::vector<Case> cases{
    {"trace",
     [](const RunFolder& at) {
         return Arguments{"trace", at.file("run"), "--file", at.file("text.csv")};
     },
     with(runFiles, {"text.csv"}), "--out", false},
    {"trace of a file",
     [](const RunFolder& at) {
         return Arguments{"trace",     at.file("series/model-100.pth"), "--text",      "a",
                          "--sidecar", at.file("sidecar.csv"),          "--tokenizer", at.file("tokenizer.csv")};
     },
     {"series/model-100.pth", "sidecar.csv", "tokenizer.csv", "series/tokenizer.model"},
     "--out",
     false},
    {"trace with args above",
     [](const RunFolder& at) {
         return Arguments{"trace", at.file("nested/save/checkpoint/model-1.pth"), "--text", "a"};
     },
     {"nested/save/checkpoint/model-1.pth", "nested/save/args.json", "nested/save/tokenizer.model"},
     "--out",
     false},
    {"count",
     [](const RunFolder& at) {
         return Arguments{"count",      at.file("run"),    at.file("corpus/a.csv"), "--tags", at.file("tags.csv"),
                          "--frequent", at.file("ids.csv")};
     },
     with(runFiles, {"corpus/a.csv", "tags.csv", "ids.csv"}), "--out", false},
    {"merge",
     [](const RunFolder& at) {
         return Arguments{"merge", at.file("a.csv"), at.file("b.csv")};
     },
     {"a.csv", "b.csv"},
     "--out",
     false},
    {"specialize counts",
     [](const RunFolder& at) {
         return Arguments{"specialize", "--counts", at.file("a.csv")};
     },
     {"a.csv"}},
    {"specialize",
     [](const RunFolder& at) {
         return Arguments{"specialize", at.file("run"), at.file("corpus/a.csv"), "--tags", at.file("tags.csv")};
     },
     with(runFiles, {"corpus/a.csv", "tags.csv"})},
    {"specialize weights",
     [](const RunFolder& at) {
         return Arguments{"specialize", at.file("run"), "--table", "likes"};
     },
     runFiles},
    {"contexts",
     [](const RunFolder& at) {
         return Arguments{"contexts", at.file("run"), at.file("corpus/a.csv"), "--router", "layers.0.self.v.h0", "--id",
                          "5"};
     },
     with(runFiles, {"corpus/a.csv"})},
    {"compare", compareLine, compared},
    {"compare report", compareLine, {"fit.csv"}, "--report"}, // links only: a report's name ends in .md
    {"compare counts",
     [](const RunFolder& at) {
         return Arguments{"compare", "--counts-a", at.file("a.csv"), "--counts-b", at.file("b.csv")};
     },
     {"a.csv", "b.csv"}},
    {"series",
     [](const RunFolder& at) {
         return Arguments{"series", at.file("series"), "--file", at.file("text.csv")};
     },
     {"series/model-100.pth", "series/model-200.pth", "series/tokenizer.model", "text.csv"}},
};

std::string extensionFor(const Case& what)
{
    return std::string(what.option) == "--report" ? ".md" : ".csv";
}

/// Other names of a file, made where they are needed.
std::vector<std::string> namesOf(const RunFolder& at, const std::string& input, const Case& what)
{
    std::vector<std::string> names;
    const fs::path file = at.path() / input;
    if (!what.table || file.extension() == extensionFor(what)) {
        names.push_back(file);
        names.push_back(at.file("corpus/../" + input));
        names.push_back(at.file("./" + input));
        names.push_back(at.file("folder-link/" + input));
    }
    for (const char* link : {"soft", "hard", "far"})
        names.push_back(at.file(link + extensionFor(what)));
    return names;
}

void makeLinks(const RunFolder& at, const std::string& input, const Case& what)
{
    for (const char* link : {"soft", "hard", "far"})
        fs::remove(at.file(link + extensionFor(what)));
    fs::create_symlink(input, at.file("soft" + extensionFor(what)));
    fs::create_hard_link(at.path() / input, at.file("hard" + extensionFor(what)));
    fs::create_symlink(at.file("soft" + extensionFor(what)), at.file("far" + extensionFor(what))); // a link to the link
}

class FaultA1 : public ::testing::TestWithParam<std::size_t>
{
};

TEST_P(FaultA1, NoInputIsWrittenOver)
{
    const Case& what = cases[GetParam()];
    const RunFolder at;
    fs::create_directory_symlink(".", at.file("folder-link"));
    for (const std::string& input : what.inputs) {
        makeLinks(at, input, what);
        const std::string before = contents(at.path() / input);
        const auto names = at.names();
        for (const std::string& out : namesOf(at, input, what)) {
            Arguments line = what.line(at);
            line.insert(line.end(), {what.option, out});
            const std::string sentence = refusal(line);
            EXPECT_THAT(sentence, AnyOf(HasSubstr(fs::path(input).filename()), HasSubstr(fs::path(out).filename())))
                << what.name;
            EXPECT_THAT(sentence, HasSubstr("name")) << "it says what to do";
        }
        EXPECT_EQ(contents(at.path() / input), before) << what.name << ": " << input;
        EXPECT_EQ(at.names(), names) << what.name << ": " << input;
    }
}

INSTANTIATE_TEST_SUITE_P(Commands, FaultA1, ::testing::Range(std::size_t{0}, cases.size()));

TEST(FaultA1, NothingIsWrittenIntoTheFolderOfACorpus)
{
    const RunFolder at;
    fs::create_directory_symlink("corpus", at.file("linked"));
    fs::create_directory(at.file("corpus/deep"));
    fs::create_symlink("corpus/not-yet.csv", at.file("dangling.csv"));
    const Arguments count{"count", at.file("run"), at.file("corpus")};
    const Arguments specialize{"specialize", at.file("run"), at.file("corpus/")};
    const Arguments contexts{"contexts", at.file("run"), at.file("linked"), "--router", "layers.0.self.v.h0", "--id", "5"};
    const auto names = at.names();
    for (const Arguments& command : {count, specialize, contexts}) {
        for (const char* out : {"corpus/new.csv", "corpus/a.csv", "corpus/deep/new.csv", "linked/new.csv",
                                "run/../corpus/new.csv", "dangling.csv"}) {
            Arguments line = command;
            line.insert(line.end(), {"--out", at.file(out)});
            EXPECT_THAT(refusal(line), HasSubstr(at.file("corpus").substr(at.path().string().size()).substr(1, 4))) << out;
        }
    }
    EXPECT_EQ(at.names(), names);
}

TEST(FaultA1, TwoOutputsAreTwoFiles)
{
    const RunFolder at;
    fs::create_symlink("one.md", at.file("link.md")); // to what is not there yet
    for (const char* report : {"one.md", "./one.md", "corpus/../one.md", "link.md"}) {
        Arguments line = compareLine(at);
        line.insert(line.end(), {"--out", at.file("one.md"), "--report", at.file(report)});
        EXPECT_THAT(refusal(line), HasSubstr("--out and --report")) << report;
        EXPECT_FALSE(fs::exists(at.file("one.md")));
    }
    // A count's own second file.
    fs::rename(at.file("corpus/a.csv"), at.file("n.partial"));
    EXPECT_THAT(refusal({"count", at.file("run"), at.file("n.partial"), "--out", at.file("n")}), HasSubstr("n.partial"));
    EXPECT_FALSE(contents(at.file("n.partial")).empty());
}

TEST(FaultA1, WhatIsNoInputIsWritten)
{
    const RunFolder at;
    // New names in the folder of a run, and what an earlier command left there.
    for (int time = 0; time < 2; ++time) {
        for (const Arguments& line :
             {Arguments{"trace", at.file("run"), "--text", "far", "--out", at.file("run/trace.safetensors")},
              {"count", at.file("run"), at.file("corpus"), "--out", at.file("run/corpus.counts")},
              {"specialize", "--counts", at.file("a.csv"), "--out", at.file("run/table.csv")},
              {"merge", at.file("a.csv"), at.file("b.csv"), "--out", at.file("corpus/merged.counts")}}) {
            const Outcome outcome = run(line);
            EXPECT_EQ(outcome.code, 0) << outcome.err;
            EXPECT_FALSE(contents(line.back()).empty()) << line.back();
        }
        fs::remove(at.file("corpus/merged.counts")); // for merge the folder is no corpus; for count it is
    }
    EXPECT_EQ(run({"trace", at.file("run"), "--text", "far", "--out", "/dev/null"}).code, 0);
}

TEST(FaultA1, AFifoIsWrittenThrough)
{
    const RunFolder at;
    const std::string fifo = at.file("fifo");
    ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
    std::string read;
    std::thread reader([&] { read = contents(fifo); });
    EXPECT_EQ(run({"trace", at.file("run"), "--text", "far", "--out", fifo}).code, 0);
    reader.join();
    EXPECT_EQ(run({"trace", at.file("run"), "--text", "far", "--out", at.file("file")}).code, 0);
    EXPECT_EQ(read, contents(at.file("file")));
    EXPECT_TRUE(fs::is_fifo(fifo));
}

TEST(FaultA1, StandardOutputIsWrittenThrough)
{
    const RunFolder at;
    EXPECT_EQ(run({"specialize", "--counts", at.file("a.csv"), "--out", at.file("file.json")}).code, 0);
    for (const char* out : {"/dev/stdout", "/proc/self/fd/1", "/dev/fd/1"}) {
        fs::remove(at.file("link.json"));
        fs::create_symlink(out, at.file("link.json"));
        const Outcome outcome = runProgram({"specialize", "--counts", at.file("a.csv"), "--out", at.file("link.json")});
        EXPECT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_EQ(outcome.out, contents(at.file("file.json"))) << out;
    }
}

TEST(FaultA1, StandardInputMayBeAFile)
{
    const RunFolder at;
    const std::string before = contents(at.file("text.csv"));
    Start start;
    start.input = at.file("text.csv");
    const Outcome outcome = runProgram({"trace", at.file("run"), "--file", "-", "--out", at.file("text.csv")}, start);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("standard input"));
    EXPECT_EQ(contents(at.file("text.csv")), before);
}

} // namespace
} // namespace headscope::app::testing
