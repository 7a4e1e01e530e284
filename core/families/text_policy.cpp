// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/families/text_policy.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace headscope::core {
namespace {

std::string lowerCase(std::string_view text)
{
    std::string result(text);
    std::transform(result.begin(), result.end(), result.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return result;
}

struct DataSet {
    std::string_view name; // how the task's name and the folder in the cache begin
    TextPolicy policy;
};

/// nullptr when the name begins like none that is known.
const DataSet* find(std::string_view name)
{
    static const std::array dataSets{
        DataSet{"wikitext", {.split = TextPolicy::Split::Lines}},
        DataSet{"c4", {.documentSeparator = "<STORY_SEP>"}},
        DataSet{"pes2o", {.documentSeparator = "<STORY_SEP>"}},
        DataSet{"slimpajama", {.documentSeparator = "<STORY_SEP>"}},
        DataSet{"thestack", {}},
        DataSet{"enwik8", {}},
    };
    const auto lower = lowerCase(name);
    const auto found = std::find_if(dataSets.begin(), dataSets.end(), [&](const DataSet& set) { return lower.starts_with(set.name); });
    return found == dataSets.end() ? nullptr : &*found;
}

} // namespace

TextPolicy trainingTextPolicy(std::string_view task, const std::filesystem::path& tokenizer)
{
    if (const auto* known = find(task))
        return known->policy;
    // cache/DATASET/HASH/tokenizer…
    if (const auto* known = find(tokenizer.parent_path().parent_path().filename().string()))
        return known->policy;
    return {};
}

bool isByteTask(std::string_view task) { return lowerCase(task).starts_with("enwik8"); }

} // namespace headscope::core
