// SPDX-License-Identifier: GPL-3.0-or-later
// What hyper-parameters can say wrongly: shapes win with a note, contradictions and unknown configurations are refused with a sentence.
#include "tests/core/families/changed_checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace headscope::tests {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(ChangedCheckpoint, OpensAsItWas)
{
    EXPECT_THAT(refusal(), IsEmpty());
}

TEST_F(ChangedCheckpoint, ShapesWinOverArgumentsWithANote)
{
    set("transformer.encoder_n_layers", std::int64_t{7});
    set("state_size", std::string("99"));
    const auto model = open();
    EXPECT_EQ(model->info()->layers, 2);
    EXPECT_THAT(model->info()->notes, AllOf(Contains(HasSubstr("encoder_n_layers is 7")), Contains(HasSubstr("state_size is 99"))));
}

TEST_F(ChangedCheckpoint, HeadsThatDoNotDivideAreRefused)
{
    set("transformer.n_heads", std::int64_t{3});
    EXPECT_THAT(refusal(), AllOf(HasSubstr("model.pth"), HasSubstr("3 heads"), EndsWith(".")));
}

TEST_F(ChangedCheckpoint, MoreChosenThanExpertsIsRefused)
{
    set("moe.att.k", std::int64_t{5});
    EXPECT_THAT(refusal(), AllOf(HasSubstr("moe.att.k is 5"), HasSubstr("4 experts"), EndsWith(".")));
}

TEST_F(ChangedCheckpoint, UnknownConfigurationsAreRefusedByName)
{
    for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{{"transformer.variant", "preln_frel_group"},
                                                                                     {"moe.att.selection_mode", "sinkhorn"},
                                                                                     {"transformer.activation", "silu"}}) {
        const auto before = file.args;
        set(key, value);
        EXPECT_THAT(refusal(), AllOf(HasSubstr("model.pth"), HasSubstr(key), HasSubstr(value), EndsWith("."))) << key;
        file.args = before;
    }
}

TEST_F(ChangedCheckpoint, OnlyWhatCannotBeKnownIsRefusedOfPostNormScales)
{
    set("lm.trafo.embedding_mode_init", std::string("scale_to_sqrt_dmodel"));
    EXPECT_THAT(refusal(), IsEmpty()); // pre-LN: there is no scale
    set("transformer.variant", std::string("moe"));
    std::erase_if(file.tensors, [](const test::TorchTensor& tensor) { return tensor.name.starts_with("out_norm."); });
    EXPECT_THAT(refusal(), AllOf(HasSubstr("lm.trafo.embedding_mode_init"), HasSubstr("scale_to_sqrt_dmodel"), EndsWith(".")));
    for (const auto* mode : {"default", "like_preln", "one_and_scale_to_sqrt_dmodel", "init_to_sqrt_dmodel"}) {
        set("lm.trafo.embedding_mode_init", std::string(mode));
        EXPECT_THAT(refusal(), IsEmpty()) << mode;
    }
}

TEST_F(ChangedCheckpoint, AdaptiveSoftmaxIsRefused)
{
    file.tensors.push_back({.name = "output.head.weight", .shape = {1}, .values = {1.0}});
    EXPECT_THAT(refusal(), AllOf(HasSubstr("model.pth"), HasSubstr("adaptive softmax"), HasSubstr("output.head.weight"), EndsWith(".")));
}

TEST_F(ChangedCheckpoint, EveryActivationOfTheTrainingCodeOpens)
{
    set("transformer.topk_value", std::int64_t{5});
    for (const auto* activation : {"relu", "gelu", "identity", "sigmoid", "softmax", "topk"}) {
        set("transformer.activation", std::string(activation));
        EXPECT_THAT(refusal(), IsEmpty()) << activation;
    }
    set("transformer.topk_value", std::int64_t{100000});
    EXPECT_THAT(refusal(), AllOf(HasSubstr("transformer.topk_value is 100000"), EndsWith(".")));
}

