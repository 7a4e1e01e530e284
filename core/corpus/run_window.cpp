// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/run_window.h"

#include "core/nn/threads.h"
#include "core/trace/document_run.h"
#include "core/trace/model_info.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace headscope::core {

std::shared_ptr<const Trace> runWindow(const Model& model, const Window& window, const TraceOptions& options,
                                       const Progress& progress)
{
    const nn::OneThread oneThread;
    TokenizedText text;
    text.tokens.reserve(window.ids.size());
    for (const TokenId id : window.ids)
        text.tokens.push_back({.id = id, .piece = {}, .span = {}, .special = false, .group = 0});
    if (window.memory.document)
        return window.memory.document->trace(window.memory.first, std::move(text), options, progress);
    return model.trace(std::move(text), options, progress);
}

std::uint64_t firstWindowNeeded(const ModelInfo& info, std::int64_t window, std::uint64_t index)
{
    const Visibility& seen = info.visibility;
    if (seen.segment == 0 || seen.segmentsBack == 0)
        return index;
    const std::int64_t reach = segmentsReached(info);
    if (reach < 0)
        return 0;
    const std::int64_t block = static_cast<std::int64_t>(index) * window / seen.segment;
    const std::int64_t token = std::max<std::int64_t>(0, block - reach) * seen.segment;
    // Where both a window and a segment begin, so that products have the shapes that they have in a run from the beginning.
    const std::int64_t both = std::lcm(window, seen.segment);
    return static_cast<std::uint64_t>(token / both * (both / window));
}

void EarlierWindows::add(const Window& window)
{
    const std::uint64_t next = window.index + 1;
    const std::uint64_t needed = next - firstWindowNeeded(m_info, m_length, next);
    if (needed > 0)
        m_ids.push_back(std::make_shared<const std::vector<TokenId>>(window.ids));
    while (m_ids.size() > needed)
        m_ids.pop_front();
}

void RememberedWindows::push(Window window, const std::function<void(Window)>& pushed)
{
    const std::uint64_t begin = firstWindowNeeded(*m_model.info(), m_length, window.index);
    if (!m_run || window.document != m_document || begin > m_next) {
        m_run = beginDocument(m_model);
        m_document = window.document;
        m_begin = m_next = begin;
    }
    const auto before = std::exchange(window.memory.before, {});
    for (; m_run && m_next < window.index; ++m_next) {
        Window earlier;
        earlier.document = window.document;
        earlier.index = m_next;
        earlier.ids = *before.at(before.size() - static_cast<std::size_t>(window.index - m_next));
        earlier.memory = {m_run, firstTokenOf(m_next), false, {}};
        pushed(std::move(earlier));
    }
    window.memory = {m_run, firstTokenOf(window.index), true, {}};
    m_next = window.index + 1;
    pushed(std::move(window));
}

} // namespace headscope::core
