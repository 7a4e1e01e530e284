// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/families/model.h"
#include "core/nn/weights.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

namespace headscope::core {

/// What a family gets to assemble a model from.
struct FamilyInput {
    const Checkpoint& checkpoint;
    const OpenOptions& options;
    nn::Compute compute;
    Progress progress;

    nn::Weights::Mode weightsMode() const
    {
        return options.purpose == OpenFor::Running ? nn::Weights::Mode::Read : nn::Weights::Mode::Describe;
    }
};

/// A training code's checkpoints: how they are recognised and how they become a Model. One file or folder each.
struct Family {
    std::string_view name; // as in `info --json` and `--family`
    bool (*recognises)(const Checkpoint& checkpoint);
    std::shared_ptr<const Model> (*open)(const FamilyInput& input);
};

/// All of them, in the order in which they are asked.
std::span<const Family> families();

/// For layouts that are known but cannot be opened yet: what it is, in a few words; empty when nothing fits.
std::string_view knownButUnsupported(const Checkpoint& checkpoint);

/// Fills in what is the same for every family: path, container, tokenizer, text policy, weights' size.
/// `convention` is the family's text policy, which may depend on where the tokenizer lies. Returns the tokenizer, nullptr when none was found (then a note says so).
std::shared_ptr<const Tokenizer> describeCommon(const FamilyInput& input, const nn::Weights& weights,
                                                const std::function<TextPolicy(const std::filesystem::path& tokenizer)>& convention, ModelInfo& info);
std::shared_ptr<const Tokenizer> describeCommon(const FamilyInput& input, const nn::Weights& weights, TextPolicy convention, ModelInfo& info);

} // namespace headscope::core
