// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/address_glob.h"

#include "app/cli/printable.h"
#include "core/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fnmatch.h>

#include <algorithm>

namespace headscope::app {

namespace {

constexpr std::size_t mostListed = 8;

/// Names as they may stand in a sentence, the middle of a long list left out.
std::string listed(std::vector<std::string> names)
{
    if (names.size() > mostListed) {
        std::vector<std::string> few(names.begin(), names.begin() + mostListed / 2);
        few.emplace_back("…");
        few.push_back(names.back());
        names = std::move(few);
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

bool matches(const std::string& pattern, const std::string& name)
{
    return pattern == "all" || fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

/// Marks the candidates that any pattern matches. `namesOf` gives the names a candidate answers to.
template<typename Candidate, typename NamesOf>
std::vector<Candidate> select(const std::vector<Candidate>& candidates, const std::vector<std::string>& patterns,
                              std::string_view what, NamesOf namesOf)
{
    std::vector<bool> chosen(candidates.size(), false);
    for (const std::string& pattern : patterns) {
        if (pattern == "none")
            continue;
        bool any = pattern == "all";
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            for (const std::string& name : namesOf(candidates[i])) {
                const bool match = matches(pattern, name);
                chosen[i] = chosen[i] || match;
                any = any || match;
            }
        }
        if (any)
            continue;
        std::vector<std::string> names;
        for (const Candidate& candidate : candidates) {
            if (names.empty() || names.back() != namesOf(candidate).front())
                names.push_back(namesOf(candidate).front());
        }
        if (names.empty())
            throw core::Error(fmt::format("{} matches nothing: this model has no {}.", printable(pattern), what));
        throw core::Error(fmt::format("{} matches none of this model's {}: {}.", printable(pattern), what, listed(std::move(names))));
    }
    std::vector<Candidate> selected;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (chosen[i])
            selected.push_back(candidates[i]);
    }
    return selected;
}

} // namespace

std::vector<core::MapAddress> selectMaps(const core::ModelInfo& info, const std::vector<std::string>& patterns)
{
    std::vector<core::MapAddress> blocks;
    for (const core::MapGroup& group : info.maps)
        blocks.push_back(group.address);
    return select(blocks, patterns, "attention maps",
                  [](const core::MapAddress& address) { return std::vector{address.toString()}; });
}

std::vector<core::RouterAddress> selectRouters(const core::ModelInfo& info, const std::vector<std::string>& patterns)
{
    std::vector<core::RouterAddress> routers;
    for (const core::Router& router : info.routers)
        routers.push_back(router.address);
    return selectRouters(routers, patterns);
}

std::vector<core::RouterAddress> selectRouters(const std::vector<core::RouterAddress>& routers, const std::vector<std::string>& patterns)
{
    return select(routers, patterns, "routers",
                  [](const core::RouterAddress& address) { return std::vector{address.wholeSite().toString(), address.toString()}; });
}

} // namespace headscope::app
