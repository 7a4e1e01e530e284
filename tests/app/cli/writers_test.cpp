// SPDX-License-Identifier: GPL-3.0-or-later
// Every file that a command writes, on a disk that is full: a sentence, exit 1, the old file whole, nothing left over (fault
// A.5).
#include "tests/app/cli/program.h"
#include "tests/app/cli/run_folder.h"

#include <gmock/gmock.h>

#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>

namespace headscope::app::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::HasSubstr;

const std::string longText = [] {
    std::string text;
    for (int i = 0; i < 60; ++i)
        text += "The mill is old, and it is far. Is it far? No one opens it at 6:30.\n";
    return text;
}();

struct Writer {
    const char* out; // its name
    std::function<Arguments(const RunFolder&)> line;
};

Arguments specialize(const RunFolder& at, const Arguments& more = {})
{
    Arguments line{"specialize", "--counts", at.file("a.csv"), "--min-count", "0", "--bootstrap", "0"};
    line.insert(line.end(), more.begin(), more.end());
    return line;
}

Arguments compare(const RunFolder& at, const Arguments& more = {})
{
    Arguments line{"compare", at.file("run"),      at.file("series/model-100.pth"),
                   "--file",  at.file("text.csv"), "--null",
                   "0",       "--bootstrap",       "0"};
    line.insert(line.end(), more.begin(), more.end());
    return line;
}

std::vector<Writer> writers()
{
    std::vector<Writer> all{
        {"t.safetensors",
         [](const RunFolder& at) {
             return Arguments{"trace", at.file("run"), "--file", at.file("text.csv"), "--attention", "layers.0.self"};
         }},
        {"c.counts",
         [](const RunFolder& at) {
             return Arguments{"count", at.file("run"), at.file("corpus")};
         }},
        {"m.counts",
         [](const RunFolder& at) {
             return Arguments{"merge", at.file("a.csv"), at.file("b.csv")};
         }},
        {"likes.json",
         [](const RunFolder& at) {
             return Arguments{"specialize", at.file("run"), "--table", "likes"};
         }},
        {"likes.csv",
         [](const RunFolder& at) {
             return Arguments{"specialize", at.file("run"), "--table", "likes", "--excel"};
         }},
        {"alike.json",
         [](const RunFolder& at) {
             return Arguments{"specialize", at.file("run"), "--table", "alike"};
         }},
        {"tokens.json",
         [](const RunFolder& at) {
             return Arguments{"compare", "--counts-a", at.file("a.csv"), "--counts-b", at.file("a.csv"),
                              "--table", "tokens",     "--min-count",    "0"};
         }},
    };
    for (const char* extension : {".csv", ".tsv", ".json", ".md", ".tex"}) {
        static std::vector<std::string> names;
        names.reserve(100);
        const auto named = [&](const std::string& stem) { return names.emplace_back(stem + extension).c_str(); };
        all.push_back({named("pairs"), [](const RunFolder& at) { return specialize(at); }});
        all.push_back({named("routers"), [](const RunFolder& at) { return specialize(at, {"--table", "routers"}); }});
        all.push_back({named("contexts"), [](const RunFolder& at) {
                           return Arguments{"contexts", at.file("run"), at.file("corpus"), "--router", "layers.*.self.*",
                                            "--word",   "far",          "--limit",         "1000"};
                       }});
        all.push_back({named("compare"), [](const RunFolder& at) { return compare(at); }});
        all.push_back({named("series"), [](const RunFolder& at) {
                           return Arguments{"series", at.file("series"), "--file", at.file("text.csv")};
                       }});
    }
    return all;
}

/// This process may write no file beyond so many bytes.
class FileLimit
{
public:
    explicit FileLimit(rlim_t bytes) : m_handler(std::signal(SIGXFSZ, SIG_IGN))
    {
        getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit less{bytes, m_before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &less);
    }
    ~FileLimit()
    {
        setrlimit(RLIMIT_FSIZE, &m_before);
        std::signal(SIGXFSZ, m_handler);
    }
    FileLimit(const FileLimit&) = delete;
    FileLimit& operator=(const FileLimit&) = delete;

private:
    rlimit m_before{};
    void (*m_handler)(int);
};

