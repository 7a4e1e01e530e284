// SPDX-License-Identifier: GPL-3.0-or-later
// How many heads an attention has is in no tensor; but what the tensors and the other hyper-parameters say rules most
// numbers out.
#include "core/families/moe_attention/heads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

namespace headscope::core::moe_attention {
namespace {

const std::string attention = "unique_layers.0.self_attn.";
constexpr std::int64_t mostHeads = 4096;

class HeadCheck
{
public:
    HeadCheck(const Checkpoint& checkpoint, const Arguments& arguments, std::int64_t width, std::int64_t heads,
              HeadWidth wanted)
        : m_checkpoint(checkpoint), m_arguments(arguments), m_model(width), m_heads(heads), m_wanted(wanted)
    {
    }

    std::string why()
    {
        if (m_heads < 1 || m_heads > mostHeads)
            return "that is no number of heads";
        if (!shape("projections.q").empty())
            switchHead();
        else if (!shape("sel_dst").empty())
            slots();
        else
            dense();
        return m_why;
    }

private:
    void require(bool fits, std::string why)
    {
        if (!fits && m_why.empty())
            m_why = std::move(why);
    }
    std::vector<std::int64_t> shape(std::string_view name) const
    {
        return shapeOf(m_checkpoint, attention + std::string(name));
    }
    /// Rows (or columns) of a matrix that all heads share, of one head.
    std::optional<std::int64_t> perHead(std::string_view name, std::size_t index)
    {
        const auto sizes = shape(name);
        if (index >= sizes.size())
            return std::nullopt; // whoever reads it says what is wrong
        const auto all = sizes[index];
        require(all % m_heads == 0, fmt::format("\"{}{}\" has {} {}, which {} heads do not divide", attention, name, all,
                                                index ? "columns" : "rows", m_heads));
        return all / m_heads;
    }
    bool mixture(char letter) const { return shape(fmt::format("projections.{}", letter)).size() == 3; }
    std::optional<std::int64_t> widthOf(char letter)
    {
        const auto name = fmt::format("projections.{}", letter);
        if (mixture(letter))
            return shape(name)[letter == 'o' ? 1 : 2];
        return perHead(name, letter == 'o' ? 1 : 0);
    }
    void same(std::optional<std::int64_t> a, std::optional<std::int64_t> b, std::string_view what)
    {
        if (a && b)
            require(*a == *b, fmt::format("then a head's {} would be {} and {} wide", what, *a, *b));
    }
    void headWidth(std::optional<std::int64_t> width)
    {
        if (!width || m_wanted == HeadWidth::Open)
            return;
        const auto key = "transformer.head_projection_size";
        const auto wanted = m_arguments.integer(key).value_or(m_model / m_heads);
        require(*width == wanted,
                fmt::format("then a head would be {} wide, and {}{}", *width, m_arguments.said(key),
                            m_arguments.given(key) ? "" : fmt::format(" (which stands for {} / {})", m_model, m_heads)));
    }
    void experts(char letter);
    void switchHead();
    void slots();
    void dense();

