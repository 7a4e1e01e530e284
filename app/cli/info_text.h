// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/trace/model_info.h"

#include <iosfwd>

namespace headscope::app {

/// What a checkpoint is, for a reader.
void printInfo(std::ostream& out, const core::ModelInfo& info);

} // namespace headscope::app
