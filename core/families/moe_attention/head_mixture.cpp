// SPDX-License-Identifier: GPL-3.0-or-later
// SwitchHead attention: any of q, k, v, o is a mixture of experts with one router per head.
#include "core/families/moe_attention/blocks.h"
#include "core/families/moe_attention/consistency.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace headscope::core::moe_attention {
namespace {

constexpr std::string_view letters = "qkvo";

/// What the tensors say about the four projections of a layer.
struct Layout {
    std::string prefix; // "unique_layers.0.self_attn."
    std::int64_t heads = 0;
    std::int64_t width = 0;
    std::int64_t valueWidth = 0;
    std::map<char, bool> mixture;      // which of q, k, v, o
    std::map<char, char> routerOf;     // whose selection matrix each mixture uses
};

bool isMixture(const nn::Weights& weights, const std::string& prefix, char letter)
{
    return weights.shape(prefix + "projections." + letter).size() == 3;
}

std::int64_t dimension(const nn::Weights& weights, const std::string& name, std::size_t index, const Arguments& arguments)
{
    const auto& shape = weights.shape(name);
    if (index >= shape.size())
        arguments.contradiction(fmt::format("the tensor \"{}\" has too few dimensions.", name));
    return shape[index];
}

/// Rows of a dense projection divided among the heads.
std::int64_t perHead(std::int64_t rows, std::int64_t heads, const std::string& name, const Arguments& arguments)
{
    if (rows % heads != 0)
        arguments.contradiction(fmt::format("\"{}\" has {} rows, which {} heads (transformer.n_heads) do not divide.", name, rows, heads));
    return rows / heads;
}

std::int64_t headWidth(const nn::Weights& weights, const Layout& layout, char letter, const Arguments& arguments)
{
    const auto name = layout.prefix + "projections." + letter;
    return layout.mixture.at(letter) ? dimension(weights, name, 2, arguments)
                                     : perHead(dimension(weights, name, 0, arguments), layout.heads, name, arguments);
}

/// Whose router a mixture uses: its own where the file has one, else the one the training code shares (formats: q with o, v with o, k with v
/// or with q).
std::map<char, char> resolveRouters(const nn::Weights& weights, Arguments& arguments, const Layout& layout)
{
    const auto own = [&](char letter) { return weights.has(layout.prefix + "selections." + letter); };
    const auto matrices = [&](char letter) { return weights.shape(layout.prefix + "projections." + letter)[0]; };
    std::map<char, char> routers;
    const auto& mixture = layout.mixture;
    // The hyper-parameters count only where the list of routers does not tell.
    const bool sameSelection = mixture.at('v') && mixture.at('o') ? !own('v') : arguments.is("same-sel");
    const bool separateRouters = mixture.at('q') && mixture.at('o') && matrices('q') == matrices('o') ? own('q') : arguments.is("separate-kq-sel");
    if (mixture.at('o'))
        routers['o'] = 'o';
    if (mixture.at('q'))
        routers['q'] = own('q') ? 'q' : 'o';
    if (mixture.at('v'))
        routers['v'] = own('v') ? 'v' : 'o';
    if (mixture.at('k')) {
        const bool notAsValues = !mixture.at('v') || matrices('k') != matrices('v');
        const bool asQueries = mixture.at('q') && (notAsValues || (sameSelection && separateRouters));
        routers['k'] = own('k') ? 'k' : asQueries ? routers['q'] : mixture.at('v') ? routers['v'] : 'v';
    }
    for (const std::string_view key : {"moe.att.same_sel", "moe.att.separate_kq_sel"})
        if (const auto kind = arguments.classOf(key); kind == KeyClass::Free)
            arguments.flagInUse(key);
        else if (kind == KeyClass::Inactive)
            arguments.mention(key);
    return routers;
}

Layout readLayout(const nn::Weights& weights, Arguments& arguments, const Configuration& configuration, const LayerPlace& place)
{
    Layout layout;
    layout.prefix = place.prefix + "self_attn.";
    layout.heads = configuration.heads;
    for (const char letter : letters) {
        layout.mixture[letter] = isMixture(weights, layout.prefix, letter);
        const auto key = fmt::format("moe.att.{}_expert", letter);
        arguments.confirm(key, layout.mixture[letter], fmt::format("\"{}projections.{}\"", layout.prefix, letter));
    }
    layout.width = headWidth(weights, layout, 'k', arguments);
    layout.valueWidth = headWidth(weights, layout, 'v', arguments);
    confirmHeadWidth(arguments, layout.width, configuration.width, layout.heads, layout.prefix + "projections.k");
    arguments.confirm("moe.att.v_size", layout.valueWidth, fmt::format("\"{}projections.v\"", layout.prefix), layout.width);
    confirmSharing(weights, arguments, layout.prefix);
    layout.routerOf = resolveRouters(weights, arguments, layout);
    return layout;
}

GateKind gateKind(Arguments& arguments)
{
    const auto mode = arguments.textInUse("moe.att.selection_mode");
    if (mode == "sigmoid")
        return GateKind::Sigmoid;
    if (mode == "softmax")
        return GateKind::SoftmaxChosen;
    arguments.refuse("moe.att.selection_mode", mode, "sigmoid and softmax are");
}

/// norm_qk divides the gates of q and k by their sum over the chosen. The training code does so in place, on an object that o shares with q
/// (and v with k) when they use one router. Layers with a mixture feed-forward never pass the option on.
bool gateNormalised(Arguments& arguments, const Configuration& configuration, const Layout& layout, char letter)
{
    if (!configuration.normQkPossible)
        return false;
    if (!arguments.is("norm-qk")) {
        arguments.mention("moe.att.norm_qk");
        return false;
    }
    if (!arguments.flagInUse("moe.att.norm_qk"))
        return false;
    const auto sharesWith = [&](char other) {
        return layout.mixture.at(other) && layout.routerOf.at(other) == layout.routerOf.at(letter);
    };
    switch (letter) {
    case 'q':
    case 'k': return true;
    case 'o': return sharesWith('q');
    case 'v': return sharesWith('k');
    default: return false;
    }
}

Site siteOf(char letter)
{
    switch (letter) {
    case 'q': return Site::Q;
    case 'k': return Site::K;
    case 'v': return Site::V;
    default: return Site::O;
    }
}

/// A site that uses another's router on the same tokens repeats its decision. In a pre-LN layer both sides read the same tensor.
std::optional<RouterAddress> sharedDecision(const Configuration& configuration, const Layout& layout, char letter, RouterAddress address)
{
    const char router = layout.routerOf.at(letter);
    if (router == letter)
        return std::nullopt;
    const bool sameSide = (letter == 'q' && router == 'o') || (letter == 'k' && router == 'v');
    if (!sameSide && configuration.placement == nn::NormPlacement::PostWithNormedSource)
        return std::nullopt;
    address.site = siteOf(router);
    return address;
}

nn::RouterLayer routerLayer(nn::Weights& weights, Arguments& arguments, const Configuration& configuration, const Layout& layout, const LayerPlace& place,
                            char letter)
{
    const auto name = layout.prefix + "selections." + layout.routerOf.at(letter);
    const auto rows = dimension(weights, name, 0, arguments);
    const auto experts = perHead(rows, layout.heads, name, arguments);
    const auto chosen = arguments.integerInUse("moe.att.k");
    if (chosen < 1 || chosen > experts)
        arguments.contradiction(fmt::format("moe.att.k is {}, but \"{}\" has {} experts per head.", chosen, name, experts));
    nn::RouterLayer result;
    result.perHead = true;
    result.matrix = weights.get(name, {rows, configuration.width});
    result.rule = {static_cast<int>(layout.heads), static_cast<int>(experts), static_cast<int>(chosen), gateKind(arguments)};
    if (gateNormalised(arguments, configuration, layout, letter) && result.rule.gate == GateKind::Sigmoid)
        result.rule.gate = GateKind::L1Normalised;
    result.router.address = {Stack::None, place.depth, Block::Self, siteOf(letter), std::nullopt};
    result.router.experts = result.rule.experts;
    result.router.chosen = result.rule.chosen;
    result.router.gate = result.rule.gate;
    result.router.side = letter == 'q' || letter == 'o' ? Side::Destination : Side::Source;
    result.router.weightsGroup = place.weightsGroup;
    result.router.sharedWith = sharedDecision(configuration, layout, letter, result.router.address);
    return result;
}

nn::Projection projection(nn::Weights& weights, Arguments& arguments, const Configuration& configuration, const Layout& layout, const LayerPlace& place,
                          char letter)
{
    const auto name = layout.prefix + "projections." + letter;
    const auto width = letter == 'v' || letter == 'o' ? layout.valueWidth : layout.width;
    const auto d = configuration.width;
    nn::Projection result;
    if (!layout.mixture.at(letter)) {
        const auto inner = layout.heads * width;
        result.weight = letter == 'o' ? weights.get(name, {d, inner}) : weights.get(name, {inner, d});
        return result;
    }
    result.router = routerLayer(weights, arguments, configuration, layout, place, letter);
    const std::int64_t experts = result.router->rule.experts;
    const auto matrices = dimension(weights, name, 0, arguments);
    if (matrices != experts && matrices != experts * layout.heads)
        arguments.contradiction(fmt::format("\"{}\" holds {} expert matrices, but {} heads choose from {} experts each.", name, matrices,
                                            layout.heads, experts));
    confirmExperts(arguments, letter, experts, layout.prefix + "selections." + layout.routerOf.at(letter));
    result.sharedExperts = matrices == experts && layout.heads > 1;
    if (const std::string_view key = "moe.att.shared_experts"; arguments.table().knows(key) && arguments.classOf(key) != KeyClass::Inactive)
        arguments.confirm(key, result.sharedExperts, fmt::format("\"{}\"", name));
    result.router->router.expertsOfAllHeads = result.sharedExperts;
    result.weight = letter == 'o' ? weights.get(name, {matrices, width, d}) : weights.get(name, {matrices, d, width});
    return result;
}

} // namespace

