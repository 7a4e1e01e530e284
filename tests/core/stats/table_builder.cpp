// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/stats/table_builder.h"

#include <map>
#include <string>
#include <utility>

namespace headscope::core::testing {

namespace {

struct Document {
    double positions = 0;
    std::map<std::uint32_t, double> tokens;
    std::map<std::uint32_t, double> experts;
};

void addExpected(RouterTable& table, const std::map<std::uint32_t, Document>& documents)
{
    table.expected.assign(table.rowCounts.size() * static_cast<std::size_t>(table.experts), 0);
    for (const auto& [number, document] : documents) {
        for (const auto& [token, count] : document.tokens) {
            for (const auto& [expert, chosen] : document.experts)
                table.expected[token * static_cast<std::size_t>(table.experts) + expert] +=
                    count * chosen / document.positions;
        }
    }
}

} // namespace

RouterTable tableOf(const std::vector<Decision>& decisions, std::uint32_t tokens, int experts, int groups)
{
    RouterTable table;
    table.router = "layers.0.self.v.h0";
    table.members = {table.router};
    table.experts = experts;
    table.chosen = decisions.empty() ? 1 : static_cast<int>(decisions.front().experts.size());
    table.positions = static_cast<std::int64_t>(decisions.size());
    table.rowCounts.assign(tokens, 0);
    table.selections.assign(static_cast<std::size_t>(experts), 0);
    table.gateMass.assign(static_cast<std::size_t>(experts), 0);
    RowNames names;
    for (std::uint32_t token = 0; token < tokens; ++token)
        names.push_back({static_cast<TokenId>(100 + token), "t" + std::to_string(token)});
    table.rows = std::make_shared<const RowNames>(std::move(names));

    std::map<std::uint32_t, Document> documents;
    std::map<std::pair<std::uint32_t, std::uint32_t>, TablePair> pairs;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::map<std::uint32_t, std::int64_t>> grouped;
    for (const Decision& decision : decisions) {
        Document& document = documents[decision.document];
        ++document.positions;
        ++document.tokens[decision.token];
        ++table.rowCounts[decision.token];
        for (std::size_t slot = 0; slot < decision.experts.size(); ++slot) {
            const std::uint32_t expert = decision.experts[slot];
            const double gate = decision.gates.empty() ? 1 : decision.gates[slot];
            ++document.experts[expert];
            ++table.selections[expert];
            table.gateMass[expert] += gate;
            TablePair& pair = pairs[{decision.token, expert}];
            pair.row = decision.token;
            pair.expert = expert;
            ++pair.count;
            pair.gateMass += gate;
            if (groups > 0)
                ++grouped[{decision.token, expert}][decision.document % static_cast<std::uint32_t>(groups)];
        }
    }
    table.documents = static_cast<std::int64_t>(documents.size());
    addExpected(table, documents);
    table.groups.groups = groups;
    table.groups.documents.assign(static_cast<std::size_t>(groups), 0);
    for (const auto& [number, document] : documents) {
        if (groups > 0)
            ++table.groups.documents[number % static_cast<std::uint32_t>(groups)];
    }
    for (const auto& [key, pair] : pairs) {
        table.pairs.push_back(pair);
        if (groups == 0)
            continue;
        table.groups.first.push_back(table.groups.counts.size());
        for (const auto& [group, count] : grouped[key])
            table.groups.counts.push_back({group, count});
    }
    table.groups.first.push_back(table.groups.counts.size());
    return table;
}

} // namespace headscope::core::testing
