// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace headscope::core {

/// Cuts a text that arrives in pieces into runs of white space, of punctuation (Unicode general category P) and of everything else: words.
/// Symbols and what is no valid UTF-8 belong to words. A default-ignorable character (word_key.h) is no border and begins nothing: it belongs to
/// what stands before it. Used by one thread.
class TextRuns
{
public:
    /// A word is known by its first so many bytes; then it ends in "…".
    static constexpr std::size_t mostWordBytes = 1024;

    enum class Kind : std::uint8_t { Space, Punctuation, Word };
    struct Run {
        Kind kind = Kind::Space;
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
        std::string word; // its bytes without ignorable characters at the end; empty for the other kinds
    };

    void add(std::string_view bytes);
    /// The text has ended.
    void finish();

    /// Runs are known up to here.
    std::uint64_t known() const { return m_known; }
    /// The run of the first byte in [begin, end) that is not white space; nullptr when there is none. `end` is known, and begin is not below
    /// that of an earlier question. Valid until the next call.
    const Run* firstIn(std::uint64_t begin, std::uint64_t end);

private:
    void take(Kind kind, std::string_view character);
    void takeIgnorable(std::string_view character);
    void close();

    std::deque<Run> m_runs; // closed ones that may be asked for
    Run m_open;
    std::string m_partial;  // the beginning of a character
    std::string m_ignorable; // characters that belong to the open word if it goes on
    std::uint64_t m_known = 0;
    std::uint64_t m_end = 0; // of what has been taken
};

} // namespace headscope::core
