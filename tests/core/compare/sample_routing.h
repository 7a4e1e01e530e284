// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/comparison.h"
#include "core/trace/model_info.h"
#include "core/trace/trace.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::samples {

/// A site of a model that is made up: a logit for every token, head and expert.
struct SampleSite {
    std::string address;
    int experts = 4;
    int chosen = 2;
    int heads = 1;
    bool perHead = true;
    std::vector<float> logits = {}; // [tokens, heads, experts]; the k largest are chosen, sigmoid gates
};

/// Tokens of one byte each: ids are the bytes.
core::TokenizedText letters(std::string_view text);
/// Tokens with these spellings, one behind the other; an empty one is a token without bytes, one in brackets ("[s]") a
/// special, one with a leading '~' a gap of the rest. Ids are hashes of the spelling.
core::TokenizedText pieces(const std::vector<std::string>& spellings);

std::shared_ptr<core::ModelInfo> sampleModel(int layers, const std::string& path = "folder/model-100.pth");
core::Trace sampleTrace(core::TokenizedText text, const std::vector<SampleSite>& sites,
                        std::shared_ptr<const core::ModelInfo> model);
std::shared_ptr<const core::SiteRouting> sampleSite(const SampleSite& site, std::int64_t tokens);

/// Text of random letters, some far more frequent than others.
std::string randomText(std::size_t length, std::uint64_t seed);

/// How a random router decides: logit = taste of the token's type + `context` times noise of the position, each standard
/// normal.
struct RandomRouting {
    std::uint64_t seed = 1;
    double context = 0.5;
    std::uint64_t noiseSeed = 1;
};
std::vector<float> randomLogits(const core::TokenizedText& text, int heads, int experts, const RandomRouting& routing);

/// A standard normal number that depends on its arguments alone.
double normal(std::uint64_t seed, std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0);

/// Expert e becomes expert to[e], in every head.
SampleSite renumbered(const SampleSite& site, std::span<const int> to);
std::vector<int> randomPermutation(int size, std::uint64_t seed);

/// Few draws, for tests of other things.
core::CompareSettings settings(core::Matching matching);

/// Two layers of SwitchHead: v and o, two heads each.
std::vector<SampleSite> switchHead(const core::TokenizedText& text, int experts, int chosen, const RandomRouting& routing);

/// Rows of routers, [experts, width], a different one for every expert of every router. Outlives what asks for them.
class Rows
{
public:
    core::RouterRows of(std::uint64_t seed, std::vector<int> to = {}, int experts = 5, std::size_t width = 8);

private:
    std::vector<std::unique_ptr<std::vector<float>>> m_kept;
};

core::ComparedTraces traces(core::Trace a, core::Trace b);

} // namespace headscope::samples
