// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/families/moe_attention/consistency.h"

#include "core/families/moe_attention/heads.h"

#include <fmt/format.h>

namespace headscope::core::moe_attention {
namespace {

/// A tied output shares the embedding's storage; copies of it, as some converters write them, are as good.
bool oneMatrix(const TensorView& a, const TensorView& b)
{
    if (a.sharesStorageWith(b))
        return true;
    return a.shape == b.shape && a.dtype == b.dtype && a.read() == b.read();
}

void confirmTied(const nn::Weights& weights, Arguments& arguments)
{
    const auto* embedding = weights.checkpoint().find("embedding.weight");
    const auto* output = weights.checkpoint().find("output.weight");
    if (!embedding || !output)
        return;
    const std::string_view key = "tied_embedding";
    arguments.refuseNone(key);
    const auto given = arguments.integer(key);
    if (given.value_or(0) == 0) {
        if (given && embedding->sharesStorageWith(*output))
            arguments.note("tied_embedding is 0, but \"embedding.weight\" and \"output.weight\" are one tensor: the tensors "
                           "are followed.");
        return;
    }
    if (*given != 1 || !oneMatrix(*embedding, *output))
        arguments.contradiction(fmt::format(
            "{}, but \"embedding.weight\" and \"output.weight\" are different matrices: the hyper-parameters are of "
            "another model.",
            arguments.said(key)));
    arguments.confirm(key, 1, "the file");
}

} // namespace

void confirmEnds(const nn::Weights& weights, Arguments& arguments)
{
    const auto& embedding = weights.shape("embedding.weight");
    if (weights.has("embedding_adapter.weight"))
        arguments.confirm("embedding_size", embedding[1], "\"embedding.weight\"");
    else
        arguments.confirm("embedding_size", "none", "the file");
    if (arguments.classOf("sentencepiece.n_pieces") != KeyClass::Inactive)
        arguments.confirm("sentencepiece.n_pieces", embedding[0], "\"embedding.weight\"");
    confirmTied(weights, arguments);
}

void confirmHeadWidth(Arguments& arguments, std::int64_t headWidth, std::int64_t width, std::int64_t heads,
                      const std::string& tensor)
{
    arguments.confirm("transformer.head_projection_size", headWidth, fmt::format("\"{}\"", tensor), width / heads);
}

void confirmExperts(Arguments& arguments, char letter, std::int64_t experts, const std::string& tensor)
{
    for (const auto key : expertKeys(letter)) {
        if (!arguments.table().knows(key) || (key != "moe.att.n_experts" && !arguments.given(key)))
            continue;
        arguments.confirm(key, experts, fmt::format("\"{}\"", tensor));
        return;
    }
}

void confirmSharing(const nn::Weights& weights, Arguments& arguments, const std::string& prefix)
{
    const auto own = [&](char letter) { return weights.has(prefix + "selections." + letter); };
    const auto mixture = [&](char letter) { return weights.shape(prefix + "projections." + letter).size() == 3; };
    const auto asMany = [&](char a, char b) {
        return weights.shape(prefix + "projections." + a)[0] == weights.shape(prefix + "projections." + b)[0];
    };
    if (arguments.classOf("moe.att.same_sel") == KeyClass::Settled)
        arguments.confirm("moe.att.same_sel", mixture('v') && mixture('o') ? !own('v') : !own('k'), "the list of routers");
    if (arguments.classOf("moe.att.separate_kq_sel") == KeyClass::Settled)
        arguments.confirm("moe.att.separate_kq_sel", mixture('q') && mixture('o') && asMany('q', 'o') ? own('q') : own('k'),
                          "the list of routers");
}

void ignoreKnown(nn::Weights& weights, const ParameterTable& table)
{
    for (const auto& tensor : weights.checkpoint().tensors)
        if (table.ignores(tensor.name))
            weights.ignore(tensor.name);
}

} // namespace headscope::core::moe_attention
