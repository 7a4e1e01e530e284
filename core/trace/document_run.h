// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"
#include "core/tokenizer/tokens.h"
#include "core/trace/trace.h"

#include <cstdint>
#include <memory>

namespace headscope::core {

class Model;
struct ModelInfo;

/// A document that a model with memory runs in stretches, each of which sees of the ones before what a trace of the whole
/// document sees there: earlier segments are remembered, not run again. What a stretch decides depends on neither threads
/// nor the time at which others run.
class DocumentRun
{
public:
    virtual ~DocumentRun() = default;
    /// The decisions of the tokens from `first` on. Thread-safe: stretches may run at the same time, each waits, layer by
    /// layer, for what it needs of the one before it. That one has to be begun before; the first begins at 0. `options` asks
    /// for decisions only (no maps, loss, logits, predictions, last layer). Throws Error, Cancelled; what one stretch throws
    /// those behind it throw, too.
    virtual std::shared_ptr<const Trace> trace(std::int64_t first, TokenizedText tokens, const TraceOptions& options,
                                               const Progress& progress) = 0;
};

/// What models can do that remember.
class DocumentRuns
{
public:
    virtual ~DocumentRuns() = default;
    virtual std::shared_ptr<DocumentRun> beginDocument() const = 0;
};

/// nullptr when this model has no memory: then every stretch of a document is a text of its own. The model outlives what is
/// returned.
std::shared_ptr<DocumentRun> beginDocument(const Model& model);

/// Earlier segments reach through the layers: what a token's decisions depend on lies at most so many segments before its
/// own; -1: at the document's beginning, however far that is.
std::int64_t segmentsReached(const ModelInfo& info);

} // namespace headscope::core
