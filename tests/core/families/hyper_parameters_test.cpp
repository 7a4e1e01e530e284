// SPDX-License-Identifier: GPL-3.0-or-later
// Where hyper-parameters come from, which of them counts, and what is said of those that cannot be.
#include "core/checkpoint/hyper_parameters.h"
#include "core/families/nested_parameters.h"
#include "tests/core/families/changed_checkpoint.h"
#include "tests/core/families/key_subject.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace headscope::tests {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::string refusedWith(const KeySubject& subject, const json& changes)
{
    auto parameters = subject.parameters();
    parameters.update(changes);
    subject.write(parameters);
    return subject.open(KeySubject::Depth::Described).refusal;
}

core::Setting settingOf(const std::vector<core::Setting>& settings, std::string_view name)
{
    const auto found =
        std::find_if(settings.begin(), settings.end(), [name](const auto& setting) { return setting.name == name; });
    return found == settings.end() ? core::Setting{} : *found;
}

// B.1: the number of heads is in no tensor, but what the tensors say rules the others out.

TEST(FaultB1, HeadsThatTheWidthsContradict)
{
    for (const auto& [fixture, key, right] :
         std::vector<std::tuple<std::string, std::string, int>>{{"switchhead_package", "n_heads", 2},
                                                                {"switchhead_package_e1", "n_heads", 3},
                                                                {"moeut_clean", "n_heads", 2},
                                                                {"switchhead_xl", "transformer.n_heads", 2},
                                                                {"switchhead_rope", "transformer.n_heads", 2},
                                                                {"switchhead_qkvo", "transformer.n_heads", 2},
                                                                {"switchall_xl", "transformer.n_heads", 2},
                                                                {"moeut_aabb", "transformer.n_heads", 2},
                                                                {"dense_xl", "transformer.n_heads", 3},
                                                                {"dense_rope", "transformer.n_heads", 3}}) {
        const KeySubject subject(fixture);
        EXPECT_EQ(refusedWith(subject, {{key, right}}), "") << fixture;
        for (const int heads : {0, 1, 4, 6, 8, 12, 24}) {
            EXPECT_THAT(refusedWith(subject, {{key, heads}}),
                        AllOf(HasSubstr(key + " is " + std::to_string(heads)), HasSubstr("allow " + std::to_string(right)),
                              testing::EndsWith(".")))
                << fixture << " " << heads;
        }
    }
}

/// Also where the arguments leave out what would contradict them.
TEST(FaultB1, HeadsThatTheWidthsContradictWithoutOtherKeys)
{
    for (const auto* fixture : {"switchhead_xl", "switchhead_rope", "switchhead_softmax_sel", "moeut_aabb"}) {
        const KeySubject subject(fixture);
        auto parameters = subject.parameters();
        for (const auto* key : {"moe.att.v_size", "moe.att.n_experts"})
            parameters.erase(key);
        for (const int heads : {1, 4}) {
            parameters["transformer.n_heads"] = heads;
            subject.write(parameters);
            EXPECT_THAT(subject.open(KeySubject::Depth::Described).refusal, HasSubstr("allow 2")) << fixture << heads;
        }
    }
}

TEST(FaultB1, WhatTensorsAndKeysSayAboutOneThingIsCompared)
{
    const KeySubject switchHead("switchhead_xl");
    for (const auto& [key, value] : std::vector<std::pair<std::string, json>>{{"moe.att.n_experts", 8},
                                                                              {"moe.att.v_size", 7},
                                                                              {"tied_embedding", 1},
                                                                              {"moe.att.o_expert", 0},
                                                                              {"moe.att.q_expert", 1},
                                                                              {"moe.att.shared_experts", 1},
                                                                              {"moe.att.qside_n_experts", 3},
                                                                              {"transformer.head_projection_size", 16},
                                                                              {"transformer.variant", "preln_frel_group"},
                                                                              {"transformer.variant", "preln_rope"},
                                                                              {"moe.att.variant", "seq"},
                                                                              {"moe.att.variant", "full_rope"}})
        EXPECT_THAT(refusedWith(switchHead, {{key, value}}), HasSubstr(key)) << value;
    EXPECT_THAT(refusedWith(KeySubject("moa_mode_my"), {{"moe.att.n_experts", 5}}), HasSubstr("moe.att.n_experts"));
    EXPECT_THAT(refusedWith(KeySubject("switchall_xl"), {{"moe.n_experts", 16}}), HasSubstr("moe.n_experts"));
    EXPECT_THAT(refusedWith(KeySubject("switchhead_package"), {{"n_experts", 1000000000}}), HasSubstr("n_experts"));
    EXPECT_THAT(refusedWith(KeySubject("switchhead_package"), {{"d_head", 24}}), HasSubstr("d_head"));
    EXPECT_THAT(refusedWith(KeySubject("moeut_clean"), {{"ff_n_experts", 4}}), HasSubstr("ff_n_experts"));
}

