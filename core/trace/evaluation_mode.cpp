// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/evaluation_mode.h"

#include "core/trace/model_info.h"

#include <fmt/format.h>

namespace headscope::core {

EvaluationMode evaluationMode(const ModelInfo& model)
{
    const Visibility& seen = model.visibility;
    return {seen.segmentsBack, seen.segment, seen.sameLength, model.lastLayerMemory};
}

std::string toString(const EvaluationMode& mode)
{
    if (mode.segment == 0)
        return "texts are read whole";
    return fmt::format("{} memory block{}, segments of {} tokens{}{}", mode.memoryBlocks, mode.memoryBlocks == 1 ? "" : "s",
                       mode.segment, mode.sameLength ? ", same length" : "",
                       mode.lastLayerMemory ? ", of the last layer's output" : "");
}

std::string differenceOf(const EvaluationMode& a, const EvaluationMode& b)
{
    if (a.memoryBlocks != b.memoryBlocks)
        return "the memory blocks (--memory-blocks)";
    if (a.segment != b.segment && a.segment > 0 && b.segment > 0)
        return "the segment (--segment)";
    if (a.sameLength != b.sameLength)
        return "how much of its memory a token sees (same_length)";
    return a.lastLayerMemory != b.lastLayerMemory ? "what memory holds (last_layer_context)" : "";
}

} // namespace headscope::core
