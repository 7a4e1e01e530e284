// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/sample_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace headscope::samples {

namespace {

/// Bytes of the character at `at`, by its first byte.
std::size_t characterSize(std::string_view text, std::size_t at)
{
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    return std::min(size, text.size() - at);
}

core::TokenId idOf(std::string_view piece)
{
    std::uint32_t hash = 2166136261U;
    for (const char byte : piece)
        hash = (hash ^ static_cast<unsigned char>(byte)) * 16777619U;
    return static_cast<core::TokenId>(300 + hash % 3700);
}

class Cutter
{
public:
    explicit Cutter(std::string_view text)
    {
        m_result.text = text;
        add("<s>", {0, 0}, 1);
        m_result.tokens.back().special = true;
    }

    core::TokenizedText cut()
    {
        const std::string_view text = m_result.text;
        std::size_t at = 0;
        while (at < text.size()) {
            const bool spaceBeforeWord =
                text[at] == ' ' && at + 1 < text.size() && text[at + 1] != ' ' && text[at + 1] != '\n';
            if (spaceBeforeWord || (text[at] != ' ' && text[at] != '\n'))
                at = word(at);
            else
                gap(at++);
        }
        if (m_result.text.empty())
            m_result.tokens.clear();
        return std::move(m_result);
    }

private:
    void add(std::string piece, core::ByteRange span, core::TokenId id)
    {
        m_result.tokens.push_back({id, std::move(piece), span, false, m_group++});
    }

    void gap(std::size_t at)
    {
        if (!m_result.gaps.empty() && m_result.gaps.back().end == at)
            ++m_result.gaps.back().end;
        else
            m_result.gaps.push_back({at, at + 1});
    }

    /// One word from `at` (perhaps its leading space); returns where it ends.
    std::size_t word(std::size_t at)
    {
        const std::string_view text = m_result.text;
        const std::size_t begin = at;
        std::size_t characters = 0;
        if (text[at] == ' ')
            ++at;
        while (at < text.size() && text[at] != ' ' && text[at] != '\n' && characters < 7) {
            const auto size = characterSize(text, at);
            if (size == 4) {
                if (at > begin)
                    piece({begin, at});
                bytes({at, at + size});
                return at + size;
            }
            at += size;
            ++characters;
        }
        piece({begin, at});
        return at;
    }

    void piece(core::ByteRange span)
    {
        std::string spelling = m_result.text.substr(span.begin, span.size());
        if (spelling.front() == ' ')
            spelling.replace(0, 1, "\u2581");
        const auto id = idOf(spelling);
        add(std::move(spelling), span, id);
    }

    void bytes(core::ByteRange span)
    {
        const auto group = m_group;
        for (std::size_t at = span.begin; at < span.end; ++at) {
            const int byte = static_cast<unsigned char>(m_result.text[at]);
            const bool last = at + 1 == span.end;
            add(fmt::format("<0x{:02X}>", byte), last ? span : core::ByteRange{span.begin, span.begin}, 3 + byte);
            m_result.tokens.back().group = group;
        }
        m_group = group + 1;
    }

    core::TokenizedText m_result;
    std::int32_t m_group = 0;
};

} // namespace

std::string text()
{
    return "\"To be sure, Lizzy,\" said her aunt, \"he is not so handsome as Wickham;  or, rather, he has not "
           "Wickham's countenance, for his features are perfectly good.\"\n"
           "Caf\u00e9 na\u00efve \U0001F600 \u05e9\u05dc\u05d5\u05dd and then\u2014at last\u2014a second line.";
}

std::string longText(int tokens)
{
    constexpr std::array words = {"the",   "aunt", "was",    "a",    "router", "of",  "heads",  "and",  "every", "token",
                                  "chose", "its",  "expert", "with", "some",   "odd", "margin", "that", "kept",  "us"};
    std::string result;
    std::uint32_t state = 12345;
    for (int token = 1; token < tokens; ++token) {
        state = state * 1664525U + 1013904223U;
        if (!result.empty())
            result += token % 97 == 0 ? '\n' : ' ';
        result += words[(state >> 16) % words.size()];
    }
    return result;
}

core::TokenizedText tokenize(std::string_view text)
{
    return Cutter(text).cut();
}

} // namespace headscope::samples
