// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

namespace headscope::core {

struct ModelInfo;

/// How a model reads what is longer than a segment: as in the own evaluation of its training code, or as was chosen. Every
/// export says it.
struct EvaluationMode {
    std::int64_t memoryBlocks = 0; // segments before its own that a token sees
    std::int64_t segment = 0;      // tokens; 0: a text is read whole
    bool sameLength = false;       // Visibility::sameLength
    bool lastLayerMemory = false;  // ModelInfo::lastLayerMemory

    bool operator==(const EvaluationMode&) const = default;
};

EvaluationMode evaluationMode(const ModelInfo& model);

/// "1 memory block, segments of 64 tokens, same length"; "texts are read whole"
std::string toString(const EvaluationMode& mode);

/// What differs between two modes, in words with the options that choose it ("the memory blocks (--memory-blocks)"); empty
/// when nothing does. One without a segment (counts of earlier versions) has no memory and any segment.
std::string differenceOf(const EvaluationMode& a, const EvaluationMode& b);

} // namespace headscope::core
