// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Internal to core/corpus: counts while they grow, and what brings counts together.

#include "core/corpus/counts.h"
#include "core/corpus/pools.h"
#include "core/corpus/router_tables.h"
#include "core/corpus/windows.h"
#include "core/progress.h"
#include "core/trace/trace.h"

#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace headscope::core {

/// What is known before anything is counted.
struct AccumulatorStart {
    CountBasis basis;
    CountedParts parts;
    std::vector<Router> routers;     // in order of the forward pass; those that share a decision are left out
    std::vector<TokenId> ids;        // ascending; every token that will be counted is among them
    std::vector<std::string> pieces; // of the ids
};

/// A document some windows of which are still to be counted.
struct OpenDocument {
    std::uint64_t windows = 0;   // counted
    std::uint64_t positions = 0; // N_d so far
    std::unordered_map<std::uint32_t, std::uint64_t> tokens; // n_d(t) by row
    std::vector<std::uint64_t> experts;                      // n_d(e) of all routers, one after the other
};

/// A document that has been read to its end.
struct DocumentSize {
    std::uint64_t document = 0; // ordinal
    std::uint64_t windows = 0;
    std::uint32_t group = 0;
    CorpusHash hash{};
    std::uint64_t bytes = 0;
    std::uint64_t tokens = 0;
    bool isBlank = false; // no token of it is counted: it is no document
    bool isEqual = false; // to an earlier one
    std::uint64_t invalidBytes = 0;
};

/// Adds windows in any order and from any thread; the result does not depend on the order. What is not said to be thread-safe must not run beside
/// anything else.
class Accumulator
{
public:
    Accumulator(AccumulatorStart start, std::shared_ptr<WordNumbers> words);

    /// Thread-safe. The trace is of the window's tokens. Throws Error.
    void add(const Window& window, const Trace& trace, std::uint32_t group);
    /// Thread-safe; before or after the document's windows.
    void endDocument(const DocumentSize& size);
    /// Adds counts of the same basis whose tokens are among the ids. Throws Error when a count would become too large.
    void add(const Counts& counts, const Progress& progress = {});

    /// Documents that are not complete, by ordinal: to go on with them later.
    const std::map<std::uint64_t, OpenDocument>& openDocuments() const { return m_open; }
    void resume(std::uint64_t document, OpenDocument open);

    Counts counts(const Progress& progress = {}) const;
    const CountBasis& basis() const { return m_start.basis; }
    std::size_t expertsOfAllRouters() const { return m_experts; }
    const std::vector<TokenId>& ids() const { return m_start.ids; }

private:
    struct Joint {
        std::uint32_t source = 0;
        std::uint32_t destination = 0;
        std::vector<std::uint64_t> together;
    };
    void findJoint();
    void addPools(const Trace& trace, const std::vector<CountedPosition>& positions);
    std::vector<CountedPosition> positionsOf(const Window& window) const;
    std::uint32_t rowOf(TokenId id) const;
    void addRouters(const Trace& trace, const std::vector<CountedPosition>& positions, std::uint32_t group, std::vector<std::uint64_t>& experts);
    void addJoint(const Trace& trace, const std::vector<CountedPosition>& positions);
    void addStream(const std::vector<CountedPosition>& positions, std::uint32_t group);
    void addToDocument(const Window& window, const std::vector<CountedPosition>& positions, const std::vector<std::uint64_t>& experts);
    void close(const OpenDocument& document);
    RowMaps mapsFor(const Counts& counts);
    StreamCounts streamCounts(const RowSelection& selection) const;
    RowSelection selection() const;

    AccumulatorStart m_start;
    std::shared_ptr<WordNumbers> m_words;
    std::unordered_map<TokenId, std::uint32_t> m_rows;
    std::vector<std::uint32_t> m_frequentOfRow; // index among the frequent tokens, M when it is none
    std::vector<std::uint32_t> m_frequentRows;  // the reverse; RowSelection::absentRow when it has no row
    std::size_t m_experts = 0;

    std::vector<RouterTables> m_routers;
    std::vector<std::unique_ptr<std::mutex>> m_routerLocks; // one for each
    std::map<RouterAddress, std::size_t> m_routerAt;
    std::vector<std::unique_ptr<PoolTables>> m_pools; // none once counts were added that do not know them

    std::mutex m_lock; // of everything below
    std::vector<Joint> m_joint;
    StreamCounts m_stream; // tokens by row of these tables, words by their numbers
    std::map<std::uint64_t, OpenDocument> m_open;
    std::map<std::uint64_t, std::uint64_t> m_ended; // windows of documents that have been read to their end and are still open
};

} // namespace headscope::core
