// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/core/checkpoint/torch_file_writer.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace headscope::tests {

/// One configuration that the moe_attention training code can train, with tiny shapes.
struct Variant {
    enum class Attention : std::uint8_t { Relative, Rotary, Slots, DenseRelative, DenseRotary }; // the first two: SwitchHead

    int index = 0;
    Attention attention = Attention::Relative;
    bool preNorm = true;
    bool mixtureFeedForward = false;
    std::string mixtures; // of "qkvo", which projections
    bool sharedExperts = false, sameSelection = false, separateRouters = false, softmax = false, normQk = false, normReturned = false;
    bool moaMode = false; // "moa", else "my"
    std::int64_t width = 16, layers = 2, vocabulary = 40, heads = 2, headWidth = 8, valueWidth = 8, inner = 24;
    std::int64_t experts = 3, queryExperts = 0, keyQueryExperts = 0, chosen = 2; // 0: as `experts`
    std::int64_t feedForwardExperts = 5, feedForwardChosen = 2, feedForwardSize = 6;
    std::string selectionMode = "sigmoid", selectionNorm = "none", activation = "relu";
    bool activationAfterTopK = false;
    bool tied = false;
    std::int64_t embeddingWidth = 0; // 0: no adapters
    std::int64_t unroll = 12, blocks = 1;
    std::int64_t evaluationUnroll = 0, evaluationBlocks = 0;                  // 0: none given, those of training
    bool sameLength = false, sameLengthOfTraining = false, lastLayer = false; // the first: of evaluation
    // How it is written.
    bool legacy = false, half = false, optimizer = false, oldNames = false, stringArguments = false;
    std::string prefix;

    bool switchHead() const { return attention == Attention::Relative || attention == Attention::Rotary; }
    bool mixture(char letter) const { return mixtures.find(letter) != std::string::npos; }
    std::int64_t expertsOf(char letter) const;
    bool ownRouter(char letter) const; // has a selection matrix in the file
    std::string name() const;
};

/// Twenty of them, always the same.
std::vector<Variant> variants();

/// As the training code saves it: today's names, no prefix, a zip archive. Values are random, the same for the same variant, and such that half
/// precision holds them exactly.
test::TorchCheckpoint plainCheckpoint(const Variant& variant);
/// The same model as the variant wants it written.
test::TorchCheckpoint disguised(test::TorchCheckpoint checkpoint, const Variant& variant);
/// The same function with its experts in another order.
test::TorchCheckpoint withPermutedExperts(test::TorchCheckpoint checkpoint, const Variant& variant);

/// The variant in which every expert is always chosen and all routers say 0, and the model without mixtures that computes the same when an
/// expert's gate is `gate(layer, site)`.
Variant choosingAll(Variant variant);
test::TorchCheckpoint withSilentRouters(test::TorchCheckpoint checkpoint);
using ConstantGate = std::function<double(std::int64_t layer, const std::string& site)>;
test::TorchCheckpoint denseTwin(const Variant& all, const ConstantGate& gate);

} // namespace headscope::tests
