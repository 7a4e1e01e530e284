// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/sample_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>

namespace headscope::samples {

using core::Block;
using core::RouterAddress;
using core::Site;

namespace {

/// In [-1, 1), the same for the same arguments.
float noise(std::uint64_t seed, std::uint64_t index)
{
    std::uint64_t x = seed * 0x9e3779b97f4a7c15ULL + index * 0xd1b54a32d192ed03ULL + 0x632be59bd9b4e019ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return static_cast<float>(static_cast<double>(x >> 40) / static_cast<double>(1 << 23) - 1.0);
}

std::vector<float> noises(std::uint64_t seed, std::size_t count, float scale)
{
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = scale * noise(seed, i);
    return values;
}

struct SiteSpec {
    RouterAddress address; // without head
    int heads = 1;
    bool perHead = false;
    int experts = 4;
    int chosen = 2;
    core::GateKind gate = core::GateKind::Sigmoid;
    core::Side side = core::Side::Destination;
    std::optional<std::string> weightsGroup;
};

/// Scores that depend on the token's id and a little on its place.
void fillLogits(core::SiteRouting& site, const core::TokenizedText& text, std::uint64_t seed)
{
    const bool hasDead = site.router.address == RouterAddress{core::Stack::None, 1, Block::Self, Site::O, std::nullopt};
    for (std::int64_t token = 0; token < site.tokens; ++token) {
        const auto id = static_cast<std::uint64_t>(text.tokens[static_cast<std::size_t>(token)].id);
        for (int head = 0; head < site.heads; ++head) {
            for (int expert = 0; expert < site.router.experts; ++expert) {
                const auto router = seed * 64 + static_cast<std::uint64_t>(head * 16 + expert);
                const bool dead = hasDead && head == 1 && expert == 3;
                site.logits[site.logit(token, head, expert)] =
                    dead ? -9.0F : 2.5F * noise(router, id) + 0.4F * noise(router + 7, static_cast<std::uint64_t>(token));
            }
        }
    }
}

float gateOf(core::GateKind gate, float logit, std::span<const float> all)
{
    if (gate == core::GateKind::Sigmoid)
        return 1 / (1 + std::exp(-logit));
    const float top = *std::max_element(all.begin(), all.end());
    const float sum =
        std::accumulate(all.begin(), all.end(), 0.0F, [top](float s, float x) { return s + std::exp(x - top); });
    return std::exp(logit - top) / sum;
}

void choose(core::SiteRouting& site, std::int64_t token, int head)
{
    const int experts = site.router.experts;
    const int chosen = site.router.chosen;
    std::span<float> logits(&site.logits[site.logit(token, head, 0)], static_cast<std::size_t>(experts));
    std::vector<int> order(static_cast<std::size_t>(experts));
    std::iota(order.begin(), order.end(), 0);
    const auto better = [&](int a, int b) { return logits[a] != logits[b] ? logits[a] > logits[b] : a < b; };
    std::sort(order.begin(), order.end(), better);
    if (token % 17 == 5 && chosen < experts) // a doubtful choice
        logits[order[chosen]] = std::nextafter(logits[order[chosen - 1]], -100.0F);
    for (int position = 0; position < chosen; ++position) {
        site.experts[site.slot(token, head, position)] = order[position];
        site.gates[site.slot(token, head, position)] = gateOf(site.router.gate, logits[order[position]], logits);
    }
    site.margins[site.margin(token, head)] =
        chosen < experts ? logits[order[chosen - 1]] - logits[order[chosen]] : std::numeric_limits<float>::quiet_NaN();
}

std::shared_ptr<const core::SiteRouting> makeSite(const SiteSpec& spec, const core::TokenizedText& text, std::uint64_t seed)
{
    auto site = std::make_shared<core::SiteRouting>();
    site->router = {spec.address, spec.experts, spec.chosen, spec.gate, spec.side, 0, std::nullopt, spec.weightsGroup};
    site->heads = spec.heads;
    site->perHead = spec.perHead;
    site->tokens = static_cast<std::int64_t>(text.tokens.size());
    const auto decisions = static_cast<std::size_t>(site->tokens * spec.heads);
    site->logits.resize(decisions * static_cast<std::size_t>(spec.experts));
    site->experts.resize(decisions * static_cast<std::size_t>(spec.chosen));
    site->gates.resize(site->experts.size());
    site->margins.resize(decisions);
    fillLogits(*site, text, seed);
    for (std::int64_t token = 0; token < site->tokens; ++token)
        for (int head = 0; head < spec.heads; ++head)
            choose(*site, token, head);
    return site;
}

float dot(const float* a, const float* b, int width)
{
    return std::inner_product(a, a + width, b, 0.0F);
}

float score(const core::AttentionKeep& keep, std::int64_t row, std::int64_t column, int map)
{
    const float* query = &keep.queries[static_cast<std::size_t>((row * keep.maps + map) * keep.width)];
    const float* key = &keep.keys[static_cast<std::size_t>((column * keep.keyHeads + map % keep.keyHeads) * keep.width)];
    float value = dot(query, key, keep.width);
    if (keep.relativeHeads > 0) {
        const auto place = (row - column) * keep.relativeHeads + map % keep.relativeHeads;
        value += dot(query, &keep.relative[static_cast<std::size_t>(place * keep.width)], keep.width);
    }
    return value;
}

std::shared_ptr<const core::AttentionKeep> makeAttention(int depth, std::int64_t tokens, int maps, int keyHeads, bool slots)
{
    constexpr int width = 8;
    auto keep = std::make_shared<core::AttentionKeep>();
    keep->address = {core::Stack::None, depth, Block::Self};
    keep->maps = maps;
    keep->keyHeads = keyHeads;
    keep->width = width;
    keep->rows = keep->columns = tokens;
    keep->relativeHeads = slots ? 0 : keyHeads;
    keep->slots = slots;
    const auto seed = static_cast<std::uint64_t>(900 + depth * 10);
    const auto count = static_cast<std::size_t>(tokens) * width;
    keep->queries = noises(seed, count * static_cast<std::size_t>(maps), 1.2F);
    keep->keys = noises(seed + 1, count * static_cast<std::size_t>(keyHeads), 1.2F);
    keep->relative = noises(seed + 2, count * static_cast<std::size_t>(keep->relativeHeads), 1.0F);
    keep->logSumExp.resize(static_cast<std::size_t>(tokens * maps));
    for (std::int64_t row = 0; row < tokens; ++row) {
        for (int map = 0; map < maps; ++map) {
            double sum = 0;
            for (std::int64_t column = 0; column <= row; ++column)
                sum += std::exp(score(*keep, row, column, map));
            keep->logSumExp[static_cast<std::size_t>(row * maps + map)] = static_cast<float>(std::log(sum));
        }
    }
    return keep;
}

struct AttentionSpec {
    int maps = 2;
    int keyHeads = 2;
    bool slots = false;
};

std::shared_ptr<core::ModelInfo> describe(std::string variant,
                                          const std::vector<std::shared_ptr<const core::SiteRouting>>& sites,
                                          const AttentionSpec& attention)
{
    auto info = std::make_shared<core::ModelInfo>();
    info->path = "sample.pth";
    info->family = "moe_attention";
    info->variant = std::move(variant);
    info->parameters = 5'000'000;
    info->layers = 2;
    info->width = 64;
    info->vocabulary = 4000;
    info->heads = attention.maps;
    info->headWidth = 8;
    info->device = "cpu";
    info->dtype = "float32";
    for (const auto& site : sites) {
        for (int head = 0; head < site->heads; ++head) {
            core::Router router = site->router;
            router.address = site->address(head);
            info->routers.push_back(router);
        }
    }
    for (int depth = 0; depth < 2; ++depth) {
        const int experts = attention.slots && !sites.empty() ? sites.front()->router.experts : 0;
        info->maps.push_back({{core::Stack::None, depth, Block::Self}, attention.maps, attention.slots, experts});
    }
    return info;
}

std::shared_ptr<const core::Trace> assemble(std::string variant, std::string_view source, const std::vector<SiteSpec>& specs,
                                            const AttentionSpec& attention, Maps maps)
{
    auto trace = std::make_shared<core::Trace>();
    trace->streams.push_back({"text", tokenize(source)});
    const auto& text = trace->streams.front().text;
    const auto tokens = static_cast<std::int64_t>(text.tokens.size());
    for (std::size_t i = 0; i < specs.size(); ++i)
        trace->sites.push_back(makeSite(specs[i], text, i + 1));
    trace->options.maps = maps == Maps::Kept;
    for (int depth = 0; trace->options.maps && depth < 2; ++depth)
        trace->attention.push_back(makeAttention(depth, tokens, attention.maps, attention.keyHeads, attention.slots));
    for (std::int64_t token = 0; token < tokens; ++token) {
        const auto place = static_cast<std::uint64_t>(token);
        trace->loss.push_back(token == 0 ? std::numeric_limits<float>::quiet_NaN() : 4 + 3.5F * noise(77, place));
        trace->rank.push_back(token == 0 ? -1 : static_cast<int>(200 * (1 + noise(78, place))));
    }
    trace->milliseconds = 3.5;
    trace->model = describe(std::move(variant), trace->sites, attention);
    return trace;
}

std::vector<SiteSpec> switchHeadSites()
{
    std::vector<SiteSpec> sites;
    for (int depth = 0; depth < 2; ++depth) {
        sites.push_back({{core::Stack::None, depth, Block::Self, Site::V, std::nullopt},
                         2,
                         true,
                         4,
                         2,
                         core::GateKind::Sigmoid,
                         core::Side::Source,
                         std::nullopt});
        sites.push_back({{core::Stack::None, depth, Block::Self, Site::O, std::nullopt},
                         2,
                         true,
                         4,
                         2,
                         core::GateKind::Sigmoid,
                         core::Side::Destination,
                         std::nullopt});
    }
    return sites;
}

} // namespace

std::shared_ptr<const core::Trace> switchHead(std::string_view text, Maps maps)
{
    return assemble("SwitchHead XL", text, switchHeadSites(), {2, 2, false}, maps);
}

std::shared_ptr<const core::Trace> moa(std::string_view text, Maps maps)
{
    std::vector<SiteSpec> sites;
    for (int depth = 0; depth < 2; ++depth)
        sites.push_back({{core::Stack::None, depth, Block::Self, Site::QO, std::nullopt},
                         1,
                         false,
                         6,
                         2,
                         core::GateKind::SoftmaxAll,
                         core::Side::Destination,
                         std::nullopt});
    return assemble("MoA (mode moa)", text, sites, {2, 1, true}, maps);
}

std::shared_ptr<const core::Trace> switchAll(std::string_view text, Maps maps)
{
    auto sites = switchHeadSites();
    for (int depth = 0; depth < 2; ++depth)
        sites.insert(sites.begin() + depth * 3 + 2, {{core::Stack::None, depth, Block::Ffn, Site::Mlp, std::nullopt},
                                                     1,
                                                     false,
                                                     12,
                                                     3,
                                                     core::GateKind::Sigmoid,
                                                     core::Side::Destination,
                                                     std::nullopt});
    for (auto& site : sites)
        site.weightsGroup = fmt::format("0.{}.{}", core::toString(site.address.block), core::toString(site.address.site));
    return assemble("SwitchAll XL", text, sites, {2, 2, false}, maps);
}

std::shared_ptr<const core::Trace> dense(std::string_view text, Maps maps)
{
    return assemble("dense Transformer-XL", text, {}, {2, 2, false}, maps);
}

} // namespace headscope::samples
