// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/corpus/count_corpus.h"

#include <filesystem>
#include <optional>

namespace headscope::app {

/// A count that was stopped, or whose program ended, and that can be gone on with.
struct UnfinishedCount {
    core::CountSettings settings; // `partial` is where the state is kept; `resume` is set
    double fraction = 0;          // of the corpus, about
};

/// Where the states of unfinished counts are kept: the latest of every checkpoint, of few checkpoints. Beside each state
/// lies what was counted and how; whether both still fit weights and texts is for core::countCorpus to say. Small files; GUI
/// thread.
class UnfinishedCounts
{
public:
    static constexpr int mostKept = 5;

    /// An empty folder: nothing is kept. It is made when it is needed.
    explicit UnfinishedCounts(std::filesystem::path folder = {}) : m_folder(std::move(folder)) {}

    /// Settings with the place where their state is kept, in the place of what was unfinished of this checkpoint (unless
    /// they go on with it). Without a folder, where it cannot be written, or while another program counts with this
    /// checkpoint, they stay as they are.
    core::CountSettings begin(const std::filesystem::path& checkpoint, core::CountSettings settings);
    /// How far it has come.
    void note(const std::filesystem::path& checkpoint, const core::CountSettings& settings, double fraction) const;
    /// It has ended, or is not wanted any more.
    void forget(const std::filesystem::path& checkpoint) const;
    /// nullopt when there is none with a state.
    std::optional<UnfinishedCount> find(const std::filesystem::path& checkpoint) const;

private:
    std::filesystem::path stateOf(const std::filesystem::path& checkpoint) const;
    void keepFew(const std::filesystem::path& newest) const;

    std::filesystem::path m_folder;
};

} // namespace headscope::app
