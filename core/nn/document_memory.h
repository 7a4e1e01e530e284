// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"
#include "core/routing/address.h"
#include "core/trace/trace.h"

#include <ATen/core/TensorBody.h>

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <mutex>

namespace headscope::core::nn {

/// Keys [rows, keyHeads, width] and values [rows, keyHeads, valueWidth] of an attention block, not yet rotated.
struct KeysAndValues {
    at::Tensor keys;
    at::Tensor values;
};

/// What the stretches of a document leave for those behind them: of every block keys and values of the tokens that are still
/// seen, or what the last layer made of them. Rows are counted from the document's beginning. A stretch that needs what is
/// not there yet waits for it: it sees one layer after the other of the stretch before while that still runs. Thread-safe.
class DocumentMemory
{
public:
    /// What memory holds: the inputs of every layer (kept as the keys and values made of them), or the last layer's output.
    enum class Kind : std::uint8_t { Layers, LastLayer };
    DocumentMemory(const Visibility& seen, Kind kind) : m_seen(seen), m_kind(kind) {}

    /// Rows that a stretch from `first` on sees before its own: from the beginning of a segment on.
    std::int64_t rowsBefore(std::int64_t first) const { return first - beginOfSeen(first); }
    const Visibility& seen() const { return m_seen; }

    /// Puts what is remembered of a block in front of what the stretch [first, first + rows) made, and remembers both for
    /// the next one. Waits.
    KeysAndValues join(const MapAddress& block, std::int64_t first, std::int64_t rows, KeysAndValues made,
                       const Progress& progress);
    /// The table of projected distances of a block, which is the same for all stretches that see equally far.
    at::Tensor relative(const MapAddress& block, std::int64_t distances, const std::function<at::Tensor()>& make);

    /// LastLayer: the last layer's output of the rowsBefore(first) rows before; undefined where there are none. Waits.
    at::Tensor outputsBefore(std::int64_t first, const Progress& progress);
    void addOutputs(std::int64_t first, const at::Tensor& outputs);

    /// A stretch has failed: those behind it fail alike.
    void abandon(std::exception_ptr why);

private:
    struct Kept {
        std::int64_t end = 0; // one past the last row
        KeysAndValues rows;   // the last before `end`; undefined: none
        std::int64_t distances = 0;
        at::Tensor relative;
    };
    std::int64_t beginOfSeen(std::int64_t row) const { return m_seen.oldestSegment(row / m_seen.segment) * m_seen.segment; }
    void wait(std::unique_lock<std::mutex>& lock, const std::int64_t& end, std::int64_t first, const Progress& progress);

    Visibility m_seen;
    Kind m_kind;
    std::mutex m_lock; // of everything below
    std::condition_variable m_changed;
    std::exception_ptr m_failure;
    std::map<MapAddress, Kept> m_blocks;
    std::int64_t m_outputsEnd = 0;
    at::Tensor m_outputs; // [·, d], the last before m_outputsEnd; undefined: none
};

} // namespace headscope::core::nn