TEST(FaultB1, TheHintOffersOnlyWhatFits)
{
    for (const auto& [fixture, key] : std::map<std::string, std::string>{{"switchhead_xl", "transformer.n_heads"},
                                                                         {"dense_rope", "transformer.n_heads"},
                                                                         {"moeut_aabb", "transformer.n_heads"},
                                                                         {"switchhead_package", "n_heads"},
                                                                         {"switchhead_package_e1", "n_heads"},
                                                                         {"moeut_clean", "n_heads"}}) {
        const KeySubject subject(fixture);
        auto parameters = subject.parameters();
        const auto right = parameters[key].get<int>();
        parameters.erase(key);
        subject.write(parameters);
        try {
            core::openModel(subject.checkpoint());
            ADD_FAILURE() << fixture;
        } catch (const core::MissingParameters& error) {
            ASSERT_EQ(error.parameters().size(), 1U) << error.what();
            EXPECT_THAT(error.parameters()[0].choices, testing::ElementsAre(std::to_string(right))) << fixture;
        }
    }
}

class FaultB1Tied : public ChangedCheckpoint
{
};

TEST_F(FaultB1Tied, CopiesOfOneMatrixAreTied)
{
    set("tied_embedding", std::int64_t{1});
    EXPECT_THAT(refusal(), HasSubstr("tied_embedding"));
    const auto find = [this](const char* name) {
        return std::find_if(file.tensors.begin(), file.tensors.end(),
                            [name](const auto& tensor) { return tensor.name == name; });
    };
    find("output.weight")->values = find("embedding.weight")->values;
    EXPECT_EQ(refusal(), "");
    set("tied_embedding", std::int64_t{0});
    EXPECT_THAT(open()->info()->notes,
                Not(Contains(HasSubstr("tied_embedding")))); // equal, but nobody says that they are one
    const auto embedding = *find("embedding.weight");
    *find("output.weight") = {.name = "output.weight", .shape = embedding.shape, .storageOf = "embedding.weight"};
    EXPECT_THAT(open()->info()->notes, Contains(HasSubstr("tied_embedding is 0")));
}

// B.2: what must be given is asked for, what is nested is found, what is unknown is said.

TEST(FaultB2, WhatMustBeGivenIsAskedFor)
{
    const auto missing = [](const char* fixture) {
        const KeySubject subject(fixture);
        subject.write({{"lr", 0.5}}); // something, but nothing of the model
        try {
            core::openModel(subject.checkpoint());
        } catch (const core::MissingParameters& error) {
            std::vector<std::string> keys;
            for (const auto& parameter : error.parameters())
                keys.push_back(parameter.key);
            return keys;
        }
        return std::vector<std::string>();
    };
    using testing::UnorderedElementsAre;
    EXPECT_THAT(missing("switchhead_xl"),
                UnorderedElementsAre("transformer.n_heads", "transformer.head_projection_size", "moe.att.k",
                                     "moe.att.selection_mode", "lm.unroll", "lm.trafo.context_blocks"));
    EXPECT_THAT(missing("switchall_xl"), UnorderedElementsAre("transformer.n_heads", "transformer.head_projection_size",
                                                              "moe.att.k", "moe.att.selection_mode", "pkm.n_heads",
                                                              "moe.selection_mode", "lm.unroll", "lm.trafo.context_blocks"));
    EXPECT_THAT(missing("moa_mode_moa"), UnorderedElementsAre("transformer.n_heads", "moa.mode", "moe.att.selection_mode",
                                                              "lm.unroll", "lm.trafo.context_blocks"));
    EXPECT_THAT(missing("dense_xl"), UnorderedElementsAre("lm.unroll", "lm.trafo.context_blocks"));
    EXPECT_THAT(missing("dense_rope"), UnorderedElementsAre("transformer.n_heads", "lm.unroll", "lm.trafo.context_blocks"));
    EXPECT_THAT(missing("moeut_aabb"),
                UnorderedElementsAre("transformer.n_heads", "transformer.head_projection_size", "moe.att.k",
                                     "moe.att.selection_mode", "pkm.n_heads", "moe.selection_mode", "lm.unroll",
                                     "lm.trafo.context_blocks", "transformer.encoder_n_layers",
                                     "transformer.universal.group_size"));
}

