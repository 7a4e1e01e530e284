// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tokenizer/tokenizer.h"

#include <fmt/format.h>

#include <charconv>

namespace headscope::core {
namespace {

constexpr std::string_view separators = " \t\r\n,;[]";

/// A word as an error sentence shows it: not longer than a glance.
std::string shown(std::string_view word)
{
    constexpr std::size_t most = 40;
    return word.size() <= most ? std::string(word) : std::string(word.substr(0, most)) + "…";
}

class IdListTokenizer final : public Tokenizer
{
public:
    explicit IdListTokenizer(std::int64_t size) : m_size(size) {}

    TokenizedText encode(std::string_view text, const TextPolicy&, const Progress& progress) const override
    {
        TokenizedText result{.text = std::string(text), .tokens = {}, .gaps = {}};
        std::size_t place = 0;
        while (place < text.size()) {
            progress.checkpoint();
            const std::size_t begin = text.find_first_not_of(separators, place);
            const std::size_t gapEnd = begin == std::string_view::npos ? text.size() : begin;
            if (gapEnd > place)
                result.gaps.push_back({place, gapEnd});
            if (begin == std::string_view::npos)
                break;
            const std::size_t found = text.find_first_of(separators, begin);
            place = found == std::string_view::npos ? text.size() : found;
            const TokenId id = parse(text.substr(begin, place - begin));
            result.tokens.push_back({.id = id,
                                     .piece = std::to_string(id),
                                     .span = {begin, place},
                                     .special = false,
                                     .group = static_cast<std::int32_t>(result.tokens.size())});
        }
        return result;
    }

    std::int64_t size() const override { return m_size; }
    std::string piece(TokenId id) const override { return id >= 0 && id < m_size ? std::to_string(id) : std::string(); }
    bool isSpecial(TokenId) const override { return false; }
    std::string description() const override { return fmt::format("no tokenizer, ids 0 to {}", m_size - 1); }
    std::filesystem::path path() const override { return {}; }

private:
    TokenId parse(std::string_view word) const
    {
        TokenId id = -1;
        const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), id);
        if (problem != std::errc() || end != word.data() + word.size() || id < 0 || id >= m_size)
            throw Error(fmt::format("\"{}\" is not an id from 0 to {}; without a tokenizer the text must be a list of ids "
                                    "such as \"15 126, 157\", "
                                    "or give the tokenizer file of this checkpoint.",
                                    shown(word), m_size - 1));
        return id;
    }

    std::int64_t m_size;
};

} // namespace

std::shared_ptr<const Tokenizer> makeIdListTokenizer(std::int64_t size)
{
    return std::make_shared<IdListTokenizer>(size);
}

} // namespace headscope::core
