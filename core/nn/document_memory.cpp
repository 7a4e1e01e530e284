// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nn/document_memory.h"

#include <ATen/ops/cat.h>

#include <chrono>

namespace headscope::core::nn {

namespace {

constexpr std::chrono::milliseconds betweenQuestions{20};

at::Tensor behind(const at::Tensor& before, const at::Tensor& rows)
{
    return before.defined() ? at::cat({before, rows}, 0) : rows;
}

at::Tensor lastRows(const at::Tensor& all, std::int64_t rows)
{
    return all.narrow(0, all.size(0) - rows, rows);
}

} // namespace

/// Until the rows before `first` are there.
void DocumentMemory::wait(std::unique_lock<std::mutex>& lock, const std::int64_t& end, std::int64_t first,
                          const Progress& progress)
{
    while (end != first) {
        if (m_failure)
            std::rethrow_exception(m_failure);
        progress.checkpoint();
        m_changed.wait_for(lock, betweenQuestions);
    }
}

KeysAndValues DocumentMemory::join(const MapAddress& block, std::int64_t first, std::int64_t rows, KeysAndValues made,
                                   const Progress& progress)
{
    std::unique_lock lock(m_lock);
    Kept& kept = m_blocks[block]; // stays where it is
    wait(lock, kept.end, first, progress);
    // With the last layer's output as memory a segment makes all its keys anew; they last as long as it does.
    if (m_kind == Kind::Layers || first % m_seen.segment != 0)
        made = {behind(kept.rows.keys, made.keys), behind(kept.rows.values, made.values)};
    kept.end = first + rows;
    const auto needed = m_kind == Kind::Layers ? rowsBefore(kept.end) : made.keys.size(0);
    kept.rows = needed > 0 ? KeysAndValues{lastRows(made.keys, needed), lastRows(made.values, needed)} : KeysAndValues{};
    m_changed.notify_all();
    return made;
}

at::Tensor DocumentMemory::relative(const MapAddress& block, std::int64_t distances, const std::function<at::Tensor()>& make)
{
    {
        const std::lock_guard lock(m_lock);
        const Kept& kept = m_blocks[block];
        if (kept.distances == distances && kept.relative.defined())
            return kept.relative;
    }
    auto table = make();
    const std::lock_guard lock(m_lock);
    Kept& kept = m_blocks[block];
    kept.distances = distances;
    kept.relative = table;
    return table;
}

at::Tensor DocumentMemory::outputsBefore(std::int64_t first, const Progress& progress)
{
    std::unique_lock lock(m_lock);
    wait(lock, m_outputsEnd, first, progress);
    const auto rows = rowsBefore(first);
    return rows > 0 ? lastRows(m_outputs, rows) : at::Tensor();
}

void DocumentMemory::addOutputs(std::int64_t first, const at::Tensor& outputs)
{
    const std::lock_guard lock(m_lock);
    m_outputsEnd = first + outputs.size(0);
    const auto all = behind(m_outputs, outputs);
    m_outputs = lastRows(all, std::min(all.size(0), rowsBefore(m_outputsEnd)));
    m_changed.notify_all();
}

void DocumentMemory::abandon(std::exception_ptr why)
{
    const std::lock_guard lock(m_lock);
    if (!m_failure)
        m_failure = std::move(why);
    m_changed.notify_all();
}

} // namespace headscope::core::nn