TEST(FaultB2, DefaultsOfTheTrainingCodeAreSaid)
{
    const KeySubject subject("switchhead_rope");
    auto parameters = subject.parameters();
    parameters.erase("rope.base");
    parameters.erase("transformer.activation");
    subject.write(parameters);
    const auto after = subject.open(KeySubject::Depth::Described);
    for (const auto* key : {"rope.base", "transformer.activation"}) {
        EXPECT_EQ(settingOf(after.settings, key).source, "default of the training code");
        EXPECT_TRUE(settingOf(after.settings, key).unconfirmed);
    }
    EXPECT_EQ(settingOf(after.settings, "rope.rotate_fraction").source, "args.json");
    EXPECT_FALSE(settingOf(after.settings, "transformer.n_heads").unconfirmed);
}

TEST(FaultB2, ANestedSetIsFound)
{
    for (const auto* fixture : {"switchhead_xl", "moeut_aabb", "switchhead_package", "moeut_clean", "dense_rope"}) {
        const KeySubject subject(fixture);
        const auto right = subject.open();
        const auto& flat = subject.parameters();
        json tree = json::object(); // {"moe": {"att": {"k": 2}}}
        for (const auto& [key, value] : flat.items()) {
            auto* at = &tree;
            std::string_view rest = key;
            for (auto dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
                at = &(*at)[std::string(rest.substr(0, dot))];
                if (!at->is_object() && !at->is_null()) // "reg" is a key and the beginning of none
                    *at = json::object();
                rest.remove_prefix(dot + 1);
            }
            (*at)[std::string(rest)] = value;
        }
        for (const auto& nested : {json{{"args", flat}}, json{{"config", flat}},
                                   json{{"run_invariants", {{"args", flat}, {"wandb_id", nullptr}}}},
                                   json{{"anything", {{"else", flat}}}}, json{{"hyper_parameters", tree}}}) {
            if (nested.contains("run_invariants") && subject.parameterFile() == "headscope.json")
                continue; // "wandb_id" is nothing a user writes for a package
            subject.write(nested);
            const auto after = subject.open();
            EXPECT_EQ(after.refusal, "") << fixture << nested.items().begin().key();
            EXPECT_EQ(after.logits, right.logits) << fixture << nested.items().begin().key();
            EXPECT_THAT(after.notes, Contains(HasSubstr("were found below \"" + nested.items().begin().key()))) << fixture;
        }
        subject.write(tree);
        EXPECT_EQ(subject.open().logits, right.logits) << fixture;
    }
}

/// As other trainers keep them beside the state dict, and as run_invariants without "args".
TEST(FaultB2, ANestedSetInTheFileIsFound)
{
    core::Checkpoint checkpoint;
    checkpoint.extras = {{"state", {{"iter", 3}}},
                         {"hyper_parameters", {{"model", {{"n_heads", 2}, {"moe_k", 1}}}, {"lr", 0.1}}},
                         {"epoch", 4}};
    checkpoint.parameterSources = {
        {"headscope.json", {{"moe_k", 2}}, core::ParameterSource::Author::User, "x/headscope.json"},
        {"run_invariants", {{"wandb_id", nullptr}}},
        {"args.json", {{"n_heads", 9}}, core::ParameterSource::Author::Training, "x/args.json"}};
    core::bringNestedParametersUp(checkpoint);
    EXPECT_EQ(checkpoint.hyperParameters.dump(), R"({"lr":0.1,"moe_k":2,"n_heads":2})");
    EXPECT_EQ(checkpoint.hyperParametersFrom, "headscope.json and \"hyper_parameters\" in the file and args.json");
    EXPECT_THAT(checkpoint.notes, testing::ElementsAre(HasSubstr("below \"hyper_parameters\" in the file")));

    core::Checkpoint run;
    run.extras = json::object();
    run.parameterSources = {
        {"run_invariants",
         {{"config", {{"moe.att.k", 3}, {"kvmem.dropout", "none"}, {"dropout", 0.5}}}, {"wandb_id", nullptr}}}};
    core::bringNestedParametersUp(run);
    EXPECT_EQ(run.hyperParameters.value("moe.att.k", 0), 3);
    EXPECT_EQ(run.hyperParameters.value("kvmem.dropout", ""), "none");
    EXPECT_EQ(run.hyperParameters.value("dropout", 0.0), 0.5);
}

