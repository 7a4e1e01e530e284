// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/trace/model_info.h"
#include "core/trace/trace.h"

#include <memory>
#include <string>
#include <string_view>

namespace headscope::samples {

/// Two lines with doubled spaces, an emoji (four byte tokens of one group), accents and a Hebrew word.
std::string text();
/// About this many tokens of ordinary words in lines of about a dozen.
std::string longText(int tokens);

/// A stand-in for a tokenizer: BOS, then words with their leading space, long ones in two pieces; spaces beyond one and line
/// ends are gaps; characters outside the first plane are four byte tokens of one group, of which the last has the bytes.
core::TokenizedText tokenize(std::string_view text);

/// What stays of attention; without it a long sample is quick to make.
enum class Maps { Kept, Left };

/// Traces made of arithmetic on token ids: the same text gives the same trace. Attention rows sum to 1. Every 17th choice is
/// doubtful; expert 3 of layers.1.self.o.h1 is dead.
///
/// SwitchHead: 2 layers, sites v (source) and o (destination), 2 heads, 2 of 4 experts, sigmoid gates, relative positions.
std::shared_ptr<const core::Trace> switchHead(std::string_view text, Maps maps = Maps::Kept);
/// MoA: 2 layers, site qo, 2 of 6 experts, softmax over all; maps are slots.
std::shared_ptr<const core::Trace> moa(std::string_view text, Maps maps = Maps::Kept);
/// SwitchAll: the SwitchHead one with 3 of 12 feed-forward experts; both layers apply the same weights.
std::shared_ptr<const core::Trace> switchAll(std::string_view text, Maps maps = Maps::Kept);
/// No routers; 2 layers of 2 heads.
std::shared_ptr<const core::Trace> dense(std::string_view text, Maps maps = Maps::Kept);

} // namespace headscope::samples
