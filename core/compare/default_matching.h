// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/comparison.h"

#include <string>

namespace headscope::core {

struct MatchingChoice {
    Matching matching = Matching::Identity;
    std::string why; // a sentence
};

/// Identity within one run, else co-selection. One run: the same family, hyper-parameters, vocabulary and routers, and files
/// in one folder whose names differ in their numbers at most.
MatchingChoice defaultMatching(const ModelInfo& a, const ModelInfo& b);

} // namespace headscope::core
