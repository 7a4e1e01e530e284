// SPDX-License-Identifier: GPL-3.0-or-later
// What an interrupted count keeps is never deleted without a word (fault A.2).
#include "core/checkpoint/checkpoint.h"
#include "core/corpus/count_corpus.h"
#include "core/corpus/partial_file.h"
#include "core/families/model.h"
#include "tests/app/cli/program.h"
#include "tests/app/cli/run_folder.h"

#include <gmock/gmock.h>

#include <csignal>
#include <fstream>

namespace headscope::app::testing {
namespace {

namespace fs = std::filesystem;
using core::PartialFile;
using ::testing::AllOf;
using ::testing::HasSubstr;

class FaultA2 : public ::testing::Test
{
protected:
    Arguments count(const Arguments& more = {}) const
    {
        Arguments line{
            "count", at.file("run"), at.file("corpus"), "--out", out, "--threads", "1", "--batch", "1", "--window", "8"};
        line.insert(line.end(), more.begin(), more.end());
        return line;
    }
    /// Leaves what a stopped count leaves.
    void interrupt() const
    {
        std::stop_source source;
        core::CountSettings settings;
        settings.corpus = {at.file("corpus")};
        settings.fingerprint = core::fingerprint(core::openCheckpoint(at.file("run")));
        settings.window = 8;
        settings.threads = 1;
        settings.batch = 1;
        settings.partial = partial;
        settings.secondsBetweenSaves = 0;
        core::CountHooks hooks;
        hooks.stop = source.get_token();
        hooks.wantsPartial = [&] {
            source.request_stop();
            return false;
        };
        hooks.partial = [](core::Counts) {};
        EXPECT_THROW(core::countCorpus(*core::openModel(at.file("run")), settings, hooks), core::Cancelled);
        ASSERT_FALSE(contents(partial).empty());
    }

    RunFolder at;
    std::string out = at.file("n.counts");
    std::string partial = out + ".partial";
};

TEST_F(FaultA2, AnInterruptedCountIsNotDeletedByTheNext)
{
    interrupt();
    const std::string kept = contents(partial);
    EXPECT_THAT(refusal(count()),
                AllOf(HasSubstr("n.counts.partial"), HasSubstr("--resume"), HasSubstr("delete"), HasSubstr("--out")));
    EXPECT_THAT(refusal(count({"--words"})), HasSubstr("--resume")) << "another count";
    EXPECT_EQ(contents(partial), kept);
    EXPECT_FALSE(fs::exists(out));

    EXPECT_THAT(refusal(count({"--resume", "--words"})), HasSubstr("delete it")) << "it is of another count";
    EXPECT_EQ(contents(partial), kept);

    ASSERT_EQ(run(count({"--resume"})).code, 0);
    EXPECT_FALSE(fs::exists(partial));
    const std::string resumed = contents(out);
    ASSERT_EQ(run(count()).code, 0);
    EXPECT_EQ(contents(out), resumed);
}

TEST_F(FaultA2, AFileThatNoCountWroteStays)
{
    for (const std::string& bytes : {std::string("my notes\n"), contents(at.file("a.csv")), std::string("{}")}) {
        std::ofstream(partial, std::ios::binary) << bytes;
        EXPECT_THAT(refusal(count()), AllOf(HasSubstr("no count wrote"), HasSubstr("rename or delete")));
        EXPECT_THAT(refusal(count({"--resume"})), HasSubstr("n.counts.partial"));
        EXPECT_EQ(contents(partial), bytes);
    }
    fs::remove(partial);
    fs::create_directory(partial);
    EXPECT_THAT(refusal(count()), HasSubstr("n.counts.partial"));
    fs::remove(partial);
    fs::create_symlink("nowhere", partial);
    EXPECT_THAT(refusal(count()), HasSubstr("n.counts.partial"));
    EXPECT_TRUE(fs::is_symlink(partial));
}

TEST_F(FaultA2, TwoCountsToOneFileCollide)
{
    {
        const PartialFile other(partial, PartialFile::Start::Anew);
        EXPECT_THAT(refusal(count()), HasSubstr("Another count is at work"));
        EXPECT_THAT(refusal(count({"--resume"})), HasSubstr("Another count is at work"));
        EXPECT_TRUE(fs::exists(partial));
    }
    EXPECT_FALSE(fs::exists(partial)) << "nothing was saved";
    interrupt();
    const std::string kept = contents(partial);
    {
        const PartialFile other(partial, PartialFile::Start::Resume);
        EXPECT_THAT(refusal(count({"--resume"})), HasSubstr("Another count is at work"));
        PartialFile::remove(partial);
        EXPECT_TRUE(fs::exists(partial)) << "it is at work with it";
    }
    EXPECT_EQ(contents(partial), kept);
}

TEST_F(FaultA2, TheLockGoesOnWithEverySave)
{
    PartialFile mine(partial, PartialFile::Start::Anew);
    std::ofstream(at.file("state")) << "saved";
    fs::rename(at.file("state"), partial);
    mine.saved();
    EXPECT_TRUE(PartialFile::isHeld(partial));
    EXPECT_THROW(PartialFile(partial, PartialFile::Start::Resume), core::Error);
}

TEST_F(FaultA2, ACountThatEndedBeforeItSavedLeavesNothingToAskAbout)
{
    std::ofstream{partial}; // killed
    EXPECT_EQ(run(count()).code, 0);
    EXPECT_FALSE(fs::exists(partial));
}

TEST_F(FaultA2, AFifoHasNoPlaceForAPartial)
{
    EXPECT_EQ(run({"count", at.file("run"), at.file("corpus"), "--out", "/dev/null", "--resume"}).code, 2);
    EXPECT_EQ(run({"count", at.file("run"), at.file("corpus"), "--out", "/dev/null"}).code, 0);
    EXPECT_FALSE(fs::exists("/dev/null.partial"));
}

TEST_F(FaultA2, AClosedTerminalKeepsWhatWasCounted)
{
    std::string text;
    for (int i = 0; i < 4000; ++i)
        text += "The mill is old, and it is far. Is it far? No one opens it at 6:30.\n";
    std::ofstream(at.file("corpus/long.csv")) << text;
    for (const int signal : {SIGHUP, SIGTERM}) {
        Start start;
        start.signal = signal;
        start.signalWhen = partial; // claimed: the model is open
        const Outcome outcome = runProgram(count(), start);
        EXPECT_EQ(outcome.code, 130) << outcome.err;
        EXPECT_FALSE(fs::exists(out));
        // Where it had counted something, it was kept and is said; it may have been reading the corpus.
        EXPECT_EQ(fs::exists(partial), outcome.err.find("--resume") != std::string::npos) << outcome.err;
        fs::remove(partial);
    }
    Start nohup;
    nohup.signal = SIGHUP;
    nohup.signalWhen = partial;
    nohup.ignoresHangUp = true;
    fs::remove(at.file("corpus/long.csv"));
    EXPECT_EQ(runProgram(count(), nohup).code, 0) << "under nohup it goes on";
}

} // namespace
} // namespace headscope::app::testing
