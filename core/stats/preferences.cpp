// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/preferences.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace headscope::core {

namespace {

double dot(std::span<const float> a, std::span<const float> b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
}

void normalise(std::vector<float>& x, const InputNorm& norm)
{
    if (norm.kind == InputNorm::Kind::None)
        return;
    const auto width = static_cast<double>(x.size());
    double mean = 0;
    if (norm.kind == InputNorm::Kind::Layer) {
        for (const float value : x)
            mean += static_cast<double>(value) / width;
    }
    double squares = 0;
    for (const float value : x)
        squares += (value - mean) * (value - mean) / width;
    const double scale = 1 / std::sqrt(squares + norm.epsilon);
    for (std::size_t i = 0; i < x.size(); ++i) {
        double value = (x[i] - mean) * scale;
        if (!norm.gain.empty())
            value *= norm.gain[i];
        if (!norm.bias.empty())
            value += norm.bias[i];
        x[i] = static_cast<float>(value);
    }
}

} // namespace

std::vector<float> embeddingScores(const MatrixRows& router, const MatrixRows& embedding, const InputNorm& norm, const Progress& progress)
{
    const auto fits = [&](std::span<const float> values) { return values.empty() || values.size() == router.width; };
    if (router.width == 0 || router.width != embedding.width || !fits(norm.gain) || !fits(norm.bias))
        throw std::invalid_argument("router rows, embeddings and norm differ in width");
    constexpr std::size_t tokensBetweenReports = 256;
    const std::size_t experts = router.count();
    std::vector<float> scores(embedding.count() * experts);
    std::vector<float> input(embedding.width);
    for (std::size_t token = 0; token < embedding.count(); ++token) {
        if (token % tokensBetweenReports == 0)
            progress.at(static_cast<double>(token) / static_cast<double>(embedding.count()), "scores of embeddings");
        const std::span<const float> row = embedding.row(token);
        input.assign(row.begin(), row.end());
        normalise(input, norm);
        for (std::size_t expert = 0; expert < experts; ++expert)
            scores[token * experts + expert] = static_cast<float>(dot(router.row(expert), input));
    }
    return scores;
}

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
                cosines[i * count + j] = cosines[j * count + i] = static_cast<float>(dot(rows.row(i), rows.row(j)) / lengthsBoth);
        }
    }
    return cosines;
}

} // namespace headscope::core
