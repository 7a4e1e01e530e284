// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/preferences.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope::core {

namespace {

double dot(std::span<const float> a, std::span<const float> b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
}

} // namespace

std::vector<std::vector<Preference>> preferences(std::span<const float> scores, int experts, std::size_t top)
{
    const auto e = static_cast<std::size_t>(experts);
    const std::size_t tokens = scores.size() / e;
    std::vector<float> means(tokens);
    for (std::size_t token = 0; token < tokens; ++token) {
        double sum = 0;
        for (std::size_t expert = 0; expert < e; ++expert)
            sum += scores[token * e + expert];
        means[token] = static_cast<float>(sum / experts);
    }
    std::vector<std::vector<Preference>> lists(e);
    std::vector<Preference> all(tokens);
    for (std::size_t expert = 0; expert < e; ++expert) {
        for (std::size_t token = 0; token < tokens; ++token) {
            const float score = scores[token * e + expert];
            all[token] = {static_cast<std::uint32_t>(token), score, score - means[token]};
        }
        const auto kept = static_cast<std::ptrdiff_t>(std::min(top, tokens));
        std::partial_sort(all.begin(), all.begin() + kept, all.end(), [](const Preference& a, const Preference& b) {
            return a.contrast != b.contrast ? a.contrast > b.contrast : a.token < b.token;
        });
        lists[expert].assign(all.begin(), all.begin() + kept);
    }
    return lists;
}

std::vector<float> cosineSimilarities(const MatrixRows& rows, const Progress& progress)
{
    const std::size_t count = rows.count();
    std::vector<double> lengths(count);
    for (std::size_t i = 0; i < count; ++i)
        lengths[i] = std::sqrt(dot(rows.row(i), rows.row(i)));
    std::vector<float> cosines(count * count, std::numeric_limits<float>::quiet_NaN());
    for (std::size_t i = 0; i < count; ++i) {
        progress.at(static_cast<double>(i) / static_cast<double>(count), "similarity of experts");
        for (std::size_t j = i; j < count; ++j) {
            const double lengthsBoth = lengths[i] * lengths[j];
            if (lengthsBoth > 0)
                cosines[i * count + j] = cosines[j * count + i] =
                    static_cast<float>(dot(rows.row(i), rows.row(j)) / lengthsBoth);
        }
    }
    return cosines;
}

} // namespace headscope::core