TEST_F(ChangedCheckpoint, OptionsThatOnlyTrainingUsesDoNotMatter)
{
    for (const auto* key : {"moe.att.expert_dropout", "moe.att.drop_expert", "moe.att.perplexity_reg", "grad_clip"})
        set(key, std::string("0.1"));
    set("moe.topk_mode", std::string("approx")); // of a mixture feed-forward, which this model has not
    EXPECT_THAT(refusal(), IsEmpty());
}

class ChangedSwitchAll : public ChangedCheckpoint
{
protected:
    ChangedSwitchAll() : ChangedCheckpoint("switchall_xl") {}
};

TEST_F(ChangedSwitchAll, ApproximateTopKIsRefusedByName)
{
    for (const auto* mode : {"approx", "l1_approx"}) {
        set("moe.topk_mode", std::string(mode));
        EXPECT_THAT(refusal(), AllOf(HasSubstr("moe.topk_mode"), HasSubstr(mode), EndsWith("."))) << mode;
    }
    set("moe.topk_mode", std::string("full"));
    for (const auto* mode : {"sigmoid", "gate", "mul"})
        for (const std::int64_t after : {0, 1}) {
            set("moe.selection_mode", std::string(mode));
            set("moe.activation_after_topk", after);
            EXPECT_THAT(refusal(), IsEmpty()) << mode << after;
        }
    for (const auto* norm : {"none", "cos", "weights", "input"}) {
        set("moe.sel_norm", std::string(norm));
        EXPECT_THAT(refusal(), IsEmpty()) << norm;
    }
}

TEST_F(ChangedCheckpoint, ArgumentsOfTheWrongKindAreRefused)
{
    set("moe.att.k", std::string("many"));
    EXPECT_THAT(refusal(), AllOf(HasSubstr("moe.att.k"), HasSubstr("many"), EndsWith(".")));
}

TEST_F(ChangedCheckpoint, WithoutHyperParametersItIsSaidWhatIsMissing)
{
    file.args.clear();
    file.layout = test::TorchLayout::StateDict;
    EXPECT_THAT(refusal(), AllOf(HasSubstr("no hyper-parameters"), HasSubstr("moe.att.k"), HasSubstr("args.json"), EndsWith(".")));
}

TEST_F(ChangedCheckpoint, AMissingTensorIsNamed)
{
    std::erase_if(file.tensors, [](const test::TorchTensor& tensor) { return tensor.name == "unique_layers.1.self_attn.pos_to_pk"; });
    EXPECT_THAT(refusal(), AllOf(HasSubstr("unique_layers.1.self_attn.pos_to_pk"), HasSubstr("missing"), EndsWith(".")));
}

TEST_F(ChangedCheckpoint, ATensorThatNothingUsesIsRefused)
{
    file.tensors.push_back({.name = "unique_layers.0.self_attn.gate.weight", .shape = {1}, .values = {1.0}});
    EXPECT_THAT(refusal(), AllOf(HasSubstr("unique_layers.0.self_attn.gate.weight"), HasSubstr("not opened")));
}

TEST_F(ChangedCheckpoint, WrappersPrefixesAndOptimizerStateDoNotMatter)
{
    for (auto& tensor : file.tensors)
        tensor.name = "module._orig_mod." + tensor.name;
    file.optimizer = test::OptimizerState::Adam;
    EXPECT_THAT(refusal(), IsEmpty());
}

TEST_F(ChangedCheckpoint, OldTensorNamesAreRead)
{
    const auto today = open();
    const std::vector<std::pair<std::string, std::string>> names{{"projections.q", "data_to_q"}, {"projections.k", "data_to_k"},
                                                                 {"projections.v", "data_to_v"}, {"projections.o", "out_proj"},
                                                                 {"selections.o", "sel_dst"},    {"selections.v", "sel_src"}};
    for (auto& tensor : file.tensors)
        for (const auto& [now, before] : names)
            if (tensor.name.ends_with(now))
                tensor.name.replace(tensor.name.size() - now.size(), now.size(), before);
    const auto old = open();
    EXPECT_EQ(old->trace(old->tokensFromIds({1, 2, 3, 4}), {})->loss.back(), today->trace(today->tokensFromIds({1, 2, 3, 4}), {})->loss.back());
}

} // namespace
} // namespace headscope::tests
