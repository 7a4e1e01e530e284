// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/attention_comparison.h"

#include "core/error.h"
#include "core/stats/distributions.h"
#include "core/trace/model_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace headscope::core {
namespace {

constexpr float blank = std::numeric_limits<float>::quiet_NaN();

using Side = TokenRange AlignedUnit::*;

/// One map by units.
class UnitRows
{
public:
    UnitRows(const Trace& trace, MapRef map, const std::vector<AlignedUnit>& units, Side side)
        : m_trace(trace), m_map(std::move(map)), m_units(units), m_side(side)
    {
        tile(trace, m_map, {}); // says so if there is no such map
        const AttentionKeep& block = *trace.block(m_map.address);
        m_tokens = &trace.text(block.columnStream).tokens;
        const auto columns = static_cast<std::size_t>(block.columns);
        if (m_tokens->size() != columns || block.rows != block.columns)
            throw Error(
                fmt::format("{} does not attend from a text to itself: its maps cannot be laid over another model's.",
                            m_map.address.toString()));
        m_unitOf.assign(columns, units.size());
        for (std::size_t unit = 0; unit < units.size(); ++unit)
            for (std::size_t token = (units[unit].*side).first; token < (units[unit].*side).last; ++token)
                if (!(*m_tokens)[token].special)
                    m_unitOf[token] = unit;
    }

