// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/stats/distributions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace headscope::core {
namespace {

constexpr double blank = std::numeric_limits<double>::quiet_NaN();

/// x·log2(x/y), 0 for x = 0.
double term(double x, double y)
{
    return x > 0 ? x * std::log2(x / y) : 0;
}

} // namespace

double jensenShannon(std::span<const double> p, std::span<const double> q)
{
    const double allP = std::accumulate(p.begin(), p.end(), 0.0);
    const double allQ = std::accumulate(q.begin(), q.end(), 0.0);
    if (!(allP > 0) || !(allQ > 0))
        return blank;
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const double x = p[i] / allP;
        const double y = q[i] / allQ;
        sum += term(x, (x + y) / 2) + term(y, (x + y) / 2);
    }
    return std::clamp(sum / 2, 0.0, 1.0);
}

double mutualInformation(std::span<const double> table, std::size_t columns)
{
    const std::size_t rows = columns == 0 ? 0 : table.size() / columns;
    std::vector<double> ofRow(rows, 0), ofColumn(columns, 0);
    double all = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
            ofRow[i] += table[i * columns + j];
            ofColumn[j] += table[i * columns + j];
        }
        all += ofRow[i];
    }
    double sum = 0;
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j)
            sum += term(table[i * columns + j], ofRow[i] * ofColumn[j] / all);
    return all > 0 ? std::max(0.0, sum / all) : 0;
}

std::vector<double> averageRanks(std::span<const double> values)
{
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] != 0)
            order.push_back(i);
    std::sort(order.begin(), order.end(), [values](std::size_t i, std::size_t j) { return values[i] < values[j]; });
    const auto negative = std::count_if(values.begin(), values.end(), [](double value) { return value < 0; });
    const std::size_t zeros = values.size() - order.size();
    std::vector<double> ranks(values.size(), static_cast<double>(negative) + (static_cast<double>(zeros) + 1) / 2);
    for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
        while (last < order.size() && values[order[last]] == values[order[first]])
            ++last;
        const std::size_t before = values[order[first]] > 0 ? zeros : 0;
        const double mean = static_cast<double>(before) + static_cast<double>(first + last + 1) / 2;
        for (std::size_t i = first; i < last; ++i)
            ranks[order[i]] = mean;
    }
    return ranks;
}

double rankCorrelation(std::span<const double> x, std::span<const double> y)
{
    const std::vector<double> a = averageRanks(x);
    const std::vector<double> b = averageRanks(y);
    const double mean = (static_cast<double>(a.size()) + 1) / 2;
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += (a[i] - mean) * (b[i] - mean);
        aa += (a[i] - mean) * (a[i] - mean);
        bb += (b[i] - mean) * (b[i] - mean);
    }
    return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : blank;
}

} // namespace headscope::core
