// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"
#include "core/trace/model_info.h"
#include "core/trace/trace.h"

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace headscope::core {

/// A checkpoint that can be run. Immutable, thread-safe; traces do not refer to it.
class Model
{
public:
    virtual ~Model() = default;

    const std::shared_ptr<const ModelInfo>& info() const { return m_info; }
    /// nullptr when none was found; then texts are given by ids.
    const std::shared_ptr<const Tokenizer>& tokenizer() const { return m_tokenizer; }
    /// Text to tokens as this checkpoint was trained (its policy). Throws Error when there is no tokenizer or an id has no embedding row.
    TokenizedText tokenize(std::string_view text, const Progress& progress = {}) const;
    TokenizedText tokensFromIds(const std::vector<TokenId>& ids) const;
    /// Runs the model. Throws Error (ids out of range, out of memory), Cancelled.
    virtual std::shared_ptr<const Trace> trace(std::vector<Stream> streams, const TraceOptions& options,
                                               const Progress& progress = {}) const = 0;
    std::shared_ptr<const Trace> trace(TokenizedText text, const TraceOptions& options, const Progress& progress = {}) const;

protected:
    Model(std::shared_ptr<const ModelInfo> info, std::shared_ptr<const Tokenizer> tokenizer)
        : m_info(std::move(info)), m_tokenizer(std::move(tokenizer))
    {
    }

private:
    std::shared_ptr<const ModelInfo> m_info;
    std::shared_ptr<const Tokenizer> m_tokenizer;
};

} // namespace headscope::core
