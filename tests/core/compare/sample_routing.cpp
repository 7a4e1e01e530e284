// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/compare/sample_routing.h"

#include "core/stats/seeded_random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

namespace headscope::samples {

using namespace core;

TokenizedText letters(std::string_view text)
{
    TokenizedText result;
    result.text = text;
    for (std::size_t i = 0; i < text.size(); ++i)
        result.tokens.push_back({static_cast<TokenId>(static_cast<unsigned char>(text[i])),
                                 std::string(1, text[i]),
                                 {i, i + 1},
                                 false,
                                 static_cast<std::int32_t>(i)});
    return result;
}

TokenizedText pieces(const std::vector<std::string>& spellings)
{
    TokenizedText result;
    for (const std::string& spelling : spellings) {
        const std::size_t at = result.text.size();
        if (spelling.starts_with('~')) {
            result.text += spelling.substr(1);
            result.gaps.push_back({at, result.text.size()});
            continue;
        }
        Token token;
        token.special = spelling.starts_with('[');
        if (!token.special)
            result.text += spelling;
        token.id = static_cast<TokenId>(std::hash<std::string>{}(spelling) % 100'000);
        token.piece = spelling.empty() ? "▁" : spelling;
        token.span = {at, result.text.size()};
        token.group = static_cast<std::int32_t>(result.tokens.size());
        result.tokens.push_back(std::move(token));
    }
    return result;
}

std::shared_ptr<ModelInfo> sampleModel(int layers, const std::string& path)
{
    auto info = std::make_shared<ModelInfo>();
    info->path = path;
    info->family = "sample";
    info->layers = layers;
    info->settings = {{"state_size", "16", "args"}};
    return info;
}

std::shared_ptr<const SiteRouting> sampleSite(const SampleSite& sample, std::int64_t tokens)
{
    auto site = std::make_shared<SiteRouting>();
    site->router.address = *RouterAddress::parse(sample.address);
    site->router.experts = sample.experts;
    site->router.chosen = sample.chosen;
    site->heads = sample.heads;
    site->perHead = sample.perHead;
    site->tokens = tokens;
    site->logits = sample.logits;
    const auto experts = static_cast<std::size_t>(sample.experts);
    for (std::size_t first = 0; first < sample.logits.size(); first += experts) {
        std::vector<std::int32_t> order(experts);
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](int one, int other) {
            return sample.logits[first + static_cast<std::size_t>(one)] >
                   sample.logits[first + static_cast<std::size_t>(other)];
        });
        for (int slot = 0; slot < sample.chosen; ++slot) {
            const auto expert = order[static_cast<std::size_t>(slot)];
            site->experts.push_back(expert);
            site->gates.push_back(1 / (1 + std::exp(-sample.logits[first + static_cast<std::size_t>(expert)])));
        }
        site->margins.push_back(1);
    }
    return site;
}

Trace sampleTrace(TokenizedText text, const std::vector<SampleSite>& sites, std::shared_ptr<const ModelInfo> model)
{
    Trace trace;
    trace.model = std::move(model);
    const auto tokens = static_cast<std::int64_t>(text.tokens.size());
    trace.streams = {{"text", std::move(text)}};
    for (const SampleSite& site : sites)
        trace.sites.push_back(sampleSite(site, tokens));
    return trace;
}

std::string randomText(std::size_t length, std::uint64_t seed)
{
    SeededRandom random(seed);
    std::string text;
    for (std::size_t i = 0; i < length; ++i) // the smaller of two: 'a' is the most frequent
        text += static_cast<char>('a' + std::min(random.below(26), random.below(26)));
    return text;
}

double normal(std::uint64_t seed, std::uint64_t a, std::uint64_t b, std::uint64_t c)
{
    SeededRandom random(((seed * 1'000'003 + a) * 1'000'033 + b) * 1'000'037 + c);
    const double u = (static_cast<double>(random.below(1U << 30)) + 0.5) / static_cast<double>(1U << 30);
    const double v = static_cast<double>(random.below(1U << 30)) / static_cast<double>(1U << 30);
    return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

std::vector<float> randomLogits(const TokenizedText& text, int heads, int experts, const RandomRouting& routing)
{
    std::vector<float> logits;
    for (std::size_t token = 0; token < text.tokens.size(); ++token)
        for (int i = 0; i < heads * experts; ++i) {
            const auto at = static_cast<std::uint64_t>(i);
            double logit = normal(routing.seed, static_cast<std::uint64_t>(text.tokens[token].id), at, 1);
            if (routing.context != 0)
                logit += routing.context * normal(routing.noiseSeed, token, at, 2);
            logits.push_back(static_cast<float>(logit));
        }
    return logits;
}

SampleSite renumbered(const SampleSite& site, std::span<const int> to)
{
    SampleSite result = site;
    const auto experts = static_cast<std::size_t>(site.experts);
    for (std::size_t i = 0; i < site.logits.size(); ++i)
        result.logits[i - i % experts + static_cast<std::size_t>(to[i % experts])] = site.logits[i];
    return result;
}

std::vector<int> randomPermutation(int size, std::uint64_t seed)
{
    std::vector<int> result(static_cast<std::size_t>(size));
    std::iota(result.begin(), result.end(), 0);
    SeededRandom random(seed);
    random.shuffle(std::span(result));
    return result;
}

CompareSettings settings(Matching matching)
{
    CompareSettings result;
    result.matching = matching;
    result.nullReplicates = 40;
    result.bootstrapReplicates = 100;
    return result;
}

std::vector<SampleSite> switchHead(const TokenizedText& text, int experts, int chosen, const RandomRouting& routing)
{
    std::vector<SampleSite> sites;
    for (const char* address : {"layers.0.self.v", "layers.0.self.o", "layers.1.self.v", "layers.1.self.o"}) {
        RandomRouting own = routing;
        own.seed = routing.seed * 100 + sites.size();
        own.noiseSeed = routing.noiseSeed * 100 + sites.size();
        sites.push_back({.address = address,
                         .experts = experts,
                         .chosen = chosen,
                         .heads = 2,
                         .logits = randomLogits(text, 2, experts, own)});
    }
    return sites;
}

RouterRows Rows::of(std::uint64_t seed, std::vector<int> to, int experts, std::size_t width)
{
    return [this, seed, to, experts, width](const RouterAddress& address) {
        std::vector<float> values(static_cast<std::size_t>(experts) * width);
        for (int e = 0; e < experts; ++e)
            for (std::size_t i = 0; i < width; ++i) {
                const auto row = static_cast<std::size_t>(to.empty() ? e : to[static_cast<std::size_t>(e)]);
                const auto site = static_cast<std::uint64_t>(address.depth * 100 + static_cast<int>(address.site) * 10 +
                                                             address.head.value_or(0));
                values[row * width + i] = static_cast<float>(normal(seed, site, static_cast<std::uint64_t>(e), i));
            }
        m_kept.push_back(std::make_unique<std::vector<float>>(std::move(values)));
        return MatrixRows{*m_kept.back(), width};
    };
}

ComparedTraces traces(Trace a, Trace b)
{
    return {std::make_shared<const Trace>(std::move(a)), std::make_shared<const Trace>(std::move(b))};
}

} // namespace headscope::samples
