// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/default_matching.h"

#include "core/trace/model_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace headscope::core {
namespace {

bool sameRouter(const Router& a, const Router& b)
{
    return a.address == b.address && a.experts == b.experts && a.chosen == b.chosen && a.gate == b.gate &&
           a.side == b.side && a.sharedWith == b.sharedWith && a.weightsGroup == b.weightsGroup;
}

std::string withoutDigits(std::string name)
{
    std::erase_if(name, [](char letter) { return letter >= '0' && letter <= '9'; });
    return name;
}

/// What a folder of checkpoints looks like: the same place, and names that count steps.
bool besideEachOther(const std::string& a, const std::string& b)
{
    const auto whole = [](const std::string& path) {
        auto result = std::filesystem::absolute(path).lexically_normal();
        return result.has_filename() ? result : result.parent_path(); // "folder/" is "folder"
    };
    const auto first = whole(a);
    const auto second = whole(b);
    return first.parent_path() == second.parent_path() &&
           withoutDigits(first.filename().string()) == withoutDigits(second.filename().string());
}

/// The first hyper-parameter that differs, as a part of a sentence; empty when none does. What the other does not name is
/// not compared: families note what they look at.
std::string differingSetting(const ModelInfo& a, const ModelInfo& b)
{
    for (const Setting& one : a.settings) {
        const auto other = std::find_if(b.settings.begin(), b.settings.end(),
                                        [&one](const Setting& setting) { return setting.name == one.name; });
        if (other != b.settings.end() && other->value != one.value)
            return fmt::format("{} is {} in A and {} in B", one.name, one.value, other->value);
    }
    return {};
}

/// Why the two cannot be of one run, as a part of a sentence; empty when they may be.
std::string whyTwoRuns(const ModelInfo& a, const ModelInfo& b)
{
    if (a.family != b.family)
        return fmt::format("A is of the family {} and B of {}", a.family, b.family);
    if (auto setting = differingSetting(a, b); !setting.empty())
        return setting;
    if (a.vocabulary != b.vocabulary || a.layers != b.layers || a.width != b.width)
        return "A and B have different sizes";
    if (!std::equal(a.routers.begin(), a.routers.end(), b.routers.begin(), b.routers.end(), sameRouter))
        return "A and B have different routers";
    if (!besideEachOther(a.path, b.path))
        return "A and B lie in different folders, or under different names, so that they may be two runs";
    return {};
}

} // namespace

MatchingChoice defaultMatching(const ModelInfo& a, const ModelInfo& b)
{
    const std::string twoRuns = whyTwoRuns(a, b);
    if (twoRuns.empty())
        return {
            Matching::Identity,
            "Experts keep their numbers: A and B have the same hyper-parameters and lie side by side, as two steps of one "
            "run do."};
    return {Matching::Coselection, fmt::format("Experts are matched by what they are chosen for together: {}.", twoRuns)};
}

} // namespace headscope::core
