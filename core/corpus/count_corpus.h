// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/corpus/counts.h"
#include "core/corpus/documents.h"
#include "core/trace/model.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core {

/// What is to be counted, and how.
struct CountSettings {
    std::vector<std::filesystem::path> corpus; // files and folders
    DocumentSplit documents;
    std::filesystem::path tags;     // empty: none
    std::int64_t window = 0;        // tokens; 0: a segment
    std::int64_t skipFirst = 0;     // first positions of every window that are not counted
    bool words = false;
    int groups = 32;                // of the bootstrap
    std::size_t frequentTokens = 500;       // M
    std::optional<std::vector<TokenId>> frequent; // the list itself, in place of the M most frequent
    int part = 1;                   // of `parts` parts, cut between documents
    int parts = 1;
    std::string fingerprint;        // of the checkpoint

    int threads = 0;                // windows that run at the same time; 0: as many as there are processors
    int batch = 0;                  // windows in memory at the same time; 0: four for every thread

    std::filesystem::path
        partial; // where an unfinished count is kept, so that it can be gone on with; empty: nowhere (partial_file.h)
    bool resume = false;            // go on with what is kept there
    double secondsBetweenSaves = 60;
};

struct CountProgress {
    enum class Stage : std::uint8_t { Reading, Counting };
    Stage stage = Stage::Reading;
    std::uint64_t tokens = 0;    // of this stage so far
    std::uint64_t allTokens = 0; // 0 while it is not known
    double fraction = 0;
    double tokensPerSecond = 0;
    std::optional<double> secondsLeft;
};

/// How a pass talks to who started it. All are called on the thread that called countCorpus, at most some times a second.
struct CountHooks {
    std::function<void(const CountProgress&)> progress;
    std::function<bool()> pause;         // while it says true no new window is begun
    std::function<bool()> wantsPartial;  // whether `partial` should be called now
    std::function<void(Counts)> partial; // what has been counted so far; documents that are not complete are missing in E0
    std::function<void(std::vector<std::string>)> notes; // at the end: sentences on what may surprise in files and texts
    std::stop_token stop;
    std::function<void()> asked = {}; // Progress::asked, from any thread
};

/// The length of a segment of the model; nullopt when its hyper-parameters do not say.
std::optional<std::int64_t> trainingLength(const ModelInfo& info);

/// Counts the decisions of all routers over a corpus (design.md §3, §5): a first pass over the text counts tokens and hashes
/// documents, a second one runs the model, one window to a thread; with memory, windows of a document see what they remember
/// of those before them. The result depends on weights, text, policy, window and the list of frequent tokens, and not on
/// threads, batch, parts or interruptions (for one kind of CPU; MKL needs MKL_CBWR=AUTO,STRICT before its first product).
///
/// With `partial` the state is saved now and then and when the pass is stopped. Throws Error; Cancelled.
Counts countCorpus(const Model& model, const CountSettings& settings, const CountHooks& hooks = {});

} // namespace headscope::core
