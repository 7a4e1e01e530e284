// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/output_guard.h"
#include "core/families/model.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace headscope::app {

/// How memory is run: --memory-blocks, --segment.
struct MemoryOptions {
    std::optional<std::int64_t> blocks;
    std::optional<std::int64_t> segment;

    void add(CLI::App& app, const std::string& suffix = {});
    /// What is not given here is as there.
    MemoryOptions over(const MemoryOptions& other) const
    {
        return {blocks ? blocks : other.blocks, segment ? segment : other.segment};
    }
};

/// What every command that opens a checkpoint takes: MODEL, --family, --tokenizer, --text-policy, --document-separator,
/// --sidecar, --weights; and for those that compute, --device, --dtype, --memory-blocks and --segment. Has to outlive the parsing.
class ModelOptions
{
public:
    /// `positional` is what the checkpoint is called; every option ends in `suffix`, for commands that take two.
    void add(CLI::App& app, const std::string& positional = "MODEL", const std::string& suffix = {});
    void addCompute(CLI::App& app);
    /// --memory-blocks and --segment for this one of two, against those that are for both.
    void addOwnMemory(CLI::App& app, const std::string& suffix) { m_ownMemory.add(app, suffix); }
    /// Device, type and memory of another, where one set of options is for both.
    void computeAs(const ModelOptions& other);

    const std::string& model() const { return m_model; }
    /// Without addCompute the device is the CPU: nothing is going to be computed.
    core::OpenOptions openOptions(core::OpenFor purpose) const;
    /// core::openModel, and then the question whether something that was read with it (a shard, a tokenizer) is an output.
    /// `path` is another checkpoint that the options are for too.
    std::shared_ptr<const core::Model> open(core::OpenFor purpose, const OutputGuard& outputs,
                                            const core::Progress& progress, const std::filesystem::path& path = {}) const;
    /// Of the weights that `open` takes.
    std::string fingerprint(const core::Progress& progress) const;
    /// A tokenizer for both sides of a comparison, unless this side was given its own.
    void takeTokenizer(const std::string& file);

private:
    std::string m_model;
    std::string m_family;
    std::string m_tokenizer;
    std::string m_textPolicy;
    std::optional<std::string> m_documentSeparator;
    std::string m_sidecar;
    std::string m_weights;
    std::string m_device = "cpu";
    std::string m_dtype = "float32";
    MemoryOptions m_memory;
    MemoryOptions m_ownMemory; // of one of two
};

} // namespace headscope::app
