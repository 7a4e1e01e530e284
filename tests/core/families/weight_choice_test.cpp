// SPDX-License-Identifier: GPL-3.0-or-later
// Which tensors of a file are the model's: wrappers around it, several sets of weights, types that nobody computes with.
#include "core/checkpoint/safetensors_writer.h"
#include "tests/core/checkpoint/test_files.h"
#include "tests/core/families/changed_checkpoint.h"

#include <gmock/gmock.h>

#include <fstream>

namespace headscope::tests {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

class WeightChoice : public ChangedCheckpoint
{
protected:
    void SetUp() override
    {
        ChangedCheckpoint::SetUp();
        m_plain = file.tensors;
        test::writeTorchCheckpoint(folder / "plain.pth", file);
        m_fingerprint = core::fingerprint(core::openCheckpoint(folder / "plain.pth"));
    }
    static std::vector<test::TorchTensor> renamed(std::vector<test::TorchTensor> tensors, const std::string& prefix, double factor = 1)
    {
        for (auto& tensor : tensors) {
            tensor.name = prefix + tensor.name;
            for (double& value : tensor.values)
                value *= factor;
        }
        return tensors;
    }
    std::shared_ptr<const core::Model> openWith(const std::string& weights = {}, const std::string& name = "model.pth")
    {
        if (name == "model.pth")
            test::writeTorchCheckpoint(folder / name, file);
        core::OpenOptions options;
        options.device = "cpu";
        options.purpose = core::OpenFor::Describing;
        options.weights = weights;
        return core::openModel(folder / name, options);
    }
    std::string refusalWith(const std::string& weights = {}, const std::string& name = "model.pth")
    {
        return test::errorOf([&] { openWith(weights, name); });
    }
    /// Opens with the tensors of the plain file?
    void expectPlain(const std::shared_ptr<const core::Model>& model) const
    {
        EXPECT_EQ(model->info()->family, "moe_attention");
        EXPECT_EQ(model->info()->vocabulary, 192);
    }

