// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/corpus/fixed_sums.h"
#include "core/routing/router.h"
#include "core/tokenizer/tokenizer.h"
#include "core/trace/evaluation_mode.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core {

// What a pass over a corpus counted (design.md §3, §5). Everything is an exact integer, so that batches, threads and parts can be added in
// any order. Symbols: t a token, e an expert, d a document; N positions, k chosen experts at each; n(t), n(e), n(t,e) positions where t
// stands, e is chosen, both. Only counted positions count: not specials, not padding, not the first `skipFirst` of a window.

/// First positions of a window whose share is counted apart (there is little before them to decide by).
inline constexpr std::int64_t earlyPositions = 8;

/// Limits of what a counts file may say.
inline constexpr int maxGroups = 4096; // of the bootstrap
inline constexpr int maxParts = 1 << 20;

/// Classes of a position inside its window: 0, 1, 2–3, 4–7, 8–15, …
constexpr std::uint32_t positionBin(std::int64_t position)
{
    std::uint32_t bin = 0;
    for (; position > 0; position >>= 1)
        ++bin;
    return bin;
}

/// Margins (k-th minus (k+1)-th score, in logits) in bins whose edges grow by an eighth of a power of two: the exponent and three binary
/// places of the float. Bin b holds the margins in [marginEdge(b), marginEdge(b + 1)).
inline constexpr std::size_t marginBins = 2048;
std::size_t marginBin(float margin); // not NaN; below 0 it is 0
float marginEdge(std::size_t bin);

/// The smallest margin edge at or below which this share of the margins lies (0.01: the first percentile, rounded down to an edge);
/// nullopt without margins.
std::optional<float> marginPercentile(std::span<const std::uint64_t> margins, double share);

/// SHA-256 digests of documents added modulo 2²⁵⁶: the same for every order, and parts add up to the whole. Least significant first.
using CorpusHash = std::array<std::uint64_t, 4>;
CorpusHash operator+(const CorpusHash& a, const CorpusHash& b);
std::string toString(const CorpusHash& hash); // 64 hexadecimal digits
std::optional<CorpusHash> corpusHashFromString(std::string_view text);

/// What the counts depend on besides weights and text. Two sets of counts can be added only if these are the same.
struct CountBasis {
    std::string model;       // file name of the checkpoint, for a reader; not compared
    std::string family;
    std::string variant;
    std::string fingerprint; // of the checkpoint, hexadecimal SHA-256
    std::string dtype;       // computed in
    std::string tokenizer;     // "SentencePiece BPE, 4000 pieces"
    std::string tokenizerHash; // hexadecimal SHA-256 of its file
    TextPolicy textPolicy;
    std::string documents = "file"; // how files were cut: "file", "blank", "line", "literal:<STORY_SEP>"
    std::string jsonField = {};     // of JSON lines, the text; empty where none was named
    std::int64_t window = 0;        // tokens
    std::int64_t skipFirst = 0;     // positions of a window that are not counted
    EvaluationMode evaluation = {}; // segment 0 where an earlier version did not say
    int groups = 0;                 // G, of the bootstrap; a document's group is its hash modulo G
    bool words = false;
    std::vector<std::string> tags;   // names, sorted; "" where a token has none is tag 0; empty without tags
    std::vector<TokenId> frequent;   // M most frequent tokens of the whole corpus, descending, ties by id
};

/// Which part of a corpus was counted; {0…of} all of it is the same as none given.
struct CountedParts {
    int of = 1;
    std::vector<int> parts; // ascending, from 1; empty when of = 1
    bool operator==(const CountedParts&) const = default;
};

/// What was read.
struct CorpusSize {
    CorpusHash hash{};
    std::uint64_t documents = 0; // that hold a counted token
    std::uint64_t bytes = 0;     // of text, uncompressed
    std::uint64_t tokens = 0;    // all, counted or not
    std::uint64_t positions = 0; // N: counted; every router of the stream decides once at each
    std::uint64_t blankDocuments = 0; // besides: that hold no counted token
    std::uint64_t equalDocuments = 0; // of the documents those that are byte for byte equal to an earlier one of the corpus
    std::uint64_t invalidBytes = 0;   // of the bytes those that are not UTF-8

    bool operator==(const CorpusSize&) const = default;
};
/// Sentences on what may surprise in a corpus: the last three.
std::vector<std::string> notesOn(const CorpusSize& corpus);

/// The tokens of a stream that were counted at least once. Rows of every table by token are rows of this one.
struct TokenTable {
    std::vector<TokenId> ids;         // [T], ascending
    std::vector<std::string> pieces;  // [T], as the vocabulary spells them
    std::vector<std::uint64_t> count; // [T], n(t)
    std::vector<std::uint64_t> early; // [T], of them in the first `earlyPositions` of a window
    std::vector<std::uint64_t> groups; // [T, G], n(t) in each bootstrap group

    std::size_t size() const { return ids.size(); }
    /// Row of an id.
    std::optional<std::size_t> find(TokenId id) const;
    bool operator==(const TokenTable&) const = default;
};