nn::Rotary rotary(Arguments& arguments, const Configuration& configuration, std::int64_t headWidth)
{
    const auto fraction = arguments.numberInUse("rope.rotate_fraction");
    if (!arguments.is("rotates"))
        arguments.mention("rope.base");
    const auto base = arguments.is("rotates") ? arguments.numberInUse("rope.base") : 10000.0;
    if (fraction < 0 || fraction > 1 || base <= 1)
        arguments.contradiction(fmt::format("rope.rotate_fraction {} with rope.base {} is not possible.", fraction, base));
    auto rotated = static_cast<std::int64_t>(fraction * static_cast<double>(headWidth));
    if (configuration.evenRotation)
        rotated -= rotated % 2;
    if (rotated % 2 != 0)
        arguments.contradiction(fmt::format("rope.rotate_fraction {} of a head width of {} rotates {} dimensions, and the training code cannot rotate "
                                            "an odd number.", fraction, headWidth, rotated));
    return {rotated, base};
}

std::shared_ptr<const nn::AttentionBlock> headMixtureAttention(nn::Weights& weights, Arguments& arguments, const Configuration& configuration,
                                                               const LayerPlace& place)
{
    const auto layout = readLayout(weights, arguments, configuration, place);
    auto block = std::make_shared<nn::HeadMixtureAttention>();
    block->address = {Stack::None, place.depth, Block::Self};
    block->heads = configuration.heads;
    block->width = static_cast<int>(layout.width);
    block->valueWidth = static_cast<int>(layout.valueWidth);
    block->query = projection(weights, arguments, configuration, layout, place, 'q');
    block->key = projection(weights, arguments, configuration, layout, place, 'k');
    block->value = projection(weights, arguments, configuration, layout, place, 'v');
    block->output = projection(weights, arguments, configuration, layout, place, 'o');
    block->scale = 1 / std::sqrt(static_cast<double>(layout.width));
    block->visibility = configuration.visibility;
    if (configuration.attention == AttentionKind::HeadMixtureRelative)
        block->positions.relative = weights.get(layout.prefix + "pos_to_pk", {layout.heads * layout.width, configuration.width});
    else
        block->positions.rotary = rotary(arguments, configuration, layout.width);
    if (const std::string_view key = "moe.att.norm_ret"; arguments.table().knows(key) && arguments.classOf(key) != KeyClass::Inactive)
        arguments.confirm(key, weights.has(layout.prefix + "norm_ret.weight"), "the file");
    if (weights.has(layout.prefix + "norm_ret.weight"))
        block->mixedNorm = nn::LayerNorm{weights.get(layout.prefix + "norm_ret.weight", {layout.valueWidth}),
                                         weights.get(layout.prefix + "norm_ret.bias", {layout.valueWidth})};
    return block;
}

} // namespace headscope::core::moe_attention
