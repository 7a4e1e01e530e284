// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/accumulator.h"

#include "core/error.h"
#include "core/trace/model_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace headscope::core {

namespace {

TableSizes sizesOf(const AccumulatorStart& start)
{
    return {.rows = start.ids.size(),
            .groups = static_cast<std::size_t>(start.basis.groups),
            .frequent = start.basis.frequent.size(),
            .tags = start.basis.tags.size(),
            .routers = start.routers.size(),
            .words = start.basis.words};
}

} // namespace

Accumulator::Accumulator(AccumulatorStart start, std::shared_ptr<WordNumbers> words) : m_start(std::move(start)), m_words(std::move(words))
{
    const TableSizes sizes = sizesOf(m_start);
    for (std::size_t row = 0; row < m_start.ids.size(); ++row)
        m_rows.emplace(m_start.ids[row], static_cast<std::uint32_t>(row));
    m_frequentOfRow.assign(sizes.rows, static_cast<std::uint32_t>(sizes.frequent));
    m_frequentRows.assign(sizes.frequent, RowSelection::absentRow);
    for (std::size_t i = 0; i < sizes.frequent; ++i)
        if (const auto found = m_rows.find(m_start.basis.frequent[i]); found != m_rows.end()) {
            m_frequentOfRow[found->second] = static_cast<std::uint32_t>(i);
            m_frequentRows[i] = found->second;
        }
    for (const Router& router : m_start.routers) {
        m_routerAt.emplace(router.address, m_routers.size());
        m_routers.emplace_back(router, sizes);
        m_routerLocks.push_back(std::make_unique<std::mutex>());
        m_experts += static_cast<std::size_t>(router.experts);
    }
    findJoint();
    for (auto& members : routerPools(m_start.routers)) {
        const Router& first = m_start.routers[members.front()];
        m_pools.push_back(std::make_unique<PoolTables>(std::move(members), first));
    }
    m_stream.tokens.count.resize(sizes.rows);
    m_stream.tokens.early.resize(sizes.rows);
    m_stream.tokens.groups.resize(sizes.rows * sizes.groups);
    m_stream.groupDocuments.resize(sizes.groups);
    m_stream.groupPositions.resize(sizes.groups);
    m_stream.tagPositions.resize(sizes.tags);
}

/// Value and output routers of one head of one block.
void Accumulator::findJoint()
{
    for (const auto& [address, at] : m_routerAt) {
        if (address.site != Site::V)
            continue;
        RouterAddress output = address;
        output.site = Site::O;
        const auto found = m_routerAt.find(output);
        if (found == m_routerAt.end())
            continue;
        const auto cells = static_cast<std::size_t>(m_routers[at].router().experts) * static_cast<std::size_t>(m_routers[found->second].router().experts);
        m_joint.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(found->second), std::vector<std::uint64_t>(cells)});
    }
}

std::uint32_t Accumulator::rowOf(TokenId id) const
{
    const auto found = m_rows.find(id);
    if (found == m_rows.end())
        throw Error("The corpus changed while it was counted; count again when it is complete.");
    return found->second;
}

std::vector<CountedPosition> Accumulator::positionsOf(const Window& window) const
{
    const auto M = static_cast<std::uint32_t>(m_start.basis.frequent.size());
    const auto frequentOf = [&](TokenId id) {
        const auto found = m_rows.find(id);
        return found == m_rows.end() ? M : m_frequentOfRow[found->second];
    };
    std::vector<CountedPosition> positions;
    positions.reserve(window.ids.size());
    for (std::size_t place = 0; place < window.ids.size(); ++place) {
        if (!window.counts[place] || static_cast<std::int64_t>(place) < m_start.basis.skipFirst)
            continue;
        CountedPosition position;
        position.place = static_cast<std::uint32_t>(place);
        position.row = rowOf(window.ids[place]);
        position.frequent = m_frequentOfRow[position.row];
        position.previous = place == 0 ? M + 1 : frequentOf(window.ids[place - 1]);
        position.bin = positionBin(static_cast<std::int64_t>(place));
        position.tag = window.tags.empty() ? 0 : window.tags[place];
        position.word = window.words.empty() ? noWord : window.words[place];
        position.early = static_cast<std::int64_t>(place) < earlyPositions;
        positions.push_back(position);
    }
    return positions;
}

void Accumulator::add(const Window& window, const Trace& trace, std::uint32_t group)
{
    const std::vector<CountedPosition> positions = positionsOf(window);
    std::vector<std::uint64_t> experts(m_experts);
    addRouters(trace, positions, group, experts);
    addPools(trace, positions);
    const std::lock_guard lock(m_lock);
    addJoint(trace, positions);
    addStream(positions, group);
    addToDocument(window, positions, experts);
}

