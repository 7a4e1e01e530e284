// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/info_text.h"

#include "app/cli/printable.h"
#include "app/cli/table.h"
#include "core/export/trace_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>

namespace headscope::app {

namespace {

constexpr const char* indent = "  ";

std::string grouped(std::int64_t number)
{
    std::string digits = std::to_string(number);
    for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), ",");
    return digits;
}

std::string bytes(std::int64_t count)
{
    static constexpr std::array units{"bytes", "kB", "MB", "GB", "TB"};
    std::size_t unit = 0;
    auto value = static_cast<double>(count);
    for (; value >= 1000 && unit + 1 < units.size(); ++unit)
        value /= 1000;
    return unit == 0 ? fmt::format("{} bytes", count) : fmt::format("{:.1f} {}", value, units[unit]);
}

std::string visibility(const core::Visibility& visibility)
{
    std::string text = visibility.causal ? "a token sees itself and what is before it" : "a token sees the whole text";
    if (visibility.segment > 0 && visibility.segmentsBack == 0)
        text += fmt::format(", inside segments of {} tokens", visibility.segment);
    else if (visibility.segment > 0)
        text += fmt::format(", inside segments of {} tokens and the {} before", visibility.segment,
                            visibility.segmentsBack == 1 ? std::string("one") : std::to_string(visibility.segmentsBack));
    if (visibility.sameLength)
        text += ", of the oldest one from its own place in the segment on";
    return text;
}

std::string textPolicy(const core::TextPolicy& policy)
{
    std::string text = policy.split == core::TextPolicy::Split::Lines ? "every line on its own" : "in one piece";
    text += policy.addBos ? ", with BOS" : ", no BOS";
    text += policy.addEos ? ", with EOS" : ", no EOS";
    return policy.documentSeparator.empty() ? text : fmt::format("{}; documents of a corpus end with {}", text, policy.documentSeparator);
}

/// Routers that differ in nothing but their layer and head are one line.
struct RouterGroup {
    core::Router first;
    int lastDepth = 0;
    int layers = 1;
    int heads = 0; // of a layer; 0 where the site has one router

    bool sameKind(const core::Router& router) const
    {
        const core::RouterAddress& a = first.address;
        const core::RouterAddress& b = router.address;
        return a.stack == b.stack && a.block == b.block && a.site == b.site && first.legend() == router.legend() &&
               first.sharedWith.has_value() == router.sharedWith.has_value();
    }
};

std::vector<RouterGroup> groupsOf(const std::vector<core::Router>& routers)
{
    std::vector<RouterGroup> groups;
    for (const core::Router& router : routers) {
        auto group = std::find_if(groups.begin(), groups.end(), [&](const RouterGroup& g) { return g.sameKind(router); });
        if (group == groups.end()) {
            groups.push_back({.first = router, .lastDepth = router.address.depth});
            group = groups.end() - 1;
        }
        if (router.address.depth != group->lastDepth) {
            group->lastDepth = router.address.depth;
            ++group->layers;
        }
        if (router.address.head)
            group->heads = std::max(group->heads, *router.address.head + 1);
    }
    return groups;
}

std::string addressOf(const RouterGroup& group)
{
    core::RouterAddress address = group.first.address.wholeSite();
    const std::string one = address.toString();
    const std::string depth = std::to_string(address.depth);
    if (group.layers == 1)
        return one;
    // "layers.0.self.v" with the depth replaced by a range
    const std::string marker = "layers.";
    const std::size_t at = one.find(marker) + marker.size();
    const bool dense = group.layers == group.lastDepth - address.depth + 1;
    const std::string range = fmt::format("{}{}{}", address.depth, dense ? "–" : "…", group.lastDepth);
    return one.substr(0, at) + range + one.substr(at + depth.size());
}

void printRouters(std::ostream& out, const std::vector<core::Router>& routers)
{
    out << "\nRouters: " << (routers.empty() ? std::string("none, this model is dense") : grouped(static_cast<std::int64_t>(routers.size())))
        << '\n';
    Table table({{""}, {""}, {""}});
    for (const RouterGroup& group : groupsOf(routers)) {
        std::string legend = group.first.legend();
        if (group.first.sharedWith)
            legend += fmt::format("; the decision of {}", core::toString(group.first.sharedWith->site));
        table.add({addressOf(group), group.heads > 0 ? fmt::format("{} heads", group.heads) : "", legend});
    }
    table.print(out, indent);
}

void printSizes(std::ostream& out, const core::ModelInfo& info)
{
    Table table({{""}, {""}});
    table.add({"family", info.family});
    table.add({"file", fmt::format("{}, {} of model tensors", info.container, bytes(info.modelBytes))});
    table.add({"parameters", grouped(info.parameters)});
    table.add({"layers", fmt::format("{}, width {}, {} heads of {}", info.layers, info.width, info.heads, info.headWidth)});
    table.add({"vocabulary", grouped(info.vocabulary)});
    table.add({"positions", info.positions});
    table.add({"norm", info.norm});
    table.add({"attention", visibility(info.visibility)});
    table.add({"tokenizer", info.tokenizer.empty() ? "none found; texts are given by ids" : printable(info.tokenizer)});
    table.add({"text", textPolicy(info.textPolicy)});
    table.print(out, indent);
}

void printSettings(std::ostream& out, const std::vector<core::Setting>& settings)
{
    if (settings.empty())
        return;
    out << "\nHyper-parameters\n";
    Table table({{""}, {""}, {""}});
    for (const core::Setting& setting : settings) {
        std::string source = "from " + printable(setting.source);
        if (!setting.overrode.empty())
            source += fmt::format(", instead of {}", printable(setting.overrode));
        if (setting.unconfirmed)
            source += "; not confirmed by the weights";
        table.add({printable(setting.name), printable(setting.value), source});
    }
    table.print(out, indent);
}

} // namespace

void printInfo(std::ostream& out, const core::ModelInfo& info)
{
    out << fmt::format("{}: {}\n", printable(core::modelName(info)), info.variant);
    printSizes(out, info);
    printRouters(out, info.routers);
    printSettings(out, info.settings);
}

} // namespace headscope::app
