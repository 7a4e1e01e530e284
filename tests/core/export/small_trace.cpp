// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/export/small_trace.h"

#include <array>
#include <cmath>
#include <limits>

namespace headscope::samples {

using namespace core;

namespace {

constexpr int heads = 2;
constexpr int experts = 3;
constexpr int chosen = 2;
constexpr int vocabulary = 4;
constexpr float nothing = std::numeric_limits<float>::quiet_NaN();

Router router()
{
    Router router;
    router.address.site = Site::V;
    router.experts = experts;
    router.chosen = chosen;
    router.gate = GateKind::Sigmoid;
    router.side = Side::Source;
    return router;
}

std::shared_ptr<const ModelInfo> info()
{
    auto info = std::make_shared<ModelInfo>();
    info->path = "somewhere/run 7/model-100.pth";
    info->family = "moe_attention";
    info->variant = "SwitchHead XL";
    info->container = "PyTorch zip";
    info->device = "cpu";
    info->dtype = "float32";
    info->vocabulary = vocabulary;
    info->settings = {{"moe.att.k", "2", "args"}};
    info->notes = {"somewhere/run 7/args.json disagrees about nothing."};
    for (int head = 0; head < heads; ++head) {
        Router one = router();
        one.address.head = head;
        info->routers.push_back(one);
    }
    info->maps = {{.address = {}, .maps = heads}};
    return info;
}

TokenizedText text(int tokens)
{
    static constexpr std::array<std::string_view, 3> pieces{"a\"", "\n", "\xff"};
    TokenizedText text;
    for (int i = 0; i < tokens; ++i) {
        const std::string_view piece = pieces[static_cast<std::size_t>(i) % pieces.size()];
        const std::size_t begin = text.text.size();
        text.text += piece;
        text.tokens.push_back({i % vocabulary, std::string(piece), {begin, text.text.size()}, false, i});
    }
    if (tokens > 0) {
        text.text += ' ';
        text.gaps.push_back({text.text.size() - 1, text.text.size()});
    }
    return text;
}

std::shared_ptr<const SiteRouting> site(int tokens)
{
    auto site = std::make_shared<SiteRouting>();
    site->router = router();
    site->heads = heads;
    site->tokens = tokens;
    for (int token = 0; token < tokens; ++token) {
        for (int head = 0; head < heads; ++head) {
            for (int expert = 0; expert < experts; ++expert)
                site->logits.push_back(static_cast<float>(token) + 0.1F * static_cast<float>(head) + 0.01F * static_cast<float>(expert));
            for (int position = 0; position < chosen; ++position) {
                site->experts.push_back(experts - 1 - position);
                site->gates.push_back(1.0F / static_cast<float>(1 + position));
            }
            site->margins.push_back(head == 0 ? 0.01F : nothing);
        }
    }
    return site;
}

/// Queries and keys of zero: every query looks evenly at what it sees.
std::shared_ptr<const AttentionKeep> block(int tokens)
{
    auto block = std::make_shared<AttentionKeep>();
    block->maps = heads;
    block->keyHeads = 1;
    block->width = 1;
    block->rows = tokens;
    block->columns = tokens;
    const auto count = static_cast<std::size_t>(tokens);
    block->queries.assign(count * heads, 0.0F);
    block->keys.assign(count, 0.0F);
    for (int row = 0; row < tokens; ++row)
        block->logSumExp.insert(block->logSumExp.end(), heads, std::log(static_cast<float>(row + 1)));
    return block;
}

} // namespace

Trace smallTrace(int tokens)
{
    Trace trace;
    trace.model = info();
    trace.streams = {{"text", text(tokens)}};
    trace.options = {.maps = true, .routerLogits = true, .loss = true, .logits = true, .predictions = 2};
    trace.sites = {site(tokens)};
    trace.attention = {block(tokens)};
    for (int token = 0; token < tokens; ++token) {
        trace.loss.push_back(token == 0 ? nothing : 1.5F);
        trace.rank.push_back(token == 0 ? -1 : 2);
        trace.predictions.push_back({3, 0.5F});
        trace.predictions.push_back({1, 0.25F});
        for (int word = 0; word < vocabulary; ++word)
            trace.logits.push_back(static_cast<float>(10 * token + word));
    }
    return trace;
}

} // namespace headscope::samples
