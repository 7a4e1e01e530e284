// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/families/segmented_reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace headscope::tests {
namespace {

using Row = SegmentedReference::Row;
using Rows = SegmentedReference::Rows;

double dot(const Row& a, const Row& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

void add(Row& a, const Row& b, double factor = 1)
{
    for (std::size_t i = 0; i < a.size(); ++i)
        a[i] += factor * b[i];
}

Row part(const Row& all, std::size_t index, std::size_t width)
{
    return {all.begin() + static_cast<std::ptrdiff_t>(index * width), all.begin() + static_cast<std::ptrdiff_t>((index + 1) * width)};
}

} // namespace

SegmentedReference::SegmentedReference(const std::vector<test::TorchTensor>& tensors, const Settings& settings) : m_settings(settings)
{
    for (const auto& tensor : tensors)
        m_tensors[tensor.name] = tensor;
    while (m_tensors.count("unique_layers." + std::to_string(m_layers) + ".norm1.weight"))
        ++m_layers;
}

double SegmentedReference::at(const std::string& name, std::size_t row, std::size_t column) const
{
    const auto& matrix = tensor(name);
    return matrix.values.at(row * static_cast<std::size_t>(matrix.shape.back()) + column);
}

Row SegmentedReference::linear(const std::string& name, const Row& x) const
{
    const auto weight = m_tensors.count(name) ? name : name + ".weight";
    Row y(static_cast<std::size_t>(tensor(weight).shape[0]));
    for (std::size_t i = 0; i < y.size(); ++i) {
        for (std::size_t j = 0; j < x.size(); ++j)
            y[i] += at(weight, i, j) * x[j];
        if (const auto bias = m_tensors.find(name + ".bias"); bias != m_tensors.end())
            y[i] += bias->second.values[i];
    }
    return y;
}

Row SegmentedReference::normed(const std::string& name, const Row& x) const
{
    const auto n = static_cast<double>(x.size());
    const auto mean = std::accumulate(x.begin(), x.end(), 0.0) / n;
    double variance = 0;
    for (const auto value : x)
        variance += (value - mean) * (value - mean) / n;
    Row y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        y[i] = (x[i] - mean) / std::sqrt(variance + 1e-5) * tensor(name + ".weight").values[i] + tensor(name + ".bias").values[i];
    return y;
}

std::vector<std::pair<std::size_t, double>> SegmentedReference::chosen(const std::string& router, std::size_t head, const Row& x) const
{
    const auto experts = static_cast<std::size_t>(tensor(router).shape[0]) / m_settings.heads;
    const auto scores = part(linear(router, x), head, experts);
    std::vector<std::pair<std::size_t, double>> all;
    for (std::size_t e = 0; e < experts; ++e)
        all.emplace_back(head * experts + e, scores[e]);
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    all.resize(m_settings.chosen);
    for (auto& [expert, gate] : all)
        gate = 1 / (1 + std::exp(-gate));
    return all;
}

Row SegmentedReference::expert(const std::string& name, std::size_t index, const Row& x) const
{
    Row y(static_cast<std::size_t>(tensor(name).shape[2]));
    for (std::size_t j = 0; j < x.size(); ++j)
        for (std::size_t i = 0; i < y.size(); ++i)
            y[i] += x[j] * at(name, index * x.size() + j, i);
    return y;
}

Row SegmentedReference::position(const std::string& layer, std::size_t head, double distance) const
{
    const auto d = static_cast<std::size_t>(tensor(layer + "pos_to_pk").shape[1]);
    Row sinusoids(d);
    for (std::size_t a = 0; a < d; ++a) {
        const auto angle = distance * std::pow(10000.0, -2.0 * static_cast<double>(a / 2) / static_cast<double>(d));
        sinusoids[a] = a % 2 == 0 ? std::sin(angle) : std::cos(angle);
    }
    const auto all = linear(layer + "pos_to_pk", sinusoids);
    return part(all, head, all.size() / m_settings.heads);
}

/// The first `remembered` sources are memory, of whole segments. Maps are filled in at the rows and columns of the tokens.
Rows SegmentedReference::attention(const std::string& layer, const Rows& queries, const Rows& sources, std::size_t remembered,
                                   std::vector<Rows>& maps, std::size_t firstToken) const
{
    Rows out(queries.size(), Row(queries.front().size()));
    for (std::size_t head = 0; head < m_settings.heads; ++head) {
        Rows keys;
        Rows values;
        for (const auto& source : sources) {
            const auto k = linear(layer + "projections.k", source);
            keys.push_back(part(k, head, k.size() / m_settings.heads));
            Row value;
            for (const auto& [expertIndex, gate] : chosen(layer + "selections.v", head, source)) {
                const auto v = expert(layer + "projections.v", expertIndex, source);
                value.resize(v.size());
                add(value, v, gate);
            }
            values.push_back(value);
        }
        for (std::size_t i = 0; i < queries.size(); ++i) {
            const auto q = part(linear(layer + "projections.q", queries[i]), head, keys.front().size());
            Row scores(sources.size(), -std::numeric_limits<double>::infinity());
            double sum = 0;
            for (std::size_t j = 0; j < sources.size(); ++j) {
                const bool future = j > i + remembered;
                const bool passed = m_settings.sameLength && remembered > 0 && j < m_settings.unroll && j < i;
                if (future || passed)
                    continue;
                const auto distance = static_cast<double>(j) - static_cast<double>(i + remembered);
                scores[j] = (dot(q, keys[j]) + dot(q, position(layer, head, distance))) / std::sqrt(static_cast<double>(q.size()));
                sum += std::exp(scores[j]);
            }
            Row mixed(values.front().size());
            for (std::size_t j = 0; j < sources.size(); ++j) {
                const auto a = std::exp(scores[j]) / sum;
                maps[head][firstToken + i][firstToken - remembered + j] = a;
                add(mixed, values[j], a);
            }
            for (const auto& [expertIndex, gate] : chosen(layer + "selections.o", head, queries[i]))
                add(out[i], expert(layer + "projections.o", expertIndex, mixed), gate);
        }
    }
    return out;
}

Row SegmentedReference::feedForward(const std::string& layer, const Row& x) const
{
    auto inner = linear(layer + "linear1", x);
    for (auto& value : inner)
        value = std::max(value, 0.0);
    return linear(layer + "linear2", inner);
}

SegmentedReference::Result SegmentedReference::run(const std::vector<std::int32_t>& ids) const
{
    const auto d = static_cast<std::size_t>(tensor("embedding.weight").shape[1]);
    Result result;
    result.maps.assign(m_layers, std::vector<Rows>(m_settings.heads, Rows(ids.size(), Row(ids.size()))));
    std::vector<std::vector<Rows>> memory(m_layers); // of each layer, the blocks it remembers
    for (std::size_t begin = 0; begin < ids.size(); begin += m_settings.unroll) {
        Rows x;
        for (std::size_t t = begin; t < std::min(ids.size(), begin + m_settings.unroll); ++t)
            x.push_back(part(tensor("embedding.weight").values, static_cast<std::size_t>(ids[t]), d));
        std::vector<Rows> inputs;
        for (std::size_t l = 0; l < m_layers; ++l) {
            inputs.push_back(x);
            const auto prefix = "unique_layers." + std::to_string(l) + ".";
            Rows sources;
            for (const auto& block : memory[l])
                for (const auto& row : block)
                    sources.push_back(normed(prefix + "norm1", row));
            const auto remembered = sources.size();
            Rows queries;
            for (const auto& row : x)
                queries.push_back(normed(prefix + "norm1", row));
            sources.insert(sources.end(), queries.begin(), queries.end());
            const auto attended = attention(prefix + "self_attn.", queries, sources, remembered, result.maps[l], begin);
            for (std::size_t i = 0; i < x.size(); ++i) {
                add(x[i], attended[i]);
                add(x[i], feedForward(prefix, normed(prefix + "norm2", x[i])));
            }
        }
        for (std::size_t l = 0; l < m_layers; ++l) {
            memory[l].push_back(m_settings.lastLayer ? x : inputs[l]);
            if (memory[l].size() > m_settings.blocks)
                memory[l].erase(memory[l].begin());
        }
        for (const auto& row : x)
            result.logits.push_back(linear("output", normed("out_norm", row)));
    }
    return result;
}

} // namespace headscope::tests