void Accumulator::addRouters(const Trace& trace, const std::vector<CountedPosition>& positions, std::uint32_t group,
                             std::vector<std::uint64_t>& experts)
{
    std::vector<std::size_t> firstExpert(m_routers.size());
    for (std::size_t router = 1; router < m_routers.size(); ++router)
        firstExpert[router] = firstExpert[router - 1] + static_cast<std::size_t>(m_routers[router - 1].router().experts);
    for (const auto& site : trace.sites) {
        if (site->router.sharedWith)
            continue;
        for (int head = 0; head < site->heads; ++head) {
            const std::size_t router = m_routerAt.at(site->address(head));
            const std::lock_guard lock(*m_routerLocks[router]);
            const auto selections = m_routers[router].add(*site, head, positions, group);
            std::copy(selections.begin(), selections.end(), experts.begin() + static_cast<std::ptrdiff_t>(firstExpert[router]));
        }
    }
}

void Accumulator::addPools(const Trace& trace, const std::vector<CountedPosition>& positions)
{
    std::vector<PoolTables::Member> all(m_routers.size());
    for (const auto& site : trace.sites)
        for (int head = 0; head < site->heads && !site->router.sharedWith; ++head)
            all[m_routerAt.at(site->address(head))] = {site.get(), head};
    for (const auto& pool : m_pools) {
        std::vector<PoolTables::Member> members;
        for (const std::uint32_t member : pool->members())
            members.push_back(all[member]);
        pool->add(members, positions);
    }
}

void Accumulator::addJoint(const Trace& trace, const std::vector<CountedPosition>& positions)
{
    for (Joint& joint : m_joint) {
        const RouterAddress& source = m_routers[joint.source].router().address;
        const RouterAddress& destination = m_routers[joint.destination].router().address;
        const SiteRouting& v = *trace.site(source);
        const SiteRouting& o = *trace.site(destination);
        const int headOfV = v.headOf(source);
        const int headOfO = o.headOf(destination);
        for (const CountedPosition& position : positions)
            for (int i = 0; i < v.router.chosen; ++i)
                for (int j = 0; j < o.router.chosen; ++j) {
                    const auto from = static_cast<std::size_t>(v.experts[v.slot(position.place, headOfV, i)]);
                    const auto to = static_cast<std::size_t>(o.experts[o.slot(position.place, headOfO, j)]);
                    ++joint.together[from * static_cast<std::size_t>(o.router.experts) + to];
                }
    }
}

void Accumulator::addStream(const std::vector<CountedPosition>& positions, std::uint32_t group)
{
    const auto groups = static_cast<std::size_t>(m_start.basis.groups);
    for (const CountedPosition& position : positions) {
        ++m_stream.tokens.count[position.row];
        m_stream.tokens.early[position.row] += position.early ? 1 : 0;
        ++m_stream.tokens.groups[position.row * groups + group];
        if (!m_stream.tagPositions.empty())
            ++m_stream.tagPositions[position.tag];
        if (m_start.basis.words && position.word != noWord) {
            if (m_stream.words.count.size() <= position.word)
                m_stream.words.count.resize(position.word + std::size_t{1});
            ++m_stream.words.count[position.word];
        }
    }
    m_stream.groupPositions[group] += positions.size();
    m_stream.corpus.positions += positions.size();
}

void Accumulator::addToDocument(const Window& window, const std::vector<CountedPosition>& positions, const std::vector<std::uint64_t>& experts)
{
    OpenDocument& document = m_open[window.document];
    document.experts.resize(m_experts);
    for (std::size_t i = 0; i < m_experts; ++i)
        document.experts[i] += experts[i];
    for (const CountedPosition& position : positions)
        ++document.tokens[position.row];
    document.positions += positions.size();
    ++document.windows;
    const auto ended = m_ended.find(window.document);
    if (ended == m_ended.end() || ended->second != document.windows)
        return;
    m_ended.erase(ended);
    close(document);
    m_open.erase(window.document);
}

void Accumulator::endDocument(const DocumentSize& size)
{
    const std::lock_guard lock(m_lock);
    CorpusSize& corpus = m_stream.corpus;
    corpus.hash = corpus.hash + size.hash;
    corpus.documents += size.isBlank ? 0 : 1;
    corpus.blankDocuments += size.isBlank ? 1 : 0;
    corpus.equalDocuments += size.isEqual ? 1 : 0;
    corpus.invalidBytes += size.invalidBytes;
    corpus.bytes += size.bytes;
    corpus.tokens += size.tokens;
    m_stream.groupDocuments[size.group] += size.isBlank ? 0 : 1;
    if (size.windows == 0)
        return;
    const auto open = m_open.find(size.document);
    if (open == m_open.end() || open->second.windows != size.windows) {
        m_ended.emplace(size.document, size.windows);
        return;
    }
    close(open->second);
    m_open.erase(open);
}

/// The document's summand of E0.
void Accumulator::close(const OpenDocument& document)
{
    if (document.positions == 0)
        return;
    std::size_t first = 0;
    for (std::size_t router = 0; router < m_routers.size(); ++router) {
        const auto experts = static_cast<std::size_t>(m_routers[router].router().experts);
        const std::lock_guard lock(*m_routerLocks[router]);
        m_routers[router].addExpected(document.tokens, std::span(document.experts).subspan(first, experts), document.positions);
        first += experts;
    }
}

void Accumulator::resume(std::uint64_t document, OpenDocument open)
{
    m_open.insert_or_assign(document, std::move(open));
}

} // namespace headscope::core
