// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/families/argument_values.h"
#include "core/families/arguments.h"
#include "core/families/moe_attention/heads.h"
#include "core/families/moe_attention/keys.h"
#include "core/families/moe_attention/old_names.h"
#include "core/families/text_policy.h"

#include <algorithm>
#include <cmath>

namespace headscope::core::moe_attention {
namespace {

const std::string attention = "unique_layers.0.self_attn.";

struct Facts {
    const Checkpoint& checkpoint;
    const Arguments& arguments;
    Traits traits;

    bool has(std::string_view name) const
    {
        return checkpoint.find(std::string("unique_layers.0.") + std::string(name)) != nullptr;
    }
    bool is(std::string_view trait) const { return traits.contains(trait); }
    void add(std::string_view trait, bool holds)
    {
        if (holds)
            traits.emplace(trait);
    }
    bool experts(char letter) const { return shapeOf(checkpoint, attention + "projections." + letter).size() == 3; }
    bool ownRouter(char letter) const { return checkpoint.find(attention + "selections." + letter) != nullptr; }
    /// Whoever uses a flag says when it is neither 0 nor 1.
    bool flag(std::string_view key) const
    {
        const auto value = arguments.table().knows(key) ? arguments.value(key) : nullptr;
        return value && asNumber(*value).value_or(0) == 1;
    }
    std::string word(std::string_view key, std::string_view otherwise) const
    {
        return arguments.table().knows(key) ? arguments.text(key).value_or(std::string(otherwise)) : std::string(otherwise);
    }
    bool given(std::string_view key) const { return arguments.table().knows(key) && arguments.given(key); }
};

/// Two rotated dimensions turn by the position itself: only further ones know the base.
bool rotates(const Facts& facts)
{
    const auto keys = shapeOf(facts.checkpoint, attention + "projections.k");
    const auto rows =
        facts.has("self_attn.data_to_q.weight") ? shapeOf(facts.checkpoint, attention + "data_to_q.weight") : keys;
    const auto heads = facts.arguments.integer("transformer.n_heads").value_or(0);
    if (heads < 1 || rows.empty())
        return true;
    const auto width = static_cast<double>(keys.size() == 3 ? keys[2] : rows[0] / heads);
    return std::floor(facts.arguments.number("rope.rotate_fraction").value_or(0.5) * width) >= 4;
}

void addAttention(Facts& facts)
{
    const bool switchHead = facts.has("self_attn.projections.q");
    facts.add("switchhead", switchHead);
    facts.add("moa", facts.has("self_attn.sel_dst") && !switchHead);
    facts.add("dense", facts.has("self_attn.data_to_kv.weight"));
    facts.add("relative", facts.has("self_attn.pos_to_pk") || facts.has("self_attn.multi_head_merge.weight"));
    facts.add("rotary", !facts.is("relative"));
    facts.add("content-biases", facts.is("dense") && facts.has("self_attn.global_content_bias"));
    facts.add("moa-my", facts.is("moa") && facts.word("moa.mode", "my") == "my");
    facts.add("rotates", facts.is("rotary") && rotates(facts));
}

void addFeedForward(Facts& facts)
{
    const bool mixture = facts.has("pkm.keys");
    facts.add("mixture-ffn", mixture);
    facts.add("dense-ffn", !mixture);
    facts.add("gate-ffn", mixture && facts.word("moe.selection_mode", "sigmoid") == "gate");
    facts.add("gelu-variant", facts.word("transformer.variant", "").ends_with("_gelu"));
    facts.add("topk-activation", !facts.is("gelu-variant") && facts.word("transformer.activation", "relu") == "topk");
}

/// No width of a head has to be given where the training code's default fits the tensors.
void addHeadWidth(Facts& facts)
{
    if (facts.given("transformer.head_projection_size") || facts.is("moa"))
        return;
    const auto width = modelWidth(facts.checkpoint);
    facts.add("odd-head-width", fittingHeads(facts.checkpoint, facts.arguments, width).empty() &&
                                    !fittingHeads(facts.checkpoint, facts.arguments, width, HeadWidth::Open).empty());
}

/// Which keys the numbers of experts of a SwitchHead layer come from, and whether its tensors show how routers are shared.
void addExperts(Facts& facts)
{
    if (facts.is("moa")) {
        facts.add("plain-experts", true);
        return;
    }
    if (!facts.is("switchhead"))
        return;
    const bool q = facts.experts('q'), k = facts.experts('k'), v = facts.experts('v'), o = facts.experts('o');
    for (const char letter : {'q', 'k', 'v', 'o'})
        facts.add(std::string(1, letter) + "-experts", facts.experts(letter));
    const bool keyNumber = facts.given("moe.att.kq_n_experts"), sideNumber = facts.given("moe.att.qside_n_experts");
    facts.add("plain-experts", v || (o && !sideNumber) || (k && !keyNumber) || (q && !keyNumber && !sideNumber));
    facts.add("query-side-experts", o || (q && !keyNumber));
    facts.add("several-heads", facts.arguments.integer("transformer.n_heads").value_or(2) > 1);
    facts.add("sigmoid", facts.word("moe.att.selection_mode", "sigmoid") == "sigmoid");
    facts.add("norm-qk", facts.is("dense-ffn") && facts.is("sigmoid") && (q || k));

    // The training code's rules: q uses o's router and k uses v's unless they are separate; same_sel gives v that of o, and
    // separate keys that of q.
    const auto rows = [&](char letter) { return shapeOf(facts.checkpoint, attention + "projections." + letter).at(0); };
    const bool queryTold = q && o && rows('q') == rows('o');
    const bool same = facts.flag("moe.att.same_sel");
    facts.add("same-sel", same);
    facts.add("separate-kq-sel", facts.flag("moe.att.separate_kq_sel"));
    const bool keyTold = k && v && rows('k') == rows('v') && !(same && q);
    const bool keySeparate = k && (facts.flag("moe.att.separate_kq_sel") || (v && rows('k') != rows('v')));
    facts.add("sharing-told", (v && o) || (keySeparate && q));
    facts.add("separate-told", queryTold || keyTold);
    facts.add("key-router-open", k && v && q && same && !facts.ownRouter('k') && rows('k') == rows('v') && !queryTold);
}

void addEvaluation(Facts& facts)
{
    const auto evaluated = facts.arguments.integer("lm.trafo.test_context_blocks").value_or(0);
    const auto blocks = evaluated > 0 ? evaluated : facts.arguments.integer("lm.trafo.context_blocks").value_or(1);
    facts.add("memory", blocks > 0);
    facts.add("test-blocks", evaluated > 0);
    facts.add("unroll-eval", facts.given("lm.unroll_eval"));
    facts.add("same-length", blocks > 0 && facts.flag("lm.trafo.same_length"));
    facts.add("same-length-eval", blocks > 0 && facts.flag("lm.trafo.same_length_eval"));
}

} // namespace

Traits commonTraits(const Checkpoint& checkpoint, const Arguments& arguments)
{
    if (const auto renamed = withTodaysNames(checkpoint, arguments))
        return commonTraits(*renamed, arguments);
    Facts facts{checkpoint, arguments, {}};
    addAttention(facts);
    addFeedForward(facts);
    addExperts(facts);
    addHeadWidth(facts);
    addEvaluation(facts);
    const bool preNorm = checkpoint.find("out_norm.weight") != nullptr;
    facts.add("pre-norm", preNorm);
    facts.add("post-norm", !preNorm);
    facts.add("init-to-sqrt", !preNorm && facts.word("lm.trafo.embedding_mode_init", "default") == "init_to_sqrt_dmodel");
    facts.add("xl-init", !preNorm && facts.flag("lm.trafo.xl_init"));
    facts.add("byte-task", isByteTask(arguments.text("task").value_or("")));
    return facts.traits;
}

} // namespace headscope::core::moe_attention
