// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Internal to core/corpus: which contexts and windows are kept of all that a search meets.

#include "core/corpus/contexts.h"
#include "core/corpus/windows.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace headscope::core {

/// What orders contexts: gates from high to low, ties as in the corpus.
struct Rank {
    float gate = 0;
    std::uint64_t document = 0;
    std::uint64_t window = 0;
    std::size_t place = 0;
    std::size_t router = 0; // index

    bool operator<(const Rank& other) const
    {
        if (gate != other.gate)
            return gate > other.gate;
        return std::tie(document, window, place, router) < std::tie(other.document, other.window, other.place, other.router);
    }
};

/// The first of any number of contexts.
class Best
{
public:
    explicit Best(std::size_t limit) : m_limit(limit) {}

    bool wants(const Rank& rank) const { return m_kept.size() < m_limit || (m_limit > 0 && rank < m_kept.rbegin()->first); }
    void add(const Rank& rank, Context context)
    {
        m_kept.emplace(rank, std::move(context));
        if (m_kept.size() > m_limit)
            m_kept.erase(std::prev(m_kept.end()));
    }
    std::vector<Context> all() const
    {
        std::vector<Context> contexts;
        contexts.reserve(m_kept.size());
        for (const auto& [rank, context] : m_kept)
            contexts.push_back(context);
        return contexts;
    }

private:
    std::size_t m_limit;
    std::map<Rank, Context> m_kept;
};

/// Windows in the order they came, of which only so many are to be kept as memory allows: every first, every second, every
/// fourth…
class SpreadWindows
{
public:
    /// At least `atLeast` stay where so many came, at most twice as many.
    explicit SpreadWindows(std::size_t atLeast) : m_atLeast(atLeast) {}

    void add(Window window)
    {
        if (m_came++ % m_stride != 0)
            return;
        m_kept.push_back(std::move(window));
        if (m_kept.size() <= 2 * m_atLeast)
            return;
        for (std::size_t i = 1; 2 * i < m_kept.size(); ++i)
            m_kept[i] = std::move(m_kept[2 * i]);
        m_kept.resize((m_kept.size() + 1) / 2);
        m_stride *= 2;
    }
    /// So many of them, at even distances.
    std::vector<Window> take()
    {
        const std::size_t count = std::min(m_atLeast, m_kept.size());
        std::vector<Window> taken;
        for (std::size_t i = 0; i < count; ++i)
            taken.push_back(std::move(m_kept[i * m_kept.size() / count]));
        return taken;
    }

private:
    std::size_t m_atLeast;
    std::size_t m_stride = 1;
    std::size_t m_came = 0;
    std::vector<Window> m_kept;
};

} // namespace headscope::core
