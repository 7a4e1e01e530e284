// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/unit_decisions.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace headscope::core {
namespace {

/// Where the decisions of a token lie.
struct Place {
    const SiteRouting& site;
    std::int64_t token;
};

Place placeOf(const SiteDecisions& decisions, std::size_t token)
{
    const auto first = static_cast<std::size_t>(decisions.parts[0]->tokens);
    return token < first ? Place{*decisions.parts[0], static_cast<std::int64_t>(token)}
                         : Place{*decisions.parts[1], static_cast<std::int64_t>(token - first)};
}

} // namespace

UnitTokens unitTokens(const TokenizedText& text, const std::vector<AlignedUnit>& units, TokenRange AlignedUnit::*side,
                      std::size_t offset)
{
    UnitTokens result;
    for (const AlignedUnit& unit : units) {
        std::size_t bytes = 0;
        for (std::size_t token = (unit.*side).first; token < (unit.*side).last; ++token)
            if (!text.tokens[token].special) {
                result.token.push_back(offset + token);
                bytes += text.tokens[token].span.size();
            }
        const std::size_t members = result.token.size() - result.first.back();
        for (std::size_t i = result.first.back(); i < result.token.size(); ++i)
            result.share.push_back(bytes == 0 ? 1 / static_cast<double>(members)
                                              : static_cast<double>(text.tokens[result.token[i] - offset].span.size()) /
                                                    static_cast<double>(bytes));
        result.first.push_back(result.token.size());
    }
    return result;
}

std::span<const std::int32_t> SiteDecisions::experts(std::size_t token, int head) const
{
    const Place place = placeOf(*this, token);
    return std::span(place.site.experts)
        .subspan(place.site.slot(place.token, head, 0), static_cast<std::size_t>(place.site.router.chosen));
}

std::span<const float> SiteDecisions::gates(std::size_t token, int head) const
{
    const Place place = placeOf(*this, token);
    return std::span(place.site.gates)
        .subspan(place.site.slot(place.token, head, 0), static_cast<std::size_t>(place.site.router.chosen));
}

UnitDecisions unitDecisions(const SiteDecisions& site, int head, const UnitTokens& tokens)
{
    UnitDecisions result;
    result.experts = site.router().experts;
    result.chosen = site.router().chosen;
    result.first.reserve(tokens.units() + 1);
    const std::size_t most = tokens.token.size() * static_cast<std::size_t>(result.chosen);
    result.expert.reserve(most);
    result.share.reserve(most);
    result.gate.reserve(most);
    std::vector<std::size_t> entryOf(static_cast<std::size_t>(result.experts),
                                     0); // where an expert's entry in this unit is, from 1; or before it
    for (std::size_t unit = 0; unit < tokens.units(); ++unit) {
        const std::size_t begin = result.expert.size();
        for (std::size_t member = tokens.first[unit]; member < tokens.first[unit + 1]; ++member) {
            const std::size_t token = tokens.token[member];
            const double share = tokens.share[member];
            const auto experts = site.experts(token, head);
            const auto gates = site.gates(token, head);
            for (std::size_t slot = 0; slot < experts.size(); ++slot) {
                auto& entry = entryOf[static_cast<std::size_t>(experts[slot])];
                if (entry <= begin) {
                    result.expert.push_back(experts[slot]);
                    result.share.push_back(0);
                    result.gate.push_back(0);
                    entry = result.expert.size();
                }
                result.share[entry - 1] += share;
                result.gate[entry - 1] += share * static_cast<double>(gates[slot]);
            }
        }
        result.first.push_back(result.expert.size());
    }
    return result;
}

TypeShuffle::TypeShuffle(std::span<const TokenId> ids, std::span<const std::size_t> used) : m_tokens(ids.size())
{
    std::map<TokenId, std::vector<std::size_t>> byId;
    for (const std::size_t token : used)
        byId[ids[token]].push_back(token);
    for (auto& [id, tokens] : byId)
        m_occurrences.push_back(std::move(tokens));
}

std::vector<std::size_t> TypeShuffle::draw(SeededRandom& random) const
{
    std::vector<std::size_t> source(m_tokens);
    std::iota(source.begin(), source.end(), std::size_t{0});
    std::vector<std::size_t> types(m_occurrences.size());
    std::iota(types.begin(), types.end(), std::size_t{0});
    random.shuffle(std::span(types));
    for (std::size_t type = 0; type < types.size(); ++type) {
        const auto& taken = m_occurrences[types[type]];
        for (const std::size_t token : m_occurrences[type])
            source[token] = taken[static_cast<std::size_t>(random.below(taken.size()))];
    }
    return source;
}

UnitTokens replaced(const UnitTokens& tokens, std::span<const std::size_t> source)
{
    UnitTokens result = tokens;
    for (std::size_t& token : result.token)
        token = source[token];
    return result;
}

} // namespace headscope::core
