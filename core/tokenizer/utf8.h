// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core {

/// Bytes at the beginning of `text`: one character of valid UTF-8, or the longest part of one that something invalid
/// interrupts (Unicode's "maximal subpart", what decoders replace by one U+FFFD). `text` is not empty.
struct Utf8Step {
    std::size_t size = 1;
    bool valid = false;
};
Utf8Step utf8Step(std::string_view text);

/// The code point of a valid character of `size` bytes.
char32_t utf8CodePoint(std::string_view character);

/// A text in which every invalid part is U+FFFD, and the way back to the bytes it came from.
class ValidUtf8
{
public:
    explicit ValidUtf8(std::string_view text);

    std::string_view text() const { return m_repairs.empty() ? m_original : m_repaired; }

    /// Walks from places in text() to places in the original; the places must not decrease and must lie between characters.
    class Walk
    {
    public:
        explicit Walk(const ValidUtf8& text) : m_text(&text) {}
        std::size_t original(std::size_t place);

    private:
        const ValidUtf8* m_text;
        std::size_t m_next = 0; // the first repair that is not behind us
        std::size_t m_from = 0; // after the last repair behind us, in text()
        std::size_t m_to = 0;   // the same place in the original
    };

private:
    struct Repair {
        std::size_t place = 0; // of the U+FFFD in text()
        std::size_t size = 0;  // of the invalid part of the original
    };

    std::string_view m_original;
    std::string m_repaired;
    std::vector<Repair> m_repairs;
};

} // namespace headscope::core
