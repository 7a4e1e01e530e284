// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/zip_reader.h"

#include "core/checkpoint/checked_math.h"
#include "core/checkpoint/little_endian.h"
#include "core/checkpoint/message_text.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace headscope::core {
namespace {

constexpr std::uint32_t kLocalHeader = 0x04034b50;
constexpr std::uint32_t kDirectoryHeader = 0x02014b50;
constexpr std::uint32_t kEnd = 0x06054b50;
constexpr std::uint32_t kZip64End = 0x06064b50;
constexpr std::uint32_t kZip64Locator = 0x07064b50;
constexpr std::size_t kLocalHeaderSize = 30;
constexpr std::size_t kDirectoryHeaderSize = 46;
constexpr std::size_t kEndSize = 22;
constexpr std::size_t kZip64EndSize = 56;
constexpr std::size_t kZip64LocatorSize = 20;
constexpr std::size_t kLongestComment = 0xFFFF;
constexpr std::uint64_t kLargestDirectory = 256ULL << 20; // some two million entries
constexpr std::uint16_t kEncrypted = 1;
constexpr std::uint16_t kSizesFollowData = 8;
constexpr std::uint16_t kZip64Field = 1;
constexpr std::uint32_t kIn64 = 0xFFFFFFFF; // "see the zip64 field"
constexpr std::uint16_t kCountIn64 = 0xFFFF;

using Bytes = std::span<const std::byte>;

[[noreturn]] void fail(const FileBytes& file, std::string_view what)
{
    throw Error(fmt::format("{} is a damaged zip archive: {}; download it again.", shown(file.path()), what));
}

std::string_view asText(Bytes bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

struct Directory {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint64_t entries = 0;
    std::uint64_t end = 0; // where it has to end: the record that follows
};

/// Offset of the end record: the last place whose comment reaches exactly to the end of the file.
std::uint64_t findEndRecord(const FileBytes& file)
{
    const auto search = [&](std::uint64_t tail) -> std::optional<std::uint64_t> {
        const std::uint64_t begin = file.size() - tail;
        const std::vector<std::byte> bytes = file.read(begin, tail);
        for (std::size_t at = bytes.size() - kEndSize + 1; at-- > 0;) {
            if (littleEndian<std::uint32_t>(bytes, at) == kEnd &&
                at + kEndSize + littleEndian<std::uint16_t>(bytes, at + 20) == bytes.size())
                return begin + at;
        }
        return std::nullopt;
    };
    if (file.size() >= kEndSize) {
        if (const auto found = search(kEndSize)) // no comment, as torch.save writes it: nothing else is read
            return *found;
        if (const auto found = search(std::min<std::uint64_t>(file.size(), kEndSize + kLongestComment)))
            return *found;
    }
    throw Error(fmt::format(
        "{} begins like a zip archive (PyTorch file) but has no table of contents at its end: the download was cut "
        "off or bytes were appended; download it again.",
        shown(file.path())));
}

/// What the zip64 record before the end record says; nullopt when there is none. PyTorch writes one whatever the size.
std::optional<Directory> readZip64End(const FileBytes& file, std::uint64_t endOffset)
{
    if (endOffset < kZip64LocatorSize)
        return std::nullopt;
    const std::uint64_t locatorOffset = endOffset - kZip64LocatorSize;
    const std::vector<std::byte> locator = file.read(locatorOffset, kZip64LocatorSize);
    if (littleEndian<std::uint32_t>(locator, 0) != kZip64Locator)
        return std::nullopt;
    const auto recordOffset = littleEndian<std::uint64_t>(locator, 8);
    if (recordOffset > locatorOffset || locatorOffset - recordOffset < kZip64EndSize)
        fail(file, fmt::format("its zip64 record is said to be at {}, behind its end", recordOffset));
    const std::vector<std::byte> record = file.read(recordOffset, kZip64EndSize);
    if (littleEndian<std::uint32_t>(record, 0) != kZip64End)
        fail(file, fmt::format("there is no zip64 record at {}", recordOffset));
    if (littleEndian<std::uint32_t>(record, 16) != 0 || littleEndian<std::uint32_t>(record, 20) != 0)
        fail(file, "it is one part of an archive in several files");
    return Directory{littleEndian<std::uint64_t>(record, 48), littleEndian<std::uint64_t>(record, 40),
                     littleEndian<std::uint64_t>(record, 32), recordOffset};
}

Directory locateDirectory(const FileBytes& file)
{
    const std::uint64_t endOffset = findEndRecord(file);
    const std::vector<std::byte> record = file.read(endOffset, kEndSize);
    const auto entries = littleEndian<std::uint16_t>(record, 10);
    const Directory plain{littleEndian<std::uint32_t>(record, 16), littleEndian<std::uint32_t>(record, 12), entries,
                          endOffset};
    const bool saturated = entries == kCountIn64 || plain.size == kIn64 || plain.offset == kIn64;
    if (!saturated && (littleEndian<std::uint32_t>(record, 4) != 0 || littleEndian<std::uint16_t>(record, 8) != entries))
        fail(file, "it is one part of an archive in several files");
    const std::optional<Directory> wide = readZip64End(file, endOffset);
    if (saturated && !wide)
        fail(file, "its zip64 record is missing");
    if (wide && !saturated && (wide->offset != plain.offset || wide->size != plain.size || wide->entries != plain.entries))
        fail(file, "its two end records contradict each other");
    const Directory directory = wide.value_or(plain);

    const auto end = checkedAdd(directory.offset, directory.size);
    if (!end || *end != directory.end)
        fail(file,
             fmt::format(
                 "its table of contents is said to be {} bytes at {}, which does not end where the next record begins ({})",
                 directory.size, directory.offset, directory.end));
    if (directory.size > kLargestDirectory)
        fail(file, fmt::format("its table of contents has {} bytes, more than a checkpoint needs", directory.size));
    if (directory.entries > directory.size / kDirectoryHeaderSize)
        fail(file,
             fmt::format("{} entries cannot be in a table of contents of {} bytes", directory.entries, directory.size));
    return directory;
}

/// Replaces the fields that say "see zip64" by the values in the extra field, which stand there in this order.
void applyZip64(const FileBytes& file, ZipEntry& entry, Bytes extra)
{
    while (extra.size() >= 4) {
        const auto id = littleEndian<std::uint16_t>(extra, 0);
        const std::size_t length = littleEndian<std::uint16_t>(extra, 2);
        if (length > extra.size() - 4)
            fail(file, "an extra field is longer than its place");
        Bytes values = extra.subspan(4, length);
        extra = extra.subspan(4 + length);
        if (id != kZip64Field)
            continue;
        for (std::uint64_t* field : {&entry.size, &entry.compressedSize, &entry.headerOffset}) {
            if (*field != kIn64)
                continue;
            if (values.size() < 8)
                fail(file, "a zip64 field is too short");
            *field = littleEndian<std::uint64_t>(values, 0);
            values = values.subspan(8);
        }
        return;
    }
}

/// Reads the entry at the beginning of `rest`, adds it, and returns what follows.
Bytes readEntry(ZipArchive& archive, Bytes rest)
{
    const FileBytes& file = *archive.file;
    if (rest.size() < kDirectoryHeaderSize || littleEndian<std::uint32_t>(rest, 0) != kDirectoryHeader)
        fail(file, fmt::format("its table of contents is broken after {} entries", archive.entries.size()));
    const std::size_t nameLength = littleEndian<std::uint16_t>(rest, 28);
    const std::size_t extraLength = littleEndian<std::uint16_t>(rest, 30);
    const std::size_t total = kDirectoryHeaderSize + nameLength + extraLength + littleEndian<std::uint16_t>(rest, 32);
    if (total > rest.size())
        fail(file, fmt::format("its table of contents is broken after {} entries", archive.entries.size()));

    ZipEntry entry;
    entry.flags = littleEndian<std::uint16_t>(rest, 8);
    entry.method = littleEndian<std::uint16_t>(rest, 10);
    entry.compressedSize = littleEndian<std::uint32_t>(rest, 20);
    entry.size = littleEndian<std::uint32_t>(rest, 24);
    entry.headerOffset = littleEndian<std::uint32_t>(rest, 42);
    applyZip64(file, entry, rest.subspan(kDirectoryHeaderSize + nameLength, extraLength));

    const std::string name(asText(rest.subspan(kDirectoryHeaderSize, nameLength)));
    if (name.empty() || name.find('\0') != std::string::npos || !isUtf8(name))
        fail(file, fmt::format("it has an entry with the impossible name {}", quotedName(name)));
    if (!archive.entries.emplace(name, entry).second)
        fail(file, fmt::format("it has two entries named {}", quotedName(name)));
    return rest.subspan(total);
}

/// Every entry has to end before the next begins; remembers where that is.
void checkOverlaps(ZipArchive& archive, std::uint64_t directoryOffset)
{
    std::vector<std::pair<std::string_view, ZipEntry*>> byOffset;
    for (auto& [name, entry] : archive.entries)
        byOffset.emplace_back(name, &entry);
    std::ranges::sort(byOffset, {}, [](const auto& item) { return item.second->headerOffset; });
    for (std::size_t i = 0; i < byOffset.size(); ++i) {
        auto& [name, entry] = byOffset[i];
        entry->limit = i + 1 < byOffset.size() ? byOffset[i + 1].second->headerOffset : directoryOffset;
        const auto dataBegin = checkedAdd(entry->headerOffset, kLocalHeaderSize + name.size());
        const auto dataEnd = dataBegin ? checkedAdd(*dataBegin, entry->compressedSize) : std::nullopt;
        if (!dataEnd || *dataEnd > entry->limit)
            fail(*archive.file, fmt::format("entry {} ({} bytes at {}) reaches into what follows it at {}", quotedName(name),
                                            entry->compressedSize, entry->headerOffset, entry->limit));
    }
}

void requireStored(const FileBytes& file, std::string_view name, const ZipEntry& entry)
{
    if ((entry.flags & kEncrypted) != 0)
        throw Error(fmt::format("{}: {} is encrypted; unpack the archive with its password and save the checkpoint again.",
                                shown(file.path()), quotedName(name)));
    if (entry.method != 0)
        throw Error(fmt::format(
            "{}: {} is compressed (method {}), which torch.save never does; unpack the archive and pack it again "
            "without compression (zip -0 -r).",
            shown(file.path()), quotedName(name), entry.method));
    if (entry.size != entry.compressedSize)
        fail(file,
             fmt::format("stored entry {} has two sizes, {} and {}", quotedName(name), entry.size, entry.compressedSize));
}

} // namespace

const ZipEntry* ZipArchive::find(std::string_view name) const
{
    const auto found = entries.find(name);
    return found == entries.end() ? nullptr : &found->second;
}

ZipArchive readZipDirectory(std::shared_ptr<const FileBytes> file)
{
    ZipArchive archive{std::move(file), {}};
    const Directory directory = locateDirectory(*archive.file);
    const std::vector<std::byte> bytes = archive.file->read(directory.offset, directory.size);
    Bytes rest = bytes;
    for (std::uint64_t i = 0; i < directory.entries; ++i)
        rest = readEntry(archive, rest);
    if (!rest.empty())
        fail(*archive.file,
             fmt::format("{} bytes follow the {} entries of its table of contents", rest.size(), directory.entries));
    checkOverlaps(archive, directory.offset);
    return archive;
}

FileRange storedRange(const ZipArchive& archive, std::string_view name)
{
    const FileBytes& file = *archive.file;
    const ZipEntry* entry = archive.find(name);
    if (entry == nullptr)
        fail(file, fmt::format("entry {} is missing", quotedName(name)));
    requireStored(file, name, *entry);

    const std::vector<std::byte> header = file.read(entry->headerOffset, kLocalHeaderSize + name.size());
    const std::size_t nameLength = littleEndian<std::uint16_t>(header, 26);
    if (littleEndian<std::uint32_t>(header, 0) != kLocalHeader || nameLength != name.size() ||
        asText(Bytes(header).subspan(kLocalHeaderSize)) != name)
        fail(file, fmt::format("at {} there is not the entry {} that its table of contents promises", entry->headerOffset,
                               quotedName(name)));
    const auto flags = littleEndian<std::uint16_t>(header, 6);
    const auto size = littleEndian<std::uint32_t>(header, 22);
    const bool sizeElsewhere = (flags & kSizesFollowData) != 0 || size == kIn64;
    if (littleEndian<std::uint16_t>(header, 8) != 0 || (flags & kEncrypted) != 0 || (!sizeElsewhere && size != entry->size))
        fail(file, fmt::format("the header of entry {} contradicts its table of contents", quotedName(name)));

    const std::uint64_t begin =
        entry->headerOffset + kLocalHeaderSize + nameLength + littleEndian<std::uint16_t>(header, 28);
    if (begin > entry->limit || entry->size > entry->limit - begin)
        fail(file, fmt::format("entry {} ({} bytes at {}) reaches into what follows it at {}", quotedName(name), entry->size,
                               begin, entry->limit));
    return {begin, entry->size};
}

} // namespace headscope::core
