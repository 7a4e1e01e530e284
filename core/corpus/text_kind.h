// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace headscope::core {

/// How much of a file says what it is.
inline constexpr std::size_t sniffedTextBytes = 1U << 16;

/// What a file is that is no text, by its first bytes (unpacked, if it is packed): the sentence goes on after "FILE is ". nullopt for text: a
/// few bytes that are not UTF-8, and NULs here and there, are legal.
std::optional<std::string> whatInsteadOfText(std::string_view head);

/// Whether every line is a JSON object, by the name: .jsonl, .ndjson and .json, also packed (.gz, .zst).
bool isNamedAsJson(const std::filesystem::path& path);

/// The byte-order mark of UTF-8, which belongs to a file and not to its text.
inline constexpr std::string_view byteOrderMark = "\xEF\xBB\xBF";
inline std::string_view withoutByteOrderMark(std::string_view text)
{
    return text.starts_with(byteOrderMark) ? text.substr(byteOrderMark.size()) : text;
}

/// Counts bytes that are not UTF-8 in a text that arrives in pieces.
class InvalidBytes
{
public:
    void add(std::string_view bytes);
    /// Of all that was added; the text has ended.
    std::uint64_t finish();

private:
    std::string m_partial;
    std::uint64_t m_count = 0;
};

} // namespace headscope::core
