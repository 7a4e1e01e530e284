// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/json_writer.h"
#include "core/trace/model_info.h"
#include "core/trace/trace.h"

#include <memory>
#include <string>
#include <vector>

namespace headscope::core {

/// What an exported trace says besides its values, and which attention maps it holds.
struct TraceExport {
    std::string program;                        // "Headscope 0.1.0"
    std::string fingerprint;                    // of the checkpoint; empty when it was not computed
    std::shared_ptr<const Tokenizer> tokenizer; // null when the text was given by ids
    std::vector<MapAddress> maps;               // blocks whose attention is written; the trace has to have kept them
};

/// The name of a checkpoint without its folder.
std::string modelName(const ModelInfo& info);

/// Everything that led to the values, as a JSON object. Holds no time and no folder of this machine: the same input gives the same bytes.
void writeTraceSettings(JsonWriter& json, const Trace& trace, const TraceExport& what);

/// The block a map is computed from. Throws Error when the trace did not keep it.
const AttentionKeep& requireBlock(const Trace& trace, const MapAddress& address);

/// Bytes of the attention maps that an export holds.
std::int64_t attentionBytes(const Trace& trace, const TraceExport& what);

} // namespace headscope::core
