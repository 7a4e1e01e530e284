// SPDX-License-Identifier: GPL-3.0-or-later
// Accumulator to counts and back.
#include "core/corpus/accumulator.h"

#include "core/corpus/word_key.h"
#include "core/error.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>

namespace headscope::core {

namespace {

void addAll(std::vector<std::uint64_t>& into, const std::vector<std::uint64_t>& from)
{
    for (std::size_t i = 0; i < into.size(); ++i)
        into[i] += from[i];
}

} // namespace

/// Tokens that were counted, in order of their ids, and words in order of their bytes.
RowSelection Accumulator::selection() const
{
    RowSelection selection;
    for (std::size_t row = 0; row < m_start.ids.size(); ++row)
        if (m_stream.tokens.count[row] > 0)
            selection.rows.push_back(static_cast<std::uint32_t>(row));
    selection.frequentRows = m_frequentRows;
    if (!m_start.basis.words)
        return selection;
    const auto& words = m_words->words();
    std::vector<std::uint32_t> sorted;
    for (std::uint32_t number = 0; number < m_stream.words.count.size(); ++number)
        if (m_stream.words.count[number] > 0)
            sorted.push_back(number);
    std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) { return words[a] < words[b]; });
    selection.words.assign(words.size(), noWord);
    // Spellings of one word go to the first of them, so that the order of parts does not matter.
    std::unordered_map<std::string, std::uint32_t> placeOfKey;
    for (const std::uint32_t number : sorted)
        selection.words[number] = placeOfKey.emplace(wordKey(words[number]), static_cast<std::uint32_t>(placeOfKey.size())).first->second;
    return selection;
}

StreamCounts Accumulator::streamCounts(const RowSelection& selection) const
{
    const auto groups = static_cast<std::size_t>(m_start.basis.groups);
    StreamCounts stream;
    stream.corpus = m_stream.corpus;
    for (const std::uint32_t row : selection.rows) {
        stream.tokens.ids.push_back(m_start.ids[row]);
        stream.tokens.pieces.push_back(m_start.pieces[row]);
        stream.tokens.count.push_back(m_stream.tokens.count[row]);
        stream.tokens.early.push_back(m_stream.tokens.early[row]);
        const auto first = m_stream.tokens.groups.begin() + static_cast<std::ptrdiff_t>(row * groups);
        stream.tokens.groups.insert(stream.tokens.groups.end(), first, first + static_cast<std::ptrdiff_t>(groups));
    }
    for (std::size_t number = 0; number < selection.words.size(); ++number) {
        const std::uint32_t place = selection.words[number];
        if (place == noWord)
            continue;
        if (stream.words.size() <= place) {
            stream.words.words.resize(place + std::size_t{1});
            stream.words.count.resize(place + std::size_t{1});
        }
        std::string& word = stream.words.words[place];
        const std::string& spelling = m_words->words()[number];
        if (word.empty() || spelling < word)
            word = spelling;
        stream.words.count[place] += m_stream.words.count[number];
    }
    stream.groupDocuments = m_stream.groupDocuments;
    stream.groupPositions = m_stream.groupPositions;
    stream.tagPositions = m_stream.tagPositions;
    return stream;
}

Counts Accumulator::counts(const Progress& progress) const
{
    const RowSelection selected = selection();
    Counts counts;
    counts.basis = m_start.basis;
    counts.parts = m_start.parts;
    counts.streams.push_back(streamCounts(selected));
    for (const RouterTables& router : m_routers) {
        progress.checkpoint();
        counts.routers.push_back(router.counts(selected));
    }
    for (const Joint& joint : m_joint)
        counts.joint.push_back({joint.source, joint.destination, joint.together});
    for (const auto& pool : m_pools)
        counts.pooled.push_back(pool->counts());
    return counts;
}

RowMaps Accumulator::mapsFor(const Counts& counts)
{
    const StreamCounts& stream = counts.streams.front();
    RowMaps maps;
    for (const TokenId id : stream.tokens.ids)
        maps.rows.push_back(rowOf(id));
    maps.frequentOfRow = m_frequentOfRow;
    for (const std::string& word : stream.words.words)
        maps.words.push_back(m_words->of(word));
    return maps;
}

void Accumulator::add(const Counts& counts, const Progress& progress)
{
    const StreamCounts& stream = counts.streams.front();
    const RowMaps maps = mapsFor(counts);
    const auto groups = static_cast<std::size_t>(m_start.basis.groups);
    for (std::size_t row = 0; row < maps.rows.size(); ++row) {
        const std::uint32_t to = maps.rows[row];
        m_stream.tokens.count[to] += stream.tokens.count[row];
        if (m_stream.tokens.count[to] > std::numeric_limits<std::uint32_t>::max())
            throw Error("One token occurs more than 4294967295 times; such counts cannot be added up.");
        m_stream.tokens.early[to] += stream.tokens.early[row];
        for (std::size_t group = 0; group < groups; ++group)
            m_stream.tokens.groups[to * groups + group] += stream.tokens.groups[row * groups + group];
    }
    m_stream.words.count.resize(std::max(m_stream.words.count.size(), m_words ? m_words->words().size() : 0));
    for (std::size_t word = 0; word < maps.words.size(); ++word)
        m_stream.words.count[maps.words[word]] += stream.words.count[word];
    CorpusSize& corpus = m_stream.corpus;
    corpus.hash = corpus.hash + stream.corpus.hash;
    corpus.documents += stream.corpus.documents;
    corpus.bytes += stream.corpus.bytes;
    corpus.tokens += stream.corpus.tokens;
    corpus.positions += stream.corpus.positions;
    corpus.blankDocuments += stream.corpus.blankDocuments;
    corpus.equalDocuments += stream.corpus.equalDocuments;
    corpus.invalidBytes += stream.corpus.invalidBytes;
    addAll(m_stream.groupDocuments, stream.groupDocuments);
    addAll(m_stream.groupPositions, stream.groupPositions);
    addAll(m_stream.tagPositions, stream.tagPositions);
    for (std::size_t router = 0; router < m_routers.size(); ++router) {
        progress.checkpoint();
        m_routers[router].add(counts.routers.at(router), maps);
    }
    for (std::size_t joint = 0; joint < m_joint.size(); ++joint)
        addAll(m_joint[joint].together, counts.joint.at(joint).together);
    if (counts.pooled.size() != m_pools.size()) // written before pools were counted
        m_pools.clear();
    for (std::size_t pool = 0; pool < m_pools.size(); ++pool)
        m_pools[pool]->add(counts.pooled[pool]);
}

} // namespace headscope::core
