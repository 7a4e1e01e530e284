// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Internal to core/export: what every file about a corpus says.

#include "core/corpus/counts.h"
#include "core/export/data_table.h"

#include <string>
#include <utility>
#include <vector>

namespace headscope::core {

using Facts = std::vector<std::pair<std::string, DataCell>>;

void addModelFacts(Facts& facts, const CountBasis& basis);
/// `prefix` tells one stream from another.
void addCorpusFacts(Facts& facts, const CorpusSize& corpus, const std::string& prefix = {});
void addWindowFacts(Facts& facts, const CountBasis& basis);
/// `memory_blocks`, `segment`, `same_length`; nothing where texts are read whole.
void addEvaluationFacts(Facts& facts, const EvaluationMode& mode, const std::string& prefix = {});

} // namespace headscope::core
