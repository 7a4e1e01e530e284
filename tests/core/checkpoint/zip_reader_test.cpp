// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/zip_reader.h"

#include "tests/core/checkpoint/test_files.h"
#include "tests/core/checkpoint/zip_writer.h"

#include <gmock/gmock.h>

#include <cstring>

namespace headscope::core {
namespace {

using test::errorOf;
using testing::AllOf;
using testing::HasSubstr;
using namespace std::string_literals;

class ZipReader : public testing::Test
{
protected:
    ZipArchive open(std::string_view bytes) const
    {
        test::writeFile(m_folder / "m.pth", bytes);
        return readZipDirectory(FileBytes::open(m_folder / "m.pth"));
    }
    std::string error(std::string_view bytes) const
    {
        return errorOf([&] { open(bytes); });
    }
    /// The error of looking at one entry of a file that opens.
    std::string entryError(std::string_view bytes, std::string_view name) const
    {
        const ZipArchive archive = open(bytes);
        return errorOf([&] { storedRange(archive, name); });
    }

    test::TemporaryFolder m_folder;
};

std::string twoEntries(bool zip64)
{
    test::ZipWriter writer;
    writer.zip64Record = zip64;
    writer.add("root/a", "hello");
    writer.add("root/b", "world!");
    return writer.finish();
}

/// Replaces the number at the n-th place of a signature.
template <typename Number>
std::string patched(std::string bytes, std::string_view signature, std::size_t offset, Number value)
{
    const std::size_t at = bytes.rfind(signature);
    EXPECT_NE(at, std::string::npos);
    std::memcpy(bytes.data() + at + offset, &value, sizeof value);
    return bytes;
}

constexpr std::string_view kLocal = "PK\x03\x04";
constexpr std::string_view kCentral = "PK\x01\x02";
constexpr std::string_view kEnd = "PK\x05\x06";

TEST_F(ZipReader, FindsStoredEntries)
{
    for (const bool zip64 : {false, true}) {
        const ZipArchive archive = open(twoEntries(zip64));
        ASSERT_EQ(archive.entries.size(), 2U);
        const FileRange range = storedRange(archive, "root/b");
        EXPECT_EQ(range.begin % 64, 0U);
        EXPECT_EQ(archive.file->read(range.begin, range.size).size(), 6U);
        EXPECT_EQ(test::readFile(m_folder / "m.pth").substr(range.begin, range.size), "world!");
        EXPECT_EQ(archive.find("root/c"), nullptr);
        EXPECT_THAT(errorOf([&] { storedRange(archive, "root/c"); }), HasSubstr("\"root/c\" is missing"));
    }
}

TEST_F(ZipReader, AcceptsACommentAndNothingElseBehind)
{
    const std::string bytes = twoEntries(false);
    const std::string commented = patched<std::uint16_t>(bytes, kEnd, 20, 7) + "comment";
    EXPECT_EQ(open(commented).entries.size(), 2U);
    EXPECT_THAT(error(bytes + "x"), HasSubstr("bytes were appended"));
}

TEST_F(ZipReader, ReadsNothingButItsTableOfContents)
{
    test::ZipWriter writer;
    writer.add("root/large", std::string(1 << 20, 'x'));
    const ZipArchive archive = open(writer.finish());
    EXPECT_LT(archive.file->bytesRead(), 1000U);
}

TEST_F(ZipReader, Class4TruncatedAnywhereIsAnError)
{
    const std::string bytes = twoEntries(true);
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_THAT(error(std::string_view(bytes).substr(0, size)),
                    AllOf(HasSubstr("m.pth"), HasSubstr("download it again")))
            << size;
}

TEST_F(ZipReader, RefusesCompressedAndEncryptedEntries)
{
    test::ZipWriter deflated;
    deflated.method = 8;
    deflated.add("root/a", "hello");
    EXPECT_THAT(entryError(deflated.finish(), "root/a"),
                AllOf(HasSubstr("m.pth"), HasSubstr("is compressed"), HasSubstr("zip -0")));
    test::ZipWriter encrypted;
    encrypted.flags |= 1;
    encrypted.add("root/a", "hello");
    EXPECT_THAT(entryError(encrypted.finish(), "root/a"), HasSubstr("encrypted"));
}

TEST_F(ZipReader, RefusesWhatItsRecordsContradict)
{
    const std::string plain = twoEntries(false);
    const std::string wide = twoEntries(true);
    EXPECT_THAT(error(patched<std::uint16_t>(plain, kEnd, 10, 3)), HasSubstr("several files")); // two counts
    EXPECT_THAT(error(patched<std::uint32_t>(plain, kEnd, 4, 1)), HasSubstr("several files"));
    EXPECT_THAT(error(patched<std::uint32_t>(plain, kEnd, 16, 0x7fffffff)), HasSubstr("table of contents"));
    EXPECT_THAT(error(patched<std::uint32_t>(plain, kEnd, 12, 1)), HasSubstr("table of contents"));
    EXPECT_THAT(error(patched<std::uint32_t>(plain, kEnd, 16, 0xffffffff)), HasSubstr("zip64 record is missing"));
    EXPECT_THAT(error(patched<std::uint32_t>(wide, kEnd, 12, 1)), HasSubstr("contradict"));
    EXPECT_THAT(error(patched<std::uint64_t>(wide, "PK\x06\x07", 8, ~0ULL)), HasSubstr("zip64 record"));
    EXPECT_THAT(error(patched<std::uint64_t>(wide, "PK\x06\x06", 48, ~0ULL)), HasSubstr("contradict"));
    EXPECT_THAT(error(patched<std::uint32_t>(plain, kCentral, 0, 0)), HasSubstr("broken after 1 entries"));
    EXPECT_THAT(error(patched<std::uint16_t>(plain, kCentral, 28, 60000)), HasSubstr("broken after 1 entries"));
    EXPECT_THAT(error(patched<char>(plain, kCentral, 46, '\0')), HasSubstr("impossible name"));
}

TEST_F(ZipReader, Zip64CountsAreCheckedBeforeAllocation)
{
    std::string bytes = twoEntries(true);
    bytes = patched<std::uint64_t>(bytes, "PK\x06\x06", 32, 1ULL << 40);
    bytes = patched<std::uint16_t>(bytes, kEnd, 8, 0xffff);
    bytes = patched<std::uint16_t>(bytes, kEnd, 10, 0xffff);
    EXPECT_THAT(error(bytes), HasSubstr("1099511627776 entries"));
}

TEST_F(ZipReader, RefusesOverlapsAndDuplicates)
{
    const std::string bytes = twoEntries(false);
    EXPECT_THAT(error(patched<std::uint32_t>(bytes, kCentral, 42, 0)), HasSubstr("reaches into")); // both at 0
    EXPECT_THAT(error(patched<std::uint32_t>(bytes, kCentral, 42, 0x7fffffff)), HasSubstr("reaches into"));
    std::string large = patched<std::uint32_t>(bytes, kCentral, 20, 5000);
    EXPECT_THAT(error(patched<std::uint32_t>(large, kCentral, 24, 5000)), HasSubstr("reaches into"));
    test::ZipWriter twice;
    twice.add("a", "1");
    twice.add("a", "2");
    EXPECT_THAT(error(twice.finish()), HasSubstr("two entries named \"a\""));
}

TEST_F(ZipReader, RefusesLocalHeadersThatDisagree)
{
    const std::string bytes = twoEntries(false);
    EXPECT_THAT(entryError(patched<std::uint32_t>(bytes, kLocal, 0, 0), "root/b"), HasSubstr("not the entry"));
    EXPECT_THAT(entryError(patched<char>(bytes, kLocal, 30, 'X'), "root/b"), HasSubstr("not the entry"));
    EXPECT_THAT(entryError(patched<std::uint16_t>(bytes, kLocal, 26, 5), "root/b"), HasSubstr("not the entry"));
    EXPECT_THAT(entryError(patched<std::uint16_t>(bytes, kLocal, 8, 8), "root/b"), HasSubstr("contradicts"));
    EXPECT_THAT(entryError(patched<std::uint32_t>(bytes, kLocal, 22, 1), "root/b"), HasSubstr("contradicts"));
    EXPECT_THAT(entryError(patched<std::uint16_t>(bytes, kLocal, 28, 60000), "root/b"), HasSubstr("reaches into"));
    EXPECT_THAT(entryError(patched<std::uint32_t>(bytes, kCentral, 20, 3), "root/b"), HasSubstr("two sizes"));
}

} // namespace
} // namespace headscope::core
