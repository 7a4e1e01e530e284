// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/text_kind.h"

#include "core/tokenizer/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace headscope::core {
namespace {

using namespace std::string_view_literals;

struct Magic {
    std::size_t offset;
    std::string_view bytes;
    std::string_view what;
};

constexpr std::string_view unpack = "; unpack it and give the text files";
constexpr std::string_view extract = "; give its text as a text file";

constexpr std::array magics{
    Magic{0, "version https://git-lfs"sv, "a Git LFS pointer, not the text itself (\"git lfs pull\" downloads it)"},
    Magic{0, "PK\x03\x04"sv, "a ZIP archive (or a PyTorch file, or a document of an office program)"},
    Magic{0, "PK\x05\x06"sv, "an empty ZIP archive"},
    Magic{0, "\x1f\x8b"sv, "packed with gzip twice"},
    Magic{0, "\x28\xb5\x2f\xfd"sv, "packed with zstd twice"},
    Magic{0,
          "\xfd"
          "7zXZ\0"sv,
          "packed with xz"},
    Magic{0, "BZh"sv, "packed with bzip2"},
    Magic{0, "7z\xbc\xaf\x27\x1c"sv, "a 7-Zip archive"},
    Magic{0, "Rar!\x1a"sv, "a RAR archive"},
    Magic{0, "\x04\x22\x4d\x18"sv, "packed with lz4"},
    Magic{257, "ustar"sv, "a tar archive"},
    Magic{0, "PAR1"sv, "a Parquet table"},
    Magic{0, "ARROW1"sv, "an Arrow table"},
    Magic{0, "%PDF-"sv, "a PDF document"},
    Magic{0, "{\\rtf"sv, "an RTF document"},
    Magic{0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "a document of an office program"},
    Magic{0, "SQLite format 3\0"sv, "an SQLite database"},
    Magic{0, "\x89HDF\r\n\x1a\n"sv, "an HDF5 file"},
    Magic{0, "\x93NUMPY"sv, "a NumPy array"},
    Magic{0, "\x89PNG"sv, "a picture"},
    Magic{0, "\xff\xd8\xff"sv, "a picture"},
    Magic{0, "GIF8"sv, "a picture"},
    Magic{0,
          "\x7f"
          "ELF"sv,
          "a program"},
    Magic{0, "GGUF"sv, "a GGUF file of weights"},
};

bool isPacked(std::string_view what)
{
    return what.starts_with("packed") || what.find("archive") != what.npos;
}

/// UTF-16 and UTF-32 by their marks, or by every other byte being NUL.
std::optional<std::string> otherEncoding(std::string_view head)
{
    const auto is = [](std::string_view name) {
        return fmt::format("text in {}; convert it to UTF-8 (iconv -f {} -t UTF-8)", name, name);
    };
    if (head.starts_with("\xff\xfe\0\0"sv) || head.starts_with("\0\0\xfe\xff"sv))
        return is("UTF-32");
    if (head.starts_with("\xff\xfe"sv) || head.starts_with("\xfe\xff"sv))
        return is("UTF-16");
    if (head.size() < 8)
        return std::nullopt;
    std::array<std::size_t, 4> nuls{};
    for (std::size_t i = 0; i < head.size(); ++i)
        nuls[i % 4] += head[i] == '\0' ? 1 : 0;
    const std::size_t most = head.size() / 4 * 9 / 10;
    const auto full = [&](std::size_t place) { return nuls[place] >= most; };
    if ((full(1) && full(2) && full(3)) || (full(0) && full(1) && full(2)))
        return is("UTF-32");
    if ((full(1) && full(3) && !full(0) && !full(2)) || (full(0) && full(2) && !full(1) && !full(3)))
        return is(full(1) ? "UTF-16LE" : "UTF-16BE");
    return std::nullopt;
}

/// A length, then a JSON object: safetensors, with the weights behind it.
bool isSafetensors(std::string_view head)
{
    return head.size() > 9 && head[8] == '{' && head.substr(4, 4) == "\0\0\0\0"sv;
}

/// Pickles of torch.save and others.
bool isPickle(std::string_view head)
{
    return head.size() > 2 && head[0] == '\x80' && head[1] >= 2 && head[1] <= 5;
}

/// Bytes that are no part of a text: not UTF-8, or a control character that no text has.
std::size_t strangeBytes(std::string_view head)
{
    constexpr std::string_view usual = "\t\n\v\f\r\b\x1b\x1a";
    std::size_t count = 0;
    for (std::size_t place = 0; place < head.size();) {
        const Utf8Step step = utf8Step(head.substr(place));
        const bool isCut = place + step.size == head.size() && step.size < 4; // by the end of what is at hand
        const char first = head[place];
        const bool isControl = step.size == 1 && static_cast<unsigned char>(first) < 0x20 && usual.find(first) == usual.npos;
        if ((!step.valid && !isCut) || isControl)
            count += step.size;
        place += step.size;
    }
    return count;
}

} // namespace

std::optional<std::string> whatInsteadOfText(std::string_view head)
{
    for (const Magic& magic : magics)
        if (head.size() >= magic.offset && head.substr(magic.offset).starts_with(magic.bytes))
            return fmt::format("{}{}", magic.what,
                               magic.bytes.starts_with("version") ? ""
                               : isPacked(magic.what)             ? unpack
                                                                  : extract);
    if (auto encoding = otherEncoding(head))
        return encoding;
    if (isSafetensors(head) || isPickle(head))
        return "a file of weights or other data, no text";
    // Text in an old encoding of one byte a letter has fewer of these where the letters are Latin; random bytes have more
    // than half.
    constexpr std::size_t enough = 16;
    if (head.size() >= enough && strangeBytes(head) * 10 > head.size() * 3)
        return "no text in UTF-8 (three of ten bytes, or more, are none); convert it to UTF-8 if it is text in another "
               "encoding";
    return std::nullopt;
}

bool isNamedAsJson(const std::filesystem::path& path)
{
    std::filesystem::path name = path.filename();
    if (name.extension() == ".gz" || name.extension() == ".zst" || name.extension() == ".zstd")
        name = name.stem();
    return name.extension() == ".jsonl" || name.extension() == ".ndjson" || name.extension() == ".json";
}

void InvalidBytes::add(std::string_view bytes)
{
    std::string joined;
    if (!m_partial.empty()) {
        joined = std::exchange(m_partial, {});
        joined += bytes;
        bytes = joined;
    }
    constexpr std::size_t longestCharacter = 4;
    while (!bytes.empty()) {
        const Utf8Step step = utf8Step(bytes);
        if (!step.valid && step.size == bytes.size() && bytes.size() < longestCharacter) { // what follows may complete it
            m_partial = bytes;
            return;
        }
        m_count += step.valid ? 0 : step.size;
        bytes.remove_prefix(step.size);
    }
}

std::uint64_t InvalidBytes::finish()
{
    m_count += std::exchange(m_partial, {}).size();
    return std::exchange(m_count, 0);
}

} // namespace headscope::core
