// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Internal to core/corpus: how a window of a corpus is run, alone or with what the model remembers of the windows before it.

#include "core/corpus/windows.h"
#include "core/progress.h"
#include "core/trace/model.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace headscope::core {

/// What the model decides at the window's tokens, on one thread. `options` asks for decisions only. Throws Error, Cancelled.
std::shared_ptr<const Trace> runWindow(const Model& model, const Window& window, const TraceOptions& options,
                                       const Progress& progress);

/// With which window of a document a run has to begin for the window of this index to decide as if the document had been run
/// from its beginning, to the last bit. Without memory that is the window itself.
std::uint64_t firstWindowNeeded(const ModelInfo& info, std::int64_t window, std::uint64_t index);

/// The ids of the windows of a document that one to come may need.
class EarlierWindows
{
public:
    EarlierWindows(const ModelInfo& info, std::int64_t length) : m_info(info), m_length(length) {}

    void beginDocument() { m_ids.clear(); }
    /// What the window behind those that were added needs (WindowMemory::before).
    std::vector<std::shared_ptr<const std::vector<TokenId>>> before() const { return {m_ids.begin(), m_ids.end()}; }
    void add(const Window& window);

private:
    const ModelInfo& m_info;
    std::int64_t m_length;
    std::deque<std::shared_ptr<const std::vector<TokenId>>> m_ids;
};

/// Gives some of the windows of a corpus, in its order, what the model remembers of those before them: these are run first,
/// unless they were.
class RememberedWindows
{
public:
    RememberedWindows(const Model& model, std::int64_t length) : m_model(model), m_length(length) {}

    /// Pushes windows that do not count, and then this one.
    void push(Window window, const std::function<void(Window)>& pushed);

private:
    std::int64_t firstTokenOf(std::uint64_t index) const { return static_cast<std::int64_t>(index - m_begin) * m_length; }

    const Model& m_model;
    std::int64_t m_length;
    std::shared_ptr<DocumentRun> m_run; // of the document; nullptr: windows are run by themselves
    std::uint64_t m_document = 0;
    std::uint64_t m_begin = 0; // windows of it
    std::uint64_t m_next = 0;
};

} // namespace headscope::core
