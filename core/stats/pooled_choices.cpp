// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/pooled_choices.h"

#include <algorithm>

namespace headscope::core {

namespace {

/// Up to so many positions drawn of those that are not 0 the sum is computed exactly; beyond, its series is right to 1e-5
/// and better. Fewer for many routers, which would take long.
std::size_t mostExact(std::size_t routers)
{
    return std::clamp<std::size_t>(96 / std::max<std::size_t>(routers, 1), 8, 24);
}

} // namespace

double SumMoments::meanXLogX() const
{
    if (mean <= 0)
        return 0;
    return xLogX(mean) + variance / (2 * mean) - third / (6 * mean * mean) +
           (3 * variance * variance + fourth) / (12 * mean * mean * mean);
}

TogetherCell::TogetherCell(std::span<const std::int64_t> positions)
    : m_all(populationOf(positions)), m_chosen(populationOf([&] {
          std::vector<std::int64_t> chosen(positions.begin(), positions.end());
          chosen.front() = 0;
          return chosen;
      }()))
{
    tabulate(positions);
}

TogetherCell::Population TogetherCell::populationOf(std::span<const std::int64_t> positions)
{
    Population result;
    for (std::size_t number = 0; number < positions.size(); ++number) {
        result.size += static_cast<double>(positions[number]);
        result.mean += static_cast<double>(number) * static_cast<double>(positions[number]);
    }
    if (result.size <= 0)
        return result;
    result.mean /= result.size;
    for (std::size_t number = 0; number < positions.size(); ++number) {
        const double off = static_cast<double>(number) - result.mean;
        result.variance += static_cast<double>(positions[number]) * off * off / result.size;
        result.third += static_cast<double>(positions[number]) * off * off * off / result.size;
    }
    return result;
}

SumMoments TogetherCell::Population::drawn(double count) const
{
    SumMoments result{count * mean};
    if (size > 1)
        result.variance = count * variance * (size - count) / (size - 1);
    if (size > 2)
        result.third = count * third * (size - count) * (size - 2 * count) / ((size - 1) * (size - 2));
    return result;
}

/// The distribution of the sum of r numbers, for every r at once: number j is drawn a times in C(n_j, a) ways. All weights
/// are divided by n^r, so that they stay in range.
void TogetherCell::tabulate(std::span<const std::int64_t> positions)
{
    const std::size_t largest = positions.size() - 1;
    const auto most = static_cast<std::size_t>(std::min(static_cast<double>(mostExact(largest)), m_chosen.size));
    const std::size_t sums = most * largest + 1;
    std::vector<double> ways((most + 1) * sums, 0); // [r, sum]
    ways[0] = 1;
    for (std::size_t number = 1; number <= largest; ++number) {
        if (positions[number] == 0)
            continue;
        std::vector<double> times{1};
        for (std::size_t a = 0; a < most; ++a)
            times.push_back(times.back() * std::max(0.0, static_cast<double>(positions[number]) - static_cast<double>(a)) /
                            (static_cast<double>(a + 1) * m_chosen.size));
        for (std::size_t r = most + 1; r-- > 0;) { // from above: what is read has not been changed
            for (std::size_t sum = r * largest + 1; sum-- > 0;) {
                double total = 0;
                for (std::size_t a = 0; a <= r && a * number <= sum; ++a)
                    total += times[a] * ways[(r - a) * sums + sum - a * number];
                ways[r * sums + sum] = total;
            }
        }
    }
    for (std::size_t r = 0; r <= most; ++r) {
        double all = 0, mean = 0;
        for (std::size_t sum = 0; sum < sums; ++sum) {
            all += ways[r * sums + sum];
            mean += ways[r * sums + sum] * xLogX(static_cast<double>(sum));
        }
        m_exact.push_back(all > 0 ? mean / all : 0);
    }
}

double TogetherCell::ofChosen(double drawn) const
{
    const auto at = static_cast<std::size_t>(drawn);
    return at < m_exact.size() ? m_exact[at] : m_chosen.drawn(drawn).meanXLogX();
}

double TogetherCell::meanXLogX(double drawn) const
{
    constexpr double wide = 250'000; // a variance from which the series is exact enough
    const SumMoments whole = m_all.drawn(drawn);
    if (whole.variance > wide)
        return whole.meanXLogX();
    return hypergeometricMean(m_all.size, m_chosen.size, drawn, [this](double chosen) { return ofChosen(chosen); });
}

namespace {

/// P of a hypergeometric number, from its lowest value that is not negligible on.
struct Distribution {
    std::size_t first = 0;
    std::vector<double> p;
};

Distribution hypergeometric(double all, double marked, double drawn)
{
    constexpr double negligible = 1e-17; // beside the mode
    const double low = std::max(0.0, drawn + marked - all);
    const double high = std::min(drawn, marked);
    const double mode = std::clamp(std::floor((drawn + 1) * (marked + 1) / (all + 2)), low, high);
    std::vector<double> above{1}, below;
    for (double x = mode; x < high && above.back() > negligible; ++x)
        above.push_back(above.back() * (marked - x) * (drawn - x) / ((x + 1) * (all - marked - drawn + x + 1)));
    double weight = 1;
    for (double x = mode; x > low && weight > negligible; --x) {
        weight *= x * (all - marked - drawn + x) / ((marked - x + 1) * (drawn - x + 1));
        below.push_back(weight);
    }
    Distribution result{static_cast<std::size_t>(mode) - below.size(), {below.rbegin(), below.rend()}};
    result.p.insert(result.p.end(), above.begin(), above.end());
    double sum = 0;
    for (const double p : result.p)
        sum += p;
    for (double& p : result.p)
        p /= sum;
    return result;
}

Distribution sum(const Distribution& a, const Distribution& b)
{
    Distribution result{a.first + b.first, std::vector<double>(a.p.size() + b.p.size() - 1, 0)};
    for (std::size_t i = 0; i < a.p.size(); ++i)
        for (std::size_t j = 0; j < b.p.size(); ++j)
            result.p[i + j] += a.p[i] * b.p[j];
    return result;
}

/// Mean, variance and third cumulant of a hypergeometric number.
void add(SumMoments& moments, double all, double marked, double drawn)
{
    const double p = marked / all;
    moments.mean += drawn * p;
    if (all < 2)
        return;
    const double variance = drawn * p * (1 - p) * (all - drawn) / (all - 1);
    moments.variance += variance;
    if (all > 2)
        moments.third += variance * (1 - 2 * p) * (all - 2 * drawn) / (all - 2);
}

} // namespace

double ApartCell::meanXLogX(double drawn) const
{
    constexpr double large = 50; // a mean from which the series is right to 1e-4 of what it adds
    SumMoments moments;
    for (const double marked : m_marked)
        add(moments, m_all, marked, drawn);
    if (moments.mean > large)
        return moments.meanXLogX();
    Distribution all{0, {1}};
    for (const double marked : m_marked)
        all = sum(all, hypergeometric(m_all, marked, drawn));
    double mean = 0;
    for (std::size_t i = 0; i < all.p.size(); ++i)
        mean += all.p[i] * xLogX(static_cast<double>(all.first + i));
    return mean;
}

} // namespace headscope::core
