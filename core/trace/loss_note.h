// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/trace/trace.h"

#include <optional>
#include <string>

namespace headscope::core {

/// A sentence where a model predicts a text clearly worse than a guess among all of its vocabulary would: then its tokenizer
/// or its hyper-parameters are hardly those it was trained with. nullopt where it does not, the losses are too few to say,
/// or were not asked for.
std::optional<std::string> lossNote(const Trace& trace);

} // namespace headscope::core
