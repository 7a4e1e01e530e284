// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/families/model.h"
#include "core/trace/evaluation_mode.h"

#include <QDialog>

#include <cstdint>
#include <optional>

class QSpinBox;

namespace headscope::app {

/// Asks how many segments of memory a token sees and how long a segment is, in place of what the run's own evaluation has.
class MemoryForm : public QDialog
{
    Q_OBJECT

public:
    /// `now` is how the checkpoint is run; `chosen` what was chosen for it (OpenOptions::memoryBlocks, segment).
    MemoryForm(const core::EvaluationMode& now, const core::OpenOptions& chosen, QWidget* parent = nullptr);

    /// Empty: as in the run's own evaluation.
    std::optional<std::int64_t> memoryBlocks() const;
    std::optional<std::int64_t> segment() const;

private:
    QSpinBox* m_blocks;
    QSpinBox* m_segment;
};

} // namespace headscope::app