TEST(FaultB2, AKeyThatStandsTwiceIsRefused)
{
    const KeySubject subject("switchhead_xl");
    auto parameters = subject.parameters();
    parameters["args"] = {{"moe.att.k", 3}};
    subject.write(parameters);
    EXPECT_THAT(subject.open(KeySubject::Depth::Described).refusal, AllOf(HasSubstr("moe.att.k is 2"), HasSubstr("and 3")));
}

class FaultB2InTheFile : public ChangedCheckpoint
{
};

TEST_F(FaultB2InTheFile, WhatIsMissingIsNotTakenFromDefaults)
{
    std::erase_if(file.args, [](const auto& argument) { return argument.first == "transformer.n_heads"; });
    EXPECT_THAT(refusal(), AllOf(HasSubstr("transformer.n_heads"), HasSubstr("the attention heads: 2")));
}

TEST_F(FaultB2InTheFile, UnknownKeysOfArgumentsBecomeOneNote)
{
    set("moe.att.n_expert", std::int64_t{9});
    set("preview", std::string("yes"));
    const auto notes = open()->info()->notes;
    EXPECT_EQ(std::count_if(notes.begin(), notes.end(),
                            [](const auto& note) { return note.find("does not know") != std::string::npos; }),
              1);
    EXPECT_THAT(notes, Contains(AllOf(HasSubstr("\"moe.att.n_expert\""), HasSubstr("\"preview\""))));
}

TEST(FaultB2, UnknownKeysOfTheUserAreRefused)
{
    for (const auto& [wrong, nearest] : std::map<std::string, std::string>{{"moe_kk", "moe_k"},
                                                                           {"nheads", "n_heads"},
                                                                           {"rotate_fractions", "rotate_fraction"},
                                                                           {"positional_encoding", "position_encoding"}}) {
        const KeySubject subject("switchhead_package");
        EXPECT_THAT(refusedWith(subject, {{wrong, 1}}), AllOf(HasSubstr("headscope.json"), HasSubstr("\"" + wrong + "\""),
                                                              HasSubstr("the nearest is " + nearest)));
    }
    const KeySubject subject("switchhead_package");
    EXPECT_THAT(refusedWith(subject, {{"keys", {{"embeding", "x"}}}}), HasSubstr("\"embeding\""));
    EXPECT_THAT(refusedWith(subject, {{"family", "switch_head"}}),
                AllOf(HasSubstr("switch_head"), HasSubstr("moe_attention")));
}

// B.3: what the user wrote comes before what training left.

TEST(FaultB3, TheSidecarComesBeforeATrainersOwnArguments)
{
    const KeySubject subject("switchhead_package");
    const auto right = subject.open();
    test::writeFile(subject.folder() / "args.json", R"({"n_heads": 1, "moe_k": 1, "lr": 0.1, "n_layers": 3})");
    const auto after = subject.open();
    EXPECT_EQ(after.logits, right.logits);
    const auto chosen = settingOf(after.settings, "moe_k");
    EXPECT_EQ(chosen.value, "2");
    EXPECT_EQ(chosen.source, "headscope.json");
    EXPECT_EQ(chosen.overrode, "1 in args.json");
    EXPECT_EQ(settingOf(after.settings, "rotate_fraction").overrode, "");
    EXPECT_THAT(after.notes, Contains(HasSubstr("does not know for this family, and does not use: \"lr\"")));
}

class FaultB3InTheFile : public ChangedCheckpoint
{
};

