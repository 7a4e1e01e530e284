// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/pickle_value.h"
#include "core/error.h"
#include "core/progress.h"

namespace headscope::core {

/// The bytes ended inside the pickle. Told apart from other damage because a reader that saw only part of a file may go on
/// with more.
class PickleTruncated : public Error
{
public:
    using Error::Error;
};

struct PickleResult {
    PickleDocument document;
    std::size_t end = 0; // offset after the pickle's STOP
};

/// Runs the pickle (protocol 0 to 5) that begins at `begin` and returns what it describes. A small virtual machine: classes
/// and functions stay names, calls stay descriptions, nothing is executed. `where` begins every message ("model.pth:
/// data.pkl"). Throws PickleTruncated, Error or Cancelled. Time and memory
/// are linear in the bytes.
PickleResult readPickle(std::shared_ptr<const std::vector<std::byte>> bytes, std::size_t begin, const std::string& where,
                        const Progress& progress = {});

} // namespace headscope::core
