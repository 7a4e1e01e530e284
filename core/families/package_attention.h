// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/families/arguments.h"
#include "core/nn/attention_block.h"
#include "core/nn/weights.h"

#include <memory>
#include <optional>
#include <string>

namespace headscope::core {

/// The attention module of the SwitchHead user package, which other packages embed: dense q and k, expert v and o with one router per head
/// (or, with a single expert, dense v and o and a sigmoid output gate per head).
struct PackageAttention {
    std::string prefix; // of its tensors, with the dot
    int depth = 0;
    std::optional<std::string> weightsGroup;
    std::int64_t width = 0; // d
    std::int64_t heads = 0;
    std::int64_t chosen = 0;
    double rotateFraction = 0.5;
    double rotaryBase = 10000;
    std::string_view expertsKey; // hyper-parameter with the experts of a head
    std::string_view chosenKey;  // and with those that are chosen
};

/// n_heads and what is chosen, checked against the first module; rotary positions. Throws Error where they do not fit.
void readPackageAttention(const nn::Weights& weights, Arguments& arguments, PackageAttention& module);

/// Throws Error where shapes and hyper-parameters contradict each other.
std::shared_ptr<const nn::AttentionBlock> packageAttention(nn::Weights& weights, Arguments& arguments, const PackageAttention& module);

/// The number of heads, and what the tensors of such a module allow for it. Throws Error when they allow none.
MissingParameter missingHeads(const Checkpoint& checkpoint, const Arguments& arguments, const std::string& prefix);
/// How many experts a token chooses in such a module: at most those of a head.
MissingParameter missingChosen(const Checkpoint& checkpoint, const Arguments& arguments, const std::string& prefix, std::string_view key);

} // namespace headscope::core
