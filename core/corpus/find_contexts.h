// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/corpus/contexts.h"
#include "core/corpus/documents.h"
#include "core/progress.h"
#include "core/trace/model.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace headscope::core {

/// What is to be found, and where. The corpus, its documents and the windows are those of CountSettings.
struct ContextSettings {
    std::vector<std::filesystem::path> corpus; // files and folders
    DocumentSplit documents;
    std::int64_t window = 0;    // tokens; 0: a segment
    std::int64_t skipFirst = 0; // first positions of every window that do not count

    std::vector<RouterAddress> routers; // one, or several that are added up
    /// The row: any of these tokens, or else any of these words (WordTable says what belongs to a word). Case is not folded
    /// here.
    std::vector<TokenId> ids;
    std::vector<std::string> words;
    bool foldCase = false;     // words that differ only in case are one
    std::optional<int> expert; // without one all occurrences are listed together

    std::size_t limit = 100; // contexts, and counter-examples, that are kept
    /// Windows that the model is run on. Of more that hold the row so many are taken, spread evenly over the corpus. At most
    /// mostWindowsKept; nullopt: all of them.
    std::optional<std::size_t> windows = 400;
    /// The first percentile of every router's margins over a corpus, for what is doubtful; empty: that of the margins of
    /// each window.
    std::vector<float> marginPercentiles;

    std::string fingerprint; // of the checkpoint; goes into Contexts::basis

    int threads = 0; // windows that run at the same time; 0: as many as there are processors
    int batch = 0;   // windows waiting or running at the same time, while all of them are run; 0: four for every thread
};
/// Windows that are chosen from others wait in memory.
inline constexpr std::size_t mostWindowsKept = 10'000;

/// Called on the thread that called findContexts, when `wanted` said true.
struct ContextHooks {
    std::function<bool()> wanted;
    std::function<void(Contexts)> partial; // of the windows that have been run so far
};

/// Finds where tokens stand and what routers decided there. The corpus is read once; only windows that hold the row are run
/// (with memory, also those before them that they depend on), one to a thread and as far as the last router. The result
/// depends on neither threads nor batch, and its selections are the counts of countCorpus where all windows are run. Where a
/// choice is a matter of rounding it can depend on the length of a window, so windows are run whole.
///
/// Memory is bounded by `windows` and `limit`. Throws Error (a router, a token or an expert that the model does not have; a
/// corpus that cannot be read), Cancelled. That nothing was found is no error.
Contexts findContexts(const Model& model, const ContextSettings& settings, const Progress& progress = {},
                      const ContextHooks& hooks = {});

} // namespace headscope::core
