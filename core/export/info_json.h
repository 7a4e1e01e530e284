// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/json_writer.h"
#include "core/trace/evaluation_mode.h"
#include "core/trace/model_info.h"

#include <iosfwd>

namespace headscope::core {

class Tokenizer;

/// What a checkpoint is, as JSON (docs/command-line.md describes every member).
void writeInfoJson(std::ostream& out, const ModelInfo& info, const Tokenizer* tokenizer);

/// Writes, into the object that is open, what a router is: `E`, `k`, `gate`, `side`, `sharedWith`, `weightsGroup`, `expertsOfAllHeads`, `legend`.
void writeRouterMembers(JsonWriter& json, const Router& router);

/// The member `evaluation` of the object that is open: `memoryBlocks`, `segment`, `sameLength`, `lastLayerMemory`; null
/// where texts are read whole.
void writeEvaluation(JsonWriter& json, const EvaluationMode& mode);

/// `[{"name": …, "value": …, "source": …}, …]`
void writeSettings(JsonWriter& json, const std::vector<Setting>& settings);

} // namespace headscope::core
