// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/corpus/counts.h"
#include "core/routing/address.h"
#include "core/tokenizer/tokens.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core {

/// An expert that was chosen, and its gate.
struct ExpertGate {
    int expert = 0;
    float gate = 0;
    bool operator==(const ExpertGate&) const = default;
};

/// A text as the model has to be given it to decide again as it did: from the first token of the window on, to a bit past
/// the keyword.
struct Passage {
    std::string text;
    ByteRange keyword; // in `text`
    /// Alone it becomes the tokens of the window up to the keyword (all of it where later tokens matter), so that the
    /// decision is the same but for rounding. Not where the window begins inside of a word, or behind a symbol that only
    /// whole texts begin with.
    bool sameTokens = false;
    /// The model remembered text before the passage: alone it is decided without that, and the decision can be another one.
    bool remembers = false;
    bool operator==(const Passage&) const = default;
};

/// One decision for one occurrence of a token: where it stands, and which experts were chosen there.
struct Context {
    std::uint64_t document = 0;      // ordinal in the corpus, from 0
    std::string path;                // of its file, as it was given or found
    std::uint64_t documentBegin = 0; // in the unpacked file
    ByteRange bytes;                 // of the keyword, in the document
    std::uint64_t window = 0;        // of the document, from 0
    std::int64_t position = 0;       // in the window, from 0
    TokenId id = 0;
    std::string piece; // as the vocabulary spells it
    RouterAddress router;
    std::vector<ExpertGate> experts; // that were chosen, by descending gate
    float margin = 0;                // k-th minus (k+1)-th score in logits; NaN where nothing is rejected
    bool doubtful = false;           // design.md §5
    /// The document's own bytes, cut between characters. The keyword is empty where the token stands for no byte.
    std::string before;
    std::string keyword;
    std::string after;
    std::size_t unseen =
        0; // first bytes of `before` that lie before the window: nothing was decided by them; 0 where they are remembered
    Passage passage;

    /// nullptr when it was not chosen.
    const ExpertGate* find(int expert) const;
    bool operator==(const Context&) const = default;
};

/// Where a row of a table comes from: its occurrences in a corpus. A plain value.
struct Contexts {
    /// With an expert: where it was chosen, by its gate, descending. Without: all occurrences by the highest gate,
    /// descending. Ties in order of the corpus.
    std::vector<Context> chosen;
    /// Counter-examples: the same token, and the expert was not chosen; by the highest gate of the others, descending. Empty
    /// without an expert.
    std::vector<Context> others;

    CountBasis basis;                      // model, text policy and windows, as for counts; the rest of it is empty
    CorpusSize corpus;                     // positions: of the row, n(t)
    std::uint64_t behind = 0; // besides, in what stands behind documents (separators): never counted, never listed
    std::uint64_t windows = 0;             // in which the row occurs
    std::uint64_t windowsRun = 0;          // that the model was run on, spread evenly over them
    std::uint64_t positionsRun = 0;        // positions of the row in these windows
    std::uint64_t decisions = 0;           // at these positions: one by every router
    std::vector<std::uint64_t> selections; // [experts], n(t,e) of these decisions

    /// All of the row's windows were run: `selections` is n(t,e) of the corpus.
    bool whole() const { return windowsRun == windows; }
};

/// Characters of context on either side of a keyword.
inline constexpr std::size_t contextCharacters = 80;
/// Bytes that so many characters may take.
inline constexpr std::size_t contextBytes = 4 * contextCharacters;

/// The last and the first `characters` characters of a text; what is not UTF-8 counts as one character a byte.
std::string_view lastCharacters(std::string_view text, std::size_t characters);
std::string_view firstCharacters(std::string_view text, std::size_t characters);

} // namespace headscope::core