    const Checkpoint& m_checkpoint;
    const Arguments& m_arguments;
    std::int64_t m_model;
    std::int64_t m_heads;
    HeadWidth m_wanted;
    std::string m_why;
};

void HeadCheck::experts(char letter)
{
    const auto name = fmt::format("selections.{}", letter);
    if (!mixture(letter) || shape(name).empty())
        return;
    const auto own = perHead(name, 0);
    const auto matrices = shape(fmt::format("projections.{}", letter))[0];
    require(matrices == *own || matrices == *own * m_heads,
            fmt::format("then {} heads would choose from {} experts each, but there are {} expert matrices", m_heads, *own,
                        matrices));
    for (const auto key : expertKeys(letter)) {
        if (!m_arguments.table().knows(key) || !m_arguments.given(key))
            continue;
        require(m_arguments.integer(key) == own,
                fmt::format("then a head would have {} experts, and {}", *own, m_arguments.said(key)));
        break;
    }
}

void HeadCheck::switchHead()
{
    const auto width = widthOf('k');
    same(width, widthOf('q'), "keys and queries");
    const auto values = widthOf('v');
    same(values, widthOf('o'), "values and outputs");
    if (const auto wanted = m_arguments.integer("moe.att.v_size"); wanted && values)
        require(*values == *wanted,
                fmt::format("then a head's values would be {} wide, and {}", *values, m_arguments.said("moe.att.v_size")));
    else if (width && values)
        require(*width == *values, fmt::format("then a head's keys would be {} and its values {} wide, and {}", *width,
                                               *values, m_arguments.said("moe.att.v_size")));
    same(width, perHead("pos_to_pk", 0), "keys and positions");
    for (const char letter : {'q', 'k', 'v', 'o'})
        experts(letter);
    headWidth(width);
}

void HeadCheck::slots()
{
    const auto queries = shape("data_to_q");
    if (queries.size() != 3)
        return;
    require(m_heads <= queries[0], fmt::format("there are only {} experts to choose from", queries[0]));
    headWidth(queries[2]);
}

void HeadCheck::dense()
{
    const auto width = perHead("data_to_q.weight", 0);
    if (const auto biases = shape("global_content_bias"); !biases.empty())
        require(biases[0] == m_heads,
                fmt::format("\"{}global_content_bias\" has {} rows, one for each head", attention, biases[0]));
    headWidth(width);
}

MissingParameter chosen(std::string_view key, std::string hint, std::int64_t experts)
{
    return {std::string(key), fmt::format("{}, from 1 to {}", hint, experts), {}, 1, std::max<std::int64_t>(1, experts)};
}

std::int64_t firstSize(const Checkpoint& checkpoint, const std::string& name)
{
    const auto shape = shapeOf(checkpoint, name);
    return shape.empty() ? 1 : shape[0];
}

/// Experts of a head at most, for the heads that are given or could be.
std::int64_t mostExperts(const Checkpoint& checkpoint, const Arguments& arguments)
{
    auto heads = arguments.integer("transformer.n_heads").value_or(0);
    if (heads < 1) {
        const auto fitting = fittingHeads(checkpoint, arguments, modelWidth(checkpoint), HeadWidth::Open);
        heads = fitting.empty() ? 1 : fitting.front();
    }
    std::int64_t most = 0;
    for (const char letter : {'q', 'k', 'v', 'o'}) {
        const auto rows = shapeOf(checkpoint, attention + "selections." + letter);
        if (!rows.empty())
            most = most == 0 ? rows[0] / heads : std::min(most, rows[0] / heads);
    }
    return std::max<std::int64_t>(most, 1);
}

MissingParameter missingHeads(const Checkpoint& checkpoint, const Arguments& arguments)
{
    if (!shapeOf(checkpoint, attention + "sel_dst").empty())
        return chosen("transformer.n_heads", "the experts a token chooses", firstSize(checkpoint, attention + "data_to_q"));
    const auto width = modelWidth(checkpoint);
    const bool open =
        !arguments.given("transformer.head_projection_size") && fittingHeads(checkpoint, arguments, width).empty();
    std::vector<std::string> choices;
    for (const auto heads : fittingHeads(checkpoint, arguments, width, open ? HeadWidth::Open : HeadWidth::Compared))
        choices.push_back(std::to_string(heads));
    if (choices.empty())
        arguments.contradiction(
            "no number of attention heads fits the tensors and the hyper-parameters; they are not of one model.");
    auto hint = fmt::format("the attention heads: {}", fmt::join(choices, ", "));
    return {"transformer.n_heads", std::move(hint), std::move(choices)};
}

MissingParameter missingHeadWidth(const Checkpoint& checkpoint, const Arguments& arguments)
{
    const auto rows = firstSize(
        checkpoint, attention + (checkpoint.find(attention + "projections.k") ? "projections.k" : "data_to_q.weight"));
    std::vector<std::string> choices;
    for (const auto heads : fittingHeads(checkpoint, arguments, modelWidth(checkpoint), HeadWidth::Open)) {
        const auto shape = shapeOf(checkpoint, attention + "projections.k");
        choices.push_back(std::to_string(shape.size() == 3 ? shape[2] : rows / heads));
    }
    choices.erase(std::unique(choices.begin(), choices.end()), choices.end());
    auto hint = fmt::format("the width of a head: {}", fmt::join(choices, ", "));
    return {"transformer.head_projection_size", std::move(hint), std::move(choices)};
}

} // namespace

std::string whyNotHeads(const Checkpoint& checkpoint, const Arguments& arguments, std::int64_t width, std::int64_t heads,
                        HeadWidth wanted)
{
    return HeadCheck(checkpoint, arguments, width, heads, wanted).why();
}

std::vector<std::int64_t> fittingHeads(const Checkpoint& checkpoint, const Arguments& arguments, std::int64_t width,
                                       HeadWidth wanted)
{
    std::vector<std::int64_t> fitting;
    for (std::int64_t heads = 1; heads <= std::min(mostHeads, std::max<std::int64_t>(width, 64)); ++heads)
        if (whyNotHeads(checkpoint, arguments, width, heads, wanted).empty())
            fitting.push_back(heads);
    return fitting;
}

std::int64_t modelWidth(const Checkpoint& checkpoint)
{
    const auto adapter = shapeOf(checkpoint, "embedding_adapter.weight");
    const auto embedding = shapeOf(checkpoint, "embedding.weight");
    return adapter.size() == 2 ? adapter[0] : embedding.size() == 2 ? embedding[1] : 0;
}

std::vector<std::string_view> expertKeys(char letter)
{
    switch (letter) {
    case 'q': return {"moe.att.kq_n_experts", "moe.att.qside_n_experts", "moe.att.n_experts"};
    case 'k': return {"moe.att.kq_n_experts", "moe.att.n_experts"};
    case 'o': return {"moe.att.qside_n_experts", "moe.att.n_experts"};
    default: return {"moe.att.n_experts"};
    }
}

MissingParameter aboutMissing(const Checkpoint& checkpoint, const Arguments& arguments, std::string_view key)
{
    constexpr std::int64_t mostTokens = 1 << 20;
    constexpr std::int64_t mostBlocks = 64;
    constexpr std::int64_t mostLayers = 4096;
    if (key == "transformer.n_heads")
        return missingHeads(checkpoint, arguments);
    if (key == "transformer.head_projection_size")
        return missingHeadWidth(checkpoint, arguments);
    if (key == "moe.att.k")
        return chosen(key, "the attention experts a token chooses in a head", mostExperts(checkpoint, arguments));
    if (key == "pkm.n_heads")
        return chosen(key, "the feed-forward experts a token chooses", firstSize(checkpoint, "unique_layers.0.pkm.keys"));
    if (key == "lm.unroll")
        return {std::string(key), "the tokens of a segment in training", {}, 1, mostTokens};
    if (key == "lm.trafo.context_blocks")
        return {std::string(key), "how many earlier segments are seen, 0 for none", {}, 0, mostBlocks};
    std::int64_t modules = 0;
    while (checkpoint.find(fmt::format("unique_layers.{}.norm1.weight", modules)) ||
           checkpoint.find(fmt::format("unique_layers.{}.self_attn.norm.weight", modules)))
        ++modules;
    if (key == "transformer.encoder_n_layers")
        return {std::string(key),
                fmt::format("the layers: a multiple of the {} layer modules", modules),
                {},
                modules,
                mostLayers,
                modules};
    if (key == "transformer.universal.group_size")
        return {std::string(key), fmt::format("the layer modules: {}", modules), {std::to_string(modules)}};
    auto choices = wordsOf(arguments.table().row(key, arguments.traits())->words);
    auto hint = fmt::format("{}", fmt::join(choices, " or "));
    return {std::string(key), std::move(hint), std::move(choices)};
}

} // namespace headscope::core::moe_attention