    std::vector<test::TorchTensor> m_plain;
    std::string m_fingerprint;
};

using FaultB4Weights = WeightChoice;
using FaultB5 = WeightChoice;
using FaultD1 = WeightChoice;

TEST_F(FaultB4Weights, AWeightOfAnotherTypeIsRefusedAlsoWhenOnlyDescribed)
{
    for (const core::DType dtype : {core::DType::I8, core::DType::I64, core::DType::Bool, core::DType::C64}) {
        file.tensors = m_plain;
        for (auto& tensor : file.tensors)
            if (tensor.name == "embedding.weight")
                tensor.dtype = dtype;
        EXPECT_THAT(refusalWith(), AllOf(HasSubstr("\"embedding.weight\""), HasSubstr(std::string(core::dtypeName(dtype)))));
        EXPECT_THAT(refusal(), HasSubstr("cannot be computed with"));
    }
}

TEST_F(FaultB4Weights, WeightsInTheFourTypesOpenAsBefore)
{
    for (const core::DType dtype : {core::DType::F64, core::DType::F32, core::DType::F16, core::DType::BF16}) {
        for (auto& tensor : file.tensors)
            tensor.dtype = dtype;
        EXPECT_EQ(refusal(), "");
    }
}

TEST_F(FaultB5, RawAndAveragedWeights)
{
    for (const char* key : {"ema", "model_ema", "ema_state_dict", "averaged_model", "shadow"}) {
        file.others = {{key, renamed(m_plain, "module.", 2)}};
        const auto usual = openWith();
        expectPlain(usual);
        EXPECT_THAT(usual->info()->notes, Contains(AllOf(HasSubstr("weights more than once"), HasSubstr("under \"model\""), HasSubstr(std::string("--weights ") + key))));
        EXPECT_EQ(core::fingerprint(core::openCheckpoint(folder / "model.pth")), m_fingerprint);
        const auto averaged = openWith(key);
        expectPlain(averaged);
        EXPECT_THAT(averaged->info()->notes, Contains(HasSubstr(std::string("those under \"") + key + "\", as asked")));
        const core::Checkpoint chosen = core::openCheckpoint(folder / "model.pth", {.weights = key});
        EXPECT_NE(core::fingerprint(chosen), m_fingerprint);
        EXPECT_EQ(chosen.find("embedding.weight")->readFloats()[3], 2 * static_cast<float>(m_plain.front().values[3]));
    }
}

TEST_F(FaultB5, NoNoteWhereThereIsNothingOdd)
{
    const auto model = openWith();
    for (const std::string& note : model->info()->notes)
        EXPECT_THAT(note, Not(HasSubstr("weights")));
}

TEST_F(FaultB5, WithoutAUsualKeySeveralCandidatesAreRefused)
{
    file.modelKey = "online";
    file.others = {{"target", m_plain}};
    EXPECT_THAT(refusalWith(), AllOf(HasSubstr("\"online\""), HasSubstr("\"target\""), HasSubstr("--weights")));
    expectPlain(openWith("target"));
    file.others = {{"discriminator", {{"w", {1}, {1}}, {"v", {1}, {1}}}}}; // no model of ours: no candidate
    expectPlain(openWith());
    EXPECT_THAT(refusalWith("absent"), HasSubstr("no weights under \"absent\""));
}

TEST_F(FaultB5, PrefixesOfNames)
{
    const auto averaged = renamed(m_plain, "ema.", 2);
    file.tensors = renamed(m_plain, "model.");
    file.tensors.insert(file.tensors.end(), averaged.begin(), averaged.end());
    EXPECT_THAT(openWith()->info()->notes, Contains(AllOf(HasSubstr("those under \"model\""), HasSubstr("--weights ema"))));
    EXPECT_THAT(openWith("ema")->info()->notes, Contains(HasSubstr("\"ema\", as asked")));
    file.tensors = m_plain; // and beside names without a prefix
    file.tensors.insert(file.tensors.end(), averaged.begin(), averaged.end());
    EXPECT_THAT(openWith()->info()->notes, Contains(AllOf(HasSubstr("without a prefix"), HasSubstr("--weights ema"))));
    expectPlain(openWith("ema"));
    file.tensors = renamed(m_plain, "first.");
    const auto second = renamed(m_plain, "second.");
    file.tensors.insert(file.tensors.end(), second.begin(), second.end());
    EXPECT_THAT(refusalWith(), AllOf(HasSubstr("\"first\", \"second\""), HasSubstr("--weights")));
}

TEST_F(FaultB5, PrefixesInSafetensors)
{
    const core::Checkpoint plain = core::openCheckpoint(folder / "plain.pth");
    std::vector<std::vector<std::byte>> bytes;
    std::vector<core::SafetensorsTensor> tensors;
    for (const core::TensorView& tensor : plain.tensors)
        bytes.push_back(tensor.read());
    for (const char* prefix : {"model.", "ema."}) {
        for (std::size_t i = 0; i < bytes.size(); ++i)
            tensors.push_back({{prefix + plain.tensors[i].name, plain.tensors[i].dtype, plain.tensors[i].shape}, bytes[i]});
    }
    core::writeSafetensors(folder / "m.safetensors", tensors);
    std::ofstream(folder / "args.json") << plain.hyperParameters.dump();
    EXPECT_THAT(openWith("", "m.safetensors")->info()->notes, Contains(HasSubstr("--weights ema")));
    expectPlain(openWith("ema", "m.safetensors"));
}

TEST_F(FaultD1, PrefixesInFrontOfEveryName)
{
    for (const char* prefix : {"model.", "net.", "_forward_module.", "model._orig_mod.", "module.module.", "lightning.backbone.", "_forward_module.model.module."}) {
        file.tensors = renamed(m_plain, prefix);
        const auto model = openWith();
        expectPlain(model);
        EXPECT_THAT(model->info()->notes, Contains(HasSubstr("which was left out"))) << prefix;
    }
}

TEST_F(FaultD1, OneTensorThatIsNoWeightHidesNothing)
{
    for (const char* prefix : {"module.", "model.", "_orig_mod.", "net._orig_mod."}) {
        for (const char* stray : {"n_averaged", "train_loss.total", "steps"}) {
            file.tensors = renamed(m_plain, prefix);
            file.tensors.push_back({stray, {}, {5}, core::DType::I64});
            const auto model = openWith();
            expectPlain(model);
            EXPECT_THAT(model->info()->notes, Contains(AllOf(HasSubstr("1 tensors outside it"), HasSubstr(stray)))) << prefix;
        }
    }
}

TEST_F(FaultD1, WrappersInsideNames)
{
    for (const char* wrapper : {"_orig_mod.", "_fsdp_wrapped_module.", "_checkpoint_wrapped_module.", "_fsdp_wrapped_module._checkpoint_wrapped_module."}) {
        file.tensors = m_plain;
        for (auto& tensor : file.tensors)
            if (const auto at = tensor.name.find("self_attn."); at != std::string::npos)
                tensor.name.insert(at, wrapper);
        expectPlain(openWith());
    }
}

TEST_F(FaultD1, ATensorAtTheTopLevelBesideTheModel)
{
    file.modelKey = "net";
    file.topLevel = {{"step", {}, {5}, core::DType::I64}};
    const auto model = openWith();
    expectPlain(model);
    EXPECT_THAT(model->info()->notes, Contains(HasSubstr("those under \"net\"")));
}

} // namespace
} // namespace headscope::tests