/// Words, alike in NFC without default-ignorable characters (borders at Unicode white space and punctuation of the original text) that were counted. A position counts for the word that
/// holds its token's first byte; what lies between words counts for none.
struct WordTable {
    std::vector<std::string> words;   // sorted by bytes; of the spellings of a word (wordKey) the first
    std::vector<std::uint64_t> count; // routed positions, so a word of three tokens counts three at each occurrence
    std::size_t size() const { return words.size(); }
    bool operator==(const WordTable&) const = default;
};

/// What occurred of a table rows × experts, sorted by (row, expert); a structure of arrays.
struct PairCounts {
    std::vector<std::uint32_t> row;    // of TokenTable or WordTable
    std::vector<std::uint32_t> expert;
    std::vector<std::uint64_t> count;  // n(t,e), at least 1
    FixedSums gates;                   // G(t,e): sum of gates
    std::vector<std::uint64_t> early;  // in the first `earlyPositions` of a window; empty for words

    std::size_t size() const { return row.size(); }
    /// [first, last) pairs of a row.
    struct Range {
        std::size_t first = 0;
        std::size_t last = 0;
    };
    Range ofRow(std::size_t row) const;
    std::optional<std::size_t> find(std::size_t row, std::size_t expert) const;
    bool operator==(const PairCounts&) const = default;
};

/// The counts of pairs divided into classes, sorted by (pair, class); what did not occur is left out. The counts of a pair add up to its
/// own where every position of it has a class. Without experts: n(t, class) = Σ_e n(t, class, e) / k.
struct ClassCounts {
    std::vector<std::uint32_t> pair; // index into PairCounts
    std::vector<std::uint32_t> kind; // the class
    std::vector<std::uint64_t> count;

    std::size_t size() const { return pair.size(); }
    bool operator==(const ClassCounts&) const = default;
};

/// What one router (of one head) did.
struct RouterCounts {
    Router router;
    std::vector<std::uint64_t> selections; // [E], n(e)
    FixedSums gates;                       // [E], G(e)
    PairCounts pairs;
    /// [T, E], E0(t,e) = Σ_d n_d(t)·n_d(e)/N_d, each document's summand rounded to the nearest 2⁻³² (halves up). Also for pairs that never
    /// occurred: in another part they may.
    FixedSums expected;
    std::vector<std::uint64_t> together; // [E, E], positions where both are chosen; n(e) on the diagonal
    std::vector<std::uint64_t> tags;     // [tags, E], n(tag, e); empty without tags
    FixedSums tagGates;                  // [tags, E]; empty without tags
    /// Of the frequent tokens only. Class: index of the token before in the same window in `frequent`; M for any other; M + 1 at the beginning.
    ClassCounts previous;
    ClassCounts positions; // of the frequent tokens only; class: positionBin of the position in its window
    ClassCounts groups;    // of all tokens; class: bootstrap group
    std::vector<std::uint64_t> groupSelections; // [G, E], n(e) in each group
    PairCounts words;                           // rows of WordTable; empty unless asked for
    FixedSums probabilities;     // [E], sum of softmax(logits) over all experts; empty unless the gate is a softmax
    FixedSums squaredLogSumExp;  // [1], Σ (log Σ_e exp logit)²; empty unless the gate is a softmax
    std::vector<std::uint64_t> margins; // [marginBins]; empty where nothing is rejected (k = E)
};

/// How often an expert of one router and an expert of another were chosen at the same position: V × O of one head.
struct JointCounts {
    std::uint32_t source = 0;      // index into Counts::routers: site `v`
    std::uint32_t destination = 0; // site `o` of the same head
    std::vector<std::uint64_t> together; // [E of source, E of destination]
    bool operator==(const JointCounts&) const = default;
};

/// What of several routers that a table may add up falls together (core/corpus/pools.h).
struct PooledCounts {
    std::vector<std::uint32_t> members;   // M indices into Counts::routers, ascending
    std::vector<std::uint64_t> positions; // [E, M], positions at which exactly 1 … M of them chose expert e
    bool operator==(const PooledCounts&) const = default;
};

/// One stream of a corpus (a language model has one) and its tables.
struct StreamCounts {
    std::string name = "text";
    CorpusSize corpus;
    TokenTable tokens;
    WordTable words;
    std::vector<std::uint64_t> groupDocuments; // [G], documents that hold a counted token
    std::vector<std::uint64_t> groupPositions; // [G], N of each group
    std::vector<std::uint64_t> tagPositions;   // [tags]; empty without tags
};

/// Everything a pass counted. A plain value.
struct Counts {
    CountBasis basis;
    CountedParts parts;
    std::vector<StreamCounts> streams;
    std::vector<RouterCounts> routers; // in order of the forward pass, heads ascending; not those that share another's decision
    std::vector<JointCounts> joint;
    std::vector<PooledCounts> pooled; // of every set of routers that some pooling adds up; none in files that were written before

    const StreamCounts& streamOf(const RouterCounts& router) const { return streams.at(static_cast<std::size_t>(router.router.stream)); }
    /// nullptr when there is none with this address.
    const RouterCounts* find(const RouterAddress& address) const;
};

} // namespace headscope::core
