// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/families/model.h"

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace headscope::app {

/// What every command that opens a checkpoint takes: MODEL, --family, --tokenizer, --text-policy, --document-separator, --sidecar, --weights; and for those that compute,
/// --device and --dtype. Has to outlive the parsing.
class ModelOptions
{
public:
    /// `positional` is what the checkpoint is called; every option ends in `suffix`, for commands that take two.
    void add(CLI::App& app, const std::string& positional = "MODEL", const std::string& suffix = {});
    void addCompute(CLI::App& app);
    /// Device and type of another, where one pair of options is for both.
    void computeAs(const ModelOptions& other);

    const std::string& model() const { return m_model; }
    /// Without addCompute the device is the CPU: nothing is going to be computed.
    core::OpenOptions openOptions(core::OpenFor purpose) const;

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
};

} // namespace headscope::app