    /// [units + 1], the last one is all that lies outside of units; nothing for a blank row.
    std::optional<std::vector<double>> row(std::size_t unit) const
    {
        std::vector<double> sums(m_units.size() + 1, 0);
        double rows = 0;
        const TokenRange range = m_units[unit].*m_side;
        for (std::size_t token = range.first; token < range.last; ++token) {
            const Tile values = tile(
                m_trace, m_map, {static_cast<std::int64_t>(token), 0, 1, static_cast<std::int64_t>(m_unitOf.size()), 1});
            if (m_unitOf[token] != unit || std::isnan(values.values.front()))
                continue;
            ++rows;
            for (std::size_t column = 0; column < m_unitOf.size(); ++column)
                sums[m_unitOf[column]] += static_cast<double>(values.values[column]);
        }
        if (rows == 0)
            return std::nullopt;
        for (double& sum : sums)
            sum /= rows;
        return sums;
    }

private:
    const Trace& m_trace;
    MapRef m_map;
    const std::vector<AlignedUnit>& m_units;
    Side m_side;
    const std::vector<Token>* m_tokens = nullptr;
    std::vector<std::size_t> m_unitOf; // [columns]; the number of units for what is in none
};

double cosine(const std::vector<double>& a, const std::vector<double>& b)
{
    const double ab = std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    const double lengths = std::sqrt(std::inner_product(a.begin(), a.end(), a.begin(), 0.0) *
                                     std::inner_product(b.begin(), b.end(), b.begin(), 0.0));
    return lengths > 0 ? std::clamp(ab / lengths, 0.0, 1.0) : std::numeric_limits<double>::quiet_NaN();
}

double meanOfKnown(const std::vector<float>& values)
{
    double sum = 0, count = 0;
    for (const float value : values)
        if (!std::isnan(value)) {
            sum += static_cast<double>(value);
            ++count;
        }
    return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

/// Sampled places from `first` on that lie below `size`.
std::int64_t within(std::int64_t first, std::int64_t count, std::int64_t step, std::int64_t size)
{
    return first >= size ? 0 : std::clamp<std::int64_t>(count, 0, (size - first + step - 1) / step);
}

Tile differenceOfTokens(const ComparedTraces& traces, const MapPair& maps, const TileArea& area)
{
    Tile result = tile(*traces.a, maps.a, area);
    const Tile other = tile(*traces.b, maps.b, area);
    if (result.values.size() != other.values.size())
        throw Error("The two maps are not of the same text.");
    std::transform(result.values.begin(), result.values.end(), other.values.begin(), result.values.begin(), std::minus<>());
    return result;
}

class MapPairer
{
public:
    MapPairer(const Comparison& comparison, const Trace& a, const Trace& b) : m_comparison(comparison), m_a(a), m_b(b) {}

    MapPairs run()
    {
        for (const auto& block : m_a.attention)
            pairBlock(*block);
        return std::move(m_result);
    }

private:
    void pairBlock(const AttentionKeep& a)
    {
        const std::size_t before = m_result.pairs.size();
        bool routed = false, mixed = false;
        for (const RouterComparison& router : m_comparison.routers) {
            if (router.a.mapAddress() != a.address || router.a.block == Block::Ffn)
                continue;
            routed = true;
            const AttentionKeep* const b = m_b.block(router.b.mapAddress());
            if (b == nullptr)
                continue;
            if (a.slots != b->slots)
                mixed = true;
            else if (a.slots)
                pairExperts(router, a, *b);
            else if (router.a.head && router.b.head)
                add({a.address, MapRef::By::Map, *router.a.head, 0}, {b->address, MapRef::By::Map, *router.b.head, 0});
            else if (router.a.site == Site::Head && router.b.site == Site::Head)
                pairHeadsChosen(router, a, *b);
        }
        if (m_result.pairs.size() > before)
            return;
        if (mixed)
            note(a, "one model has a map for every head, the other for every expert");
        else if (routed || !pairByNumber(a))
            note(a, "no heads of it were matched");
    }

    void pairExperts(const RouterComparison& router, const AttentionKeep& a, const AttentionKeep& b)
    {
        for (std::size_t expert = 0; expert < router.expertOfB.size(); ++expert)
            for (int keyHead = 0; keyHead < std::min(a.keyHeads, b.keyHeads) && router.expertOfB[expert] >= 0; ++keyHead)
                add({a.address, MapRef::By::Expert, static_cast<int>(expert), keyHead},
                    {b.address, MapRef::By::Expert, router.expertOfB[expert], keyHead});
    }

    /// Experts of a router of site `head` are the heads.
    void pairHeadsChosen(const RouterComparison& router, const AttentionKeep& a, const AttentionKeep& b)
    {
        for (std::size_t head = 0; head < router.expertOfB.size(); ++head)
            if (router.expertOfB[head] >= 0 && static_cast<int>(head) < a.maps && router.expertOfB[head] < b.maps)
                add({a.address, MapRef::By::Map, static_cast<int>(head), 0},
                    {b.address, MapRef::By::Map, router.expertOfB[head], 0});
    }

    /// Blocks of the same place, of models whose numbers mean the same.
    bool pairByNumber(const AttentionKeep& a)
    {
        const AttentionKeep* const b = m_b.block(a.address);
        if (m_comparison.matching != Matching::Identity || b == nullptr || a.slots || b->slots || a.maps != b->maps)
            return false;
        for (int head = 0; head < a.maps; ++head)
            add({a.address, MapRef::By::Map, head, 0}, {b->address, MapRef::By::Map, head, 0});
        return true;
    }

    /// Sites of a block name the same heads: once is enough.
    void add(const MapRef& a, const MapRef& b)
    {
        if (m_known.insert({a, b}).second)
            m_result.pairs.push_back({a, b});
    }

    void note(const AttentionKeep& a, std::string_view why)
    {
        m_result.notes.push_back(fmt::format("The maps of {} of A correspond to none of B: {}.", a.address.toString(), why));
    }

    const Comparison& m_comparison;
    const Trace& m_a;
    const Trace& m_b;
    std::set<std::pair<MapRef, MapRef>> m_known;
    MapPairs m_result;
};

} // namespace

MapPairs mapPairs(const Comparison& comparison, const Trace& a, const Trace& b)
{
    return MapPairer(comparison, a, b).run();
}

AttentionComparison compareAttention(const ComparedTraces& traces, const Alignment& alignment, const MapPair& maps,
                                     const Progress& progress)
{
    const UnitRows ofA(*traces.a, maps.a, alignment.units, &AlignedUnit::a);
    const UnitRows ofB(*traces.b, maps.b, alignment.units, &AlignedUnit::b);
    const std::size_t units = alignment.units.size();
    AttentionComparison result;
    result.cosine.assign(units, blank);
    result.divergence.assign(units, blank);
    for (std::size_t unit = 0; unit < units; ++unit) {
        progress.at(static_cast<double>(unit) / static_cast<double>(units), "comparing attention");
        const auto a = ofA.row(unit);
        const auto b = ofB.row(unit);
        if (!a || !b)
            continue;
        result.cosine[unit] = static_cast<float>(cosine(*a, *b));
        result.divergence[unit] = static_cast<float>(jensenShannon(*a, *b));
    }
    result.meanCosine = meanOfKnown(result.cosine);
    result.meanDivergence = meanOfKnown(result.divergence);
    return result;
}

Tile differenceTile(const ComparedTraces& traces, const Alignment& alignment, const MapPair& maps, const TileArea& area)
{
    if (alignment.sameTokens)
        return differenceOfTokens(traces, maps, area);
    if (area.step < 1 || area.row < 0 || area.column < 0)
        throw Error(
            fmt::format("A tile at row {}, column {} with step {} lies outside any map.", area.row, area.column, area.step));
    const UnitRows ofA(*traces.a, maps.a, alignment.units, &AlignedUnit::a);
    const UnitRows ofB(*traces.b, maps.b, alignment.units, &AlignedUnit::b);
    const auto units = static_cast<std::int64_t>(alignment.units.size());
    Tile result{area, {}};
    result.area.rows = within(area.row, area.rows, area.step, units);
    result.area.columns = within(area.column, area.columns, area.step, units);
    for (std::int64_t row = 0; row < result.area.rows; ++row) {
        const auto unit = static_cast<std::size_t>(area.row + row * area.step);
        const auto a = ofA.row(unit);
        const auto b = ofB.row(unit);
        for (std::int64_t column = 0; column < result.area.columns; ++column) {
            const auto at = static_cast<std::size_t>(area.column + column * area.step);
            result.values.push_back(a && b ? static_cast<float>((*a)[at] - (*b)[at]) : blank);
        }
    }
    return result;
}

} // namespace headscope::core
