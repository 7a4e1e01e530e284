// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tokenizer/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>

namespace headscope::core {
namespace {

constexpr std::string_view remedy = "give the tokenizer this checkpoint was trained with";

std::string quotedPiece(TokenId id, const Tokenizer* tokenizer)
{
    const std::string piece = tokenizer ? tokenizer->piece(id) : std::string();
    return piece.empty() ? std::string() : fmt::format(" (\"{}\")", piece);
}

std::string tokenizerName(const Tokenizer* tokenizer)
{
    if (!tokenizer)
        return {};
    const std::string name = tokenizer->path().empty() ? tokenizer->description() : tokenizer->path().string();
    return fmt::format(" from {}", name);
}

class WholeTextStream final : public TokenStream
{
public:
    WholeTextStream(const Tokenizer& tokenizer, const TextPolicy& policy, const Progress& progress)
        : m_tokenizer(tokenizer), m_policy(policy), m_progress(progress)
    {
    }
    std::vector<Token> add(std::string_view bytes) override
    {
        m_text += bytes;
        return {};
    }
    std::vector<Token> finish() override { return m_tokenizer.encode(m_text, m_policy, m_progress).tokens; }

private:
    const Tokenizer& m_tokenizer;
    TextPolicy m_policy;
    Progress m_progress;
    std::string m_text;
};

} // namespace

std::unique_ptr<TokenStream> Tokenizer::stream(const TextPolicy& policy, const Progress& progress) const
{
    return std::make_unique<WholeTextStream>(*this, policy, progress);
}

std::string_view toString(TextPolicy::Split split)
{
    return split == TextPolicy::Split::Lines ? "lines" : "whole";
}

std::optional<TextPolicy::Split> textSplitFromString(std::string_view name)
{
    for (const auto split : {TextPolicy::Split::Whole, TextPolicy::Split::Lines})
        if (name == toString(split))
            return split;
    return std::nullopt;
}

TokenizedText tokensFromIds(const std::vector<TokenId>& ids, const Tokenizer* tokenizer, std::int64_t rows)
{
    TokenizedText result;
    result.tokens.reserve(ids.size());
    for (const TokenId id : ids) {
        if (id < 0 || id >= rows)
            throw Error(
                fmt::format("The id {} at place {} is outside the vocabulary of this checkpoint, which has the ids 0 to {}; "
                            "give ids in that range.",
                            id, result.tokens.size(), rows - 1));
        std::string piece = tokenizer ? tokenizer->piece(id) : std::string();
        if (piece.empty())
            piece = std::to_string(id);
        result.tokens.push_back({.id = id,
                                 .piece = std::move(piece),
                                 .span = {},
                                 .special = tokenizer && tokenizer->isSpecial(id),
                                 .group = static_cast<std::int32_t>(result.tokens.size())});
    }
    return result;
}

void requireIdsBelow(const TokenizedText& text, std::int64_t rows, const Tokenizer* tokenizer)
{
    const auto bad = std::find_if(text.tokens.begin(), text.tokens.end(),
                                  [&](const Token& token) { return token.id < 0 || token.id >= rows; });
    if (bad == text.tokens.end())
        return;
    throw Error(fmt::format("Token {} has the id {}{}{}, but this checkpoint has only {} embedding rows; {}.",
                            bad - text.tokens.begin(), bad->id, quotedPiece(bad->id, tokenizer), tokenizerName(tokenizer),
                            rows, remedy));
}

} // namespace headscope::core
