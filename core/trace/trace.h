// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/routing/router.h"
#include "core/tokenizer/tokenizer.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace headscope::core {

/// One input of a model: a language model has one ("text"), an encoder-decoder has "source" and "target".
struct Stream {
    std::string name = "text";
    TokenizedText text;
};

/// Which keys a query sees: key j is visible to query i when j <= i (causal) and, with segments of U tokens and n segments of memory,
/// floor(j/U) >= floor(i/U) - n (the masked form of Transformer-XL memory). With `sameLength` the oldest segment of its memory (there may be
/// fewer than n before it) is seen by a query from its own place in its segment on: j mod U >= i mod U there.
struct Visibility {
    bool causal = true;
    std::int64_t segment = 0;     // U; 0 for no limit
    std::int64_t segmentsBack = 0; // n
    bool sameLength = false;

    /// The first segment that a query of segment `block` sees.
    std::int64_t oldestSegment(std::int64_t block) const { return block > segmentsBack ? block - segmentsBack : 0; }
    std::int64_t firstVisible(std::int64_t query) const
    {
        if (segment == 0)
            return 0;
        const std::int64_t block = query / segment;
        const std::int64_t oldest = oldestSegment(block);
        return oldest * segment + (sameLength && oldest < block ? query % segment : 0);
    }
    /// How many distances i - j, from 0, occur among so many tokens.
    std::int64_t distances(std::int64_t tokens) const
    {
        const std::int64_t farthest = (segmentsBack + 1) * segment;
        return segment == 0 || tokens < farthest ? tokens : farthest;
    }
    /// The least of all queries from `first` to `last`: inside a segment it never decreases, nor do the beginnings of segments.
    std::int64_t firstVisible(std::int64_t first, std::int64_t last) const
    {
        const std::int64_t next = segment == 0 ? last + 1 : (first / segment + 1) * segment;
        return next > last || firstVisible(first) < firstVisible(next) ? firstVisible(first) : firstVisible(next);
    }
    bool operator==(const Visibility&) const = default;
};

/// What a layer's attention keeps so that any tile of any of its maps can be computed later: O(tokens x heads x width), never tokens².
/// score(i, j) of map m = queries[i, m]·keys[j, m mod keyHeads] + positionQueries[i, m]·relative[i - j, m mod relativeHeads]
/// (everything already scaled, rotated and biased); attention = exp(score - logSumExp[i, m]) where j is visible to i, else 0.
struct AttentionKeep {
    MapAddress address;
    int rowStream = 0;    // queries (destination)
    int columnStream = 0; // keys (source)
    int maps = 0;         // heads; for MoA slots (in order of descending gate) times key heads
    int keyHeads = 0;
    int width = 0;         // of a head
    std::int64_t rows = 0; // queries
    std::int64_t columns = 0; // keys
    Visibility visibility;
    std::vector<float> queries;         // [rows, maps, width]
    std::vector<float> keys;            // [columns, keyHeads, width]
    std::vector<float> values;          // [columns, keyHeads, valueWidth]; maps do not need them, a later trace of a longer text does
    int valueWidth = 0;
    std::vector<float> positionQueries; // [rows, maps, width]; empty: the queries are used
    std::vector<float> relative;        // [distances, relativeHeads, width], distance = i - j from 0; empty without relative positions
    int relativeHeads = 0;
    std::vector<float> logSumExp;       // [rows, maps]
    bool slots = false; // row i of map m belongs to expert experts[i, 0, m / keyHeads] of the site `qo` of the same block
    /// Memory is the last layer's output: each segment makes keys and values of its own from that of the segments it sees. `keys` and `values`
    /// then hold, segment after segment, those of its memory and its own tokens. `columns` stays the number of tokens.
    bool keysOfSegments = false;

    /// Which row of `keys` and `values` is that of token `key` as `query`, which sees its segment, attends to it.
    std::int64_t keyRow(std::int64_t query, std::int64_t key) const { return keysOfSegments ? firstKeyRow(query / visibility.segment) + key : key; }

private:
    std::int64_t firstKeyRow(std::int64_t block) const;
};

struct Trace;

/// What is kept of a run.
struct TraceOptions {
    bool maps = true;         // AttentionKeep of every block
    bool routerLogits = true; // SiteRouting::logits
    bool loss = true;         // needs the output head; off: nothing after the last router is computed
    bool logits = false;      // vocabulary logits whole, [tokens, vocabulary]
    int predictions = 0;      // this many most probable next tokens per position
    bool lastLayer = false;   // the last layer's output, from which the output head can be run again (core/trace/next_token.h)
    /// An earlier trace of the same model whose text begins like this one: what is the same up to the first difference is taken from it.
    /// Ignored when it does not fit (other model, other options, no maps kept). The new trace does not hold on to it.
    std::shared_ptr<const Trace> prefix = nullptr;

    /// The same but for where it begins.
    bool keepsTheSame(const TraceOptions& other) const
    {
        return maps == other.maps && routerLogits == other.routerLogits && loss == other.loss && logits == other.logits
               && predictions == other.predictions && lastLayer == other.lastLayer;
    }
};

struct Prediction {
    TokenId id = 0;
    float probability = 0;
};

struct ModelInfo;

/// What a model did with a text. Plain host values, immutable once made, refers to no weights.
struct Trace {
    std::shared_ptr<const ModelInfo> model;
    std::vector<Stream> streams;
    TraceOptions options;
    std::vector<std::shared_ptr<const SiteRouting>> sites;       // in order of the forward pass
    std::vector<std::shared_ptr<const AttentionKeep>> attention; // in order of the forward pass; empty when not kept
    std::vector<float> loss;             // [tokens of the last stream]: -ln p(token | before), NaN at 0; empty when not asked for
    std::vector<std::int32_t> rank;      // [tokens]: how many tokens were more probable than the true one; -1 at 0
    std::vector<Prediction> predictions; // [tokens, options.predictions]: of the token after each position
    std::vector<float> logits;           // [tokens, vocabulary]; empty unless asked for
    /// [tokens, width]: output of the last layer; empty unless asked for, or later segments attend to it and maps are kept.
    std::vector<float> lastLayer;
    double milliseconds = 0;

    const TokenizedText& text(int stream = 0) const { return streams.at(stream).text; }
    std::int64_t tokens(int stream = 0) const { return static_cast<std::int64_t>(streams.at(stream).text.tokens.size()); }
    /// nullptr when this trace has no such site (the head of the address is ignored).
    const SiteRouting* site(const RouterAddress& address) const;
    const AttentionKeep* block(const MapAddress& address) const;
};

} // namespace headscope::core