TEST_F(FaultB3InTheFile, TheSidecarComesBeforeTheArgumentsKeyByKey)
{
    const auto logits = [](const core::Model& model) {
        return model.trace(model.tokensFromIds({1, 2, 3, 4, 5}), {.logits = true})->logits;
    };
    const auto trained = logits(*open());
    set("moe.att.k", std::int64_t{3});
    const auto other = logits(*open());
    EXPECT_NE(other, trained);
    test::writeFile(folder / "headscope.json", R"({"moe.att.k": 2})"); // all others from the file
    const auto model = open();
    EXPECT_EQ(logits(*model), trained);
    const auto setting = settingOf(model->info()->settings, "moe.att.k");
    EXPECT_EQ(setting.source, "headscope.json");
    EXPECT_EQ(setting.overrode, "3 in run_invariants.args");
    EXPECT_TRUE(setting.unconfirmed);
    EXPECT_EQ(settingOf(model->info()->settings, "moe.att.selection_mode").source, "run_invariants.args");

    test::writeFile(folder / "mine.json", R"({"moe.att.k": 1})");
    core::OpenOptions options;
    options.device = "cpu";
    options.sidecar = folder / "mine.json"; // in the place of headscope.json
    const auto given = core::openModel(folder / "model.pth", options);
    EXPECT_EQ(settingOf(given->info()->settings, "moe.att.k").source, "mine.json");
    options.parameters = {{"moe.att.k", "4"}};
    const auto asked = core::openModel(folder / "model.pth", options);
    EXPECT_EQ(settingOf(asked->info()->settings, "moe.att.k").value, "4");
    EXPECT_EQ(settingOf(asked->info()->settings, "moe.att.k").overrode, "1 in mine.json, 3 in run_invariants.args");
}

TEST_F(FaultB3InTheFile, AUsersFileIsHeldToTheFamily)
{
    test::writeFile(folder / "headscope.json", R"({"n_heads": 2})");
    EXPECT_THAT(refusal(), AllOf(HasSubstr("headscope.json"), HasSubstr("the nearest is transformer.n_heads")));
    test::writeFile(folder / "headscope.json",
                    R"({"family": "moe_attention", "lr": 1})"); // what only training knows may stand there
    EXPECT_EQ(refusal(), "");
}

TEST(FaultB3, AnswersAreSavedBesideArguments)
{
    const KeySubject subject("switchhead_package");
    const auto right = subject.open();
    std::filesystem::rename(subject.folder() / "headscope.json", subject.folder() / "args.json");
    EXPECT_EQ(core::saveBeside(subject.checkpoint(), {{"moe_k", "1"}}), subject.folder() / "headscope.json");
    const auto after = subject.open();
    EXPECT_NE(after.logits, right.logits);
    EXPECT_EQ(settingOf(after.settings, "moe_k").overrode, "2 in args.json");
}

// B.4: nothing is shown as the model's that the model is not.

TEST(FaultB4, ImpossibleNumbersAreNotShownAsTheModels)
{
    for (const auto& [fixture, key] :
         std::vector<std::pair<std::string, std::string>>{{"switchhead_package", "n_experts"},
                                                          {"moeut_clean", "att_n_experts"},
                                                          {"moeut_clean", "ff_n_experts"},
                                                          {"switchhead_xl", "moe.att.n_experts"},
                                                          {"moa_mode_my", "moe.att.n_experts"},
                                                          {"switchall_xl", "moe.n_experts"}})
        EXPECT_THAT(refusedWith(KeySubject(fixture), {{key, 1000000000}}), AllOf(HasSubstr(key), HasSubstr("1000000000")))
            << fixture;
    for (const auto& [key, value] : std::map<std::string, int>{
             {"state_size", 1000000000}, {"transformer.encoder_n_layers", 7}, {"sentencepiece.n_pieces", 5}}) {
        const KeySubject subject("switchhead_xl");
        auto parameters = subject.parameters();
        parameters[key] = value;
        subject.write(parameters);
        const auto after = subject.open(KeySubject::Depth::Described);
        EXPECT_THAT(after.notes, Contains(HasSubstr(key + " is " + std::to_string(value))));
        EXPECT_EQ(settingOf(after.settings, key).source, "shapes");
        EXPECT_NE(settingOf(after.settings, key).value, std::to_string(value));
    }
}

} // namespace
} // namespace headscope::tests
