// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace headscope::core {

class Model;

/// The output head of a model, for rows that a trace kept (TraceOptions::lastLayer). Thread-safe.
class NextTokenHead
{
public:
    virtual ~NextTokenHead() = default;
    /// Rows of the last layer's output, [n, width], to the logits of the next token behind each, [n, vocabulary]. Throws
    /// Error when the model was opened for a description only, or where n rows do not fit into memory.
    virtual std::vector<float> nextTokenLogits(std::span<const float> rows) const = 0;
};

/// nullptr when this model has none.
const NextTokenHead* nextTokenHead(const Model& model);

/// Whether ids mean the same to both: as many rows of the embedding, and the same pieces. Without a tokenizer on either side
/// as many rows must do.
bool sameVocabulary(const Model& a, const Model& b);

} // namespace headscope::core
