// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"
#include "core/trace/model_info.h"
#include "core/trace/trace.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core {

enum class ComputeType : std::uint8_t { Float32, BFloat16 };

/// Describe reads no weights: for questions about a model (info, tokenize) that is not going to be run.
enum class OpenFor : std::uint8_t { Running, Describing };

struct OpenOptions {
    std::string device = "auto"; // "auto", "cpu", "cuda", "cuda:<n>"
    ComputeType dtype = ComputeType::Float32;
    std::string family;          // by name, where the files alone do not tell; empty: recognised
    std::filesystem::path tokenizer; // empty: searched beside the checkpoint
    std::filesystem::path sidecar;   // hyper-parameters; empty: from the checkpoint
    std::optional<TextPolicy::Split> textSplit; // empty: the family's convention
    OpenFor purpose = OpenFor::Running;
};

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

/// Opens a checkpoint, recognises its family and reads its weights. Throws Error with one sentence; Cancelled.
std::shared_ptr<const Model> openModel(const std::filesystem::path& path, const OpenOptions& options = {}, const Progress& progress = {});

/// What `--device` accepts on this machine, most capable first: {"cuda:0", "cpu"}.
std::vector<std::string> availableDevices();

/// The names `--family` takes.
std::vector<std::string> familyNames();

} // namespace headscope::core
