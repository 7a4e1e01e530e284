// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/trace/model_info.h"
#include "core/trace/trace.h"

#include <memory>

namespace headscope::samples {

/// A trace written by hand: one layer, a site `v` with 2 heads, 2 of 3 experts, 2 maps of width 1, a vocabulary of 4. Every value says
/// where it belongs: token t has logit t + head/10 + expert/100. The tokens are hostile (a quote, a line end, broken UTF-8).
core::Trace smallTrace(int tokens = 3);

} // namespace headscope::samples