class FaultA5 : public ::testing::Test
{
protected:
    FaultA5()
    {
        for (const char* name : {"text.csv", "corpus/a.csv"})
            std::ofstream(at.file(name), std::ios::binary) << longText;
        std::ofstream(at.file("corpus/b.csv"), std::ios::binary) << longText << "No one opens it."; // another document
        for (const Writer& writer : all)
            std::ofstream(at.file(writer.out), std::ios::binary) << "old";
        names = at.names();
    }
    Arguments line(const Writer& writer) const
    {
        Arguments words = writer.line(at);
        words.insert(words.end(), {"--out", at.file(writer.out)});
        return words;
    }
    void expectUntouched(const Writer& writer) const
    {
        EXPECT_EQ(contents(at.file(writer.out)), "old") << writer.out;
        EXPECT_EQ(at.names(), names) << writer.out;
    }

    RunFolder at;
    std::vector<Writer> all = writers();
    std::vector<std::string> names;
};

TEST_F(FaultA5, AFullDiskIsASentenceAndTheOldFileStays)
{
    for (const Writer& writer : all) {
        const FileLimit limit(100);
        EXPECT_THAT(refusal(line(writer)), AnyOf(HasSubstr(writer.out), HasSubstr("partial"))) << writer.out;
        expectUntouched(writer);
    }
    for (const Writer& writer : all) { // and with room they are written
        EXPECT_EQ(run(line(writer)).code, 0) << writer.out;
        EXPECT_GT(contents(at.file(writer.out)).size(), 100U) << writer.out;
    }
}

TEST_F(FaultA5, WhereverTheDiskIsFull)
{
    // What is written in pieces of 64 kB fails in the middle of an object, too.
    const Writer& writer =
        *std::ranges::find_if(all, [](const Writer& one) { return std::string(one.out) == "contexts.json"; });
    for (const rlim_t bytes : {1UL, 60'000UL, 200'000UL, 270'000UL, 300'000UL}) {
        const FileLimit limit(bytes);
        refusal(line(writer));
        expectUntouched(writer);
    }
    EXPECT_EQ(run(line(writer)).code, 0);
    EXPECT_GT(fs::file_size(at.file(writer.out)), 300'000U);
}

TEST_F(FaultA5, ADeviceThatIsFullIsWrittenThrough)
{
    if (!fs::exists("/dev/full"))
        GTEST_SKIP() << "no /dev/full here";
    for (const Writer& writer : all) {
        const std::string link = at.file("full-" + std::string(writer.out));
        fs::create_symlink("/dev/full", link);
        Arguments words = writer.line(at);
        words.insert(words.end(), {"--out", link});
        EXPECT_THAT(refusal(words), HasSubstr("No space left")) << writer.out;
        EXPECT_TRUE(fs::is_symlink(link));
        fs::remove(link);
        EXPECT_EQ(at.names(), names);
    }
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(FaultA5, AFolderThatCannotBeWrittenIsSaidBeforeTheWork)
{
    if (geteuid() == 0)
        GTEST_SKIP() << "root may write into a read-only folder";
    fs::create_directory(at.file("locked"));
    fs::permissions(at.file("locked"), fs::perms::owner_read | fs::perms::owner_exec);
    for (const Writer& writer : all) {
        Arguments words = writer.line(at);
        words.insert(words.end(), {"--out", at.file("locked/") + writer.out});
        EXPECT_THAT(refusal(words), HasSubstr("Permission denied")) << writer.out;
    }
    fs::permissions(at.file("locked"), fs::perms::owner_all);
}

TEST_F(FaultA5, TheProgramIsNotEndedByTheLimitOfFiles)
{
    Start start;
    start.fileBytes = 2000; // of its standard error, too
    for (const Writer& writer : all) {
        const std::string name = writer.out;
        if (name != "t.safetensors" && name != "c.counts" && name != "contexts.json" && name != "compare.csv")
            continue;
        const Outcome outcome = runProgram(line(writer), start);
        EXPECT_EQ(outcome.code, 1) << outcome.err;
        EXPECT_THAT(outcome.err, HasSubstr("ulimit -f"));
        expectUntouched(writer);
    }
    const Outcome printed = runProgram({"trace", at.file("run"), "--file", at.file("text.csv"), "--json"}, start);
    EXPECT_EQ(printed.code, 1);
    EXPECT_THAT(printed.err, HasSubstr("standard output"));
}

} // namespace
} // namespace headscope::app::testing
