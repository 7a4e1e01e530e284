// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/atomic_file.h"
#include "core/checkpoint/file_bytes.h"
#include "core/checkpoint/files_in_use.h"
#include "core/checkpoint/hyper_parameters.h"
#include "tests/core/checkpoint/test_files.h"

#include <gmock/gmock.h>

#include <csignal>
#include <cstdio>
#include <sys/resource.h>
#include <thread>

namespace headscope::core {
namespace {

namespace fs = std::filesystem;
using test::errorOf;
using test::readFile;
using test::writeFile;
using testing::HasSubstr;
using Readers = FilesInUse::Readers;

void overwrite(const fs::path& path)
{
    AtomicFile file(path);
    file.write("new");
    file.commit();
}

TEST(FaultA1, WhatWasOpenedIsNotWrittenOver)
{
    const test::TemporaryFolder folder;
    writeFile(folder / "in", "old");
    fs::create_symlink("in", folder / "soft");
    fs::create_hard_link(folder / "in", folder / "hard");
    {
        const FilesInUse inUse(Readers::AllThreads);
        FileBytes::open(folder / "in");
        for (const char* name : {"in", "soft", "hard"})
            EXPECT_THAT(errorOf([&] { overwrite(folder / name); }), HasSubstr(name));
        overwrite(folder / "out");
        EXPECT_EQ(readFile(folder / "in"), "old");
    }
    overwrite(folder / "soft"); // nobody reads it any more
    EXPECT_EQ(readFile(folder / "in"), "new");
    EXPECT_EQ(readFile(folder / "hard"), "old");
}

TEST(FaultA1, WhatIsOpenedWhileAFileIsWrittenIsNotReplaced)
{
    const test::TemporaryFolder folder;
    writeFile(folder / "in", "old");
    const FilesInUse inUse(Readers::AllThreads);
    AtomicFile file(folder / "in");
    file.write("new");
    FileBytes::open(folder / "in");
    EXPECT_THAT(errorOf([&] { file.commit(); }), HasSubstr("is read here"));
    EXPECT_EQ(readFile(folder / "in"), "old");
}

TEST(FaultA1, ReadersOfOtherThreadsAreAddedWhereAskedFor)
{
    const test::TemporaryFolder folder;
    for (const char* name : {"mine", "other", "later"})
        writeFile(folder / name, "old");
    const auto openElsewhere = [&](const char* name) { std::thread([&] { FileBytes::open(folder / name); }).join(); };
    {
        FilesInUse here(Readers::ThisThread);
        FileBytes::open(folder / "mine");
        openElsewhere("other");
        here.stopAdding();
        FileBytes::open(folder / "later");
        EXPECT_TRUE(conflictWith(folder / "mine"));
        EXPECT_FALSE(conflictWith(folder / "other"));
        EXPECT_FALSE(conflictWith(folder / "later"));
    }
    const FilesInUse everywhere(Readers::AllThreads);
    openElsewhere("other");
    EXPECT_TRUE(conflictWith(folder / "other"));
    forgetRead(folder / "other");
    EXPECT_FALSE(conflictWith(folder / "other"));
}

TEST(FaultA1, AFileThatWasReplacedIsTheNewOne)
{
    const test::TemporaryFolder folder;
    writeFile(folder / "in", "old");
    const FilesInUse inUse(Readers::AllThreads);
    FileBytes::open(folder / "in");
    writeFile(folder / "next", "next");
    fs::rename(folder / "next", folder / "in"); // as training does
    EXPECT_TRUE(conflictWith(folder / "in"));
}

TEST(FaultA1, AFolderOfACorpusTakesNothing)
{
    const test::TemporaryFolder folder;
    fs::create_directories(folder / "corpus/deep");
    fs::create_directory(folder / "corpus2");
    writeFile(folder / "away", "text");
    fs::create_symlink("../away", folder / "corpus/link");
    fs::create_symlink("corpus/deep", folder / "into");
    for (const char* spelling : {"corpus", "corpus/", "corpus2/../corpus"}) {
        FilesInUse one(Readers::None);
        one.add(folder / spelling);
        EXPECT_TRUE(conflictWith(folder / "corpus/new")) << spelling;
        EXPECT_TRUE(conflictWith(folder / "corpus/deep/new")) << spelling;
        EXPECT_TRUE(conflictWith(folder / "into/new")) << spelling;
        EXPECT_TRUE(conflictWith(folder / "away")) << "a link in the corpus leads to it";
        EXPECT_FALSE(conflictWith(folder / "new")) << spelling;
        EXPECT_FALSE(conflictWith(folder / "corpus2/new")) << spelling;
        EXPECT_FALSE(conflictWith("/dev/null"));
    }
    EXPECT_FALSE(conflictWith(folder / "corpus/new"));
}

TEST(FaultA1, WhatTheUserGaveIsAddedToItsOwnFile)
{
    const test::TemporaryFolder folder;
    writeFile(folder / "model.pth", "x");
    writeFile(folder / "headscope.json", "{\"a\": 1}");
    const FilesInUse inUse(Readers::AllThreads);
    EXPECT_TRUE(parametersOfUser(folder / "model.pth")); // reads it
    EXPECT_TRUE(conflictWith(folder / "headscope.json"));
    saveBeside(folder / "model.pth", {{"n_heads", "4"}});
    EXPECT_THAT(readFile(folder / "headscope.json"), HasSubstr("n_heads"));
}

TEST(FaultA5, AFullDiskLeavesTheHyperParametersOfTheUser)
{
    const test::TemporaryFolder folder;
    writeFile(folder / "model.pth", "x");
    writeFile(folder / "headscope.json", "{}");
    auto* const before = std::signal(SIGXFSZ, SIG_IGN);
    rlimit all{};
    getrlimit(RLIMIT_FSIZE, &all);
    const rlimit less{4, all.rlim_max};
    setrlimit(RLIMIT_FSIZE, &less);
    const std::string sentence = errorOf([&] { saveBeside(folder / "model.pth", {{"n_heads", "4"}}); });
    setrlimit(RLIMIT_FSIZE, &all);
    std::signal(SIGXFSZ, before);
    EXPECT_THAT(sentence, HasSubstr("headscope.json cannot be written"));
    EXPECT_EQ(readFile(folder / "headscope.json"), "{}");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 2);
}

TEST(FaultA5, WhatTheShellOpenedIsWrittenThrough)
{
    const test::TemporaryFolder folder;
    FILE* const target = std::fopen((folder / "to").c_str(), "w+");
    ASSERT_NE(target, nullptr);
    const std::string path = "/proc/self/fd/" + std::to_string(fileno(target));
    {
        AtomicFile file(path);
        file.write("through");
        file.commit();
    }
    EXPECT_EQ(std::ftell(target), 7) << "the position of the descriptor went on";
    std::fclose(target);
    EXPECT_EQ(readFile(folder / "to"), "through");
    EXPECT_THAT(errorOf([] { AtomicFile file("/dev/fd/987"); }), HasSubstr("Bad file descriptor"));
}

} // namespace
} // namespace headscope::core
