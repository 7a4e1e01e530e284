// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/nearest_word.h"

#include <algorithm>
#include <vector>

namespace headscope::app {

namespace {

/// Damerau and Levenshtein's distance (restricted: what was exchanged is not touched again).
std::size_t distance(std::string_view a, std::string_view b)
{
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[a.size()][b.size()];
}

} // namespace

std::optional<std::string> nearestWord(std::string_view given, std::span<const std::string_view> words)
{
    constexpr std::size_t longest = 40; // a path is no slip of the fingers
    if (given.empty() || given.size() > longest)
        return std::nullopt;
    std::optional<std::string> nearest;
    std::size_t fewest = 0;
    for (const std::string_view word : words) {
        const bool begins = given.size() >= 3 && word.starts_with(given);
        const std::size_t changes = begins ? 1 : distance(given, word);
        if (changes <= std::max<std::size_t>(1, word.size() / 3) && (!nearest || changes < fewest)) {
            nearest = word;
            fewest = changes;
        }
    }
    return nearest;
}

} // namespace headscope::app
