// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/atomic_file.h"
#include "tests/core/checkpoint/test_files.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <unistd.h>

namespace headscope::core {
namespace {

namespace fs = std::filesystem;
using test::errorOf;
using test::readFile;
using test::writeFile;
using testing::HasSubstr;

std::ptrdiff_t filesIn(const fs::path& folder)
{
    return std::distance(fs::directory_iterator(folder), {});
}

TEST(AtomicFile, AppearsOnlyWhenCommitted)
{
    const test::TemporaryFolder folder;
    AtomicFile file(folder / "a.txt");
    file.write("hello");
    EXPECT_FALSE(fs::exists(folder / "a.txt"));
    file.commit();
    EXPECT_EQ(readFile(folder / "a.txt"), "hello");
    EXPECT_EQ(filesIn(folder.path()), 1);
}

TEST(AtomicFile, LeavesTheOldFileWhenNotCommitted)
{
    const test::TemporaryFolder folder;
    writeFile(folder / "a.txt", "old");
    {
        AtomicFile file(folder / "a.txt");
        file.write(std::string(1 << 20, 'x'));
    }
    EXPECT_EQ(readFile(folder / "a.txt"), "old");
    EXPECT_EQ(filesIn(folder.path()), 1) << "the temporary file is still there";
}

TEST(AtomicFile, KeepsPermissionsAndFollowsLinks)
{
    const test::TemporaryFolder folder;
    writeFile(folder / "real.txt", "old");
    fs::permissions(folder / "real.txt", fs::perms::owner_read | fs::perms::owner_write | fs::perms::others_read);
    fs::create_symlink("real.txt", folder / "link.txt");
    AtomicFile file(folder / "link.txt");
    file.write("new");
    file.commit();
    EXPECT_TRUE(fs::is_symlink(folder / "link.txt"));
    EXPECT_EQ(readFile(folder / "real.txt"), "new");
    EXPECT_EQ(fs::status(folder / "real.txt").permissions(),
              fs::perms::owner_read | fs::perms::owner_write | fs::perms::others_read);
}

TEST(AtomicFile, TakesNamesOfAnyKind)
{
    const test::TemporaryFolder folder;
    for (const std::string& name : {std::string("a#b c.txt"), std::string("Übung-表.csv"), std::string(255, 'n')}) {
        AtomicFile file(folder / name);
        file.write(name);
        file.commit();
        EXPECT_EQ(readFile(folder / name), name);
    }
}

TEST(AtomicFile, WritesLargeAndSmallPiecesInOrder)
{
    const test::TemporaryFolder folder;
    std::string expected;
    AtomicFile file(folder / "a");
    for (int i = 0; i < 40; ++i) {
        const std::string piece(static_cast<std::size_t>(i * i * 997 % 400'000), static_cast<char>('a' + i % 26));
        file.write(piece);
        expected += piece;
    }
    file.commit();
    EXPECT_EQ(readFile(folder / "a"), expected);
}

TEST(AtomicFile, SaysWhyItCannotWrite)
{
    const test::TemporaryFolder folder;
    EXPECT_THAT(errorOf([&] { AtomicFile file(folder / "absent/a.txt"); }), HasSubstr("its folder does not exist"));
    EXPECT_THAT(errorOf([&] { AtomicFile file(folder.path()); }), HasSubstr("it is a folder"));
    EXPECT_THAT(errorOf([&] { AtomicFile file(""); }), HasSubstr("cannot be written"));
}

TEST(AtomicFile, CannotWriteIntoAReadOnlyFolder)
{
    const test::TemporaryFolder folder;
    if (::geteuid() == 0)
        GTEST_SKIP() << "root may write into a read-only folder";
    fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
    EXPECT_THAT(errorOf([&] { AtomicFile file(folder / "a.txt"); }), HasSubstr("Permission denied"));
    fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST(AtomicFile, TellsOfAFullDisk)
{
    if (!fs::exists("/dev/full"))
        GTEST_SKIP() << "no /dev/full here";
    AtomicFile file("/dev/full"); // a device is written directly, not replaced
    file.write("x");
    EXPECT_THAT(errorOf([&] { file.commit(); }), testing::AllOf(HasSubstr("/dev/full"), HasSubstr("No space left")));
    EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

} // namespace
} // namespace headscope::core
