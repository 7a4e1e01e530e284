// SPDX-License-Identifier: GPL-3.0-or-later
// What lies around a checkpoint, and folders and files of other tools.
#include "core/checkpoint/beside.h"
#include "core/checkpoint/checkpoint.h"
#include "core/tokenizer/tokenizer.h"
#include "tests/core/checkpoint/pickle_writer.h"
#include "tests/core/checkpoint/test_files.h"
#include "tests/core/checkpoint/torch_file_writer.h"
#include "tests/core/checkpoint/zip_writer.h"

#include <gmock/gmock.h>

namespace headscope::core {
namespace {

namespace fs = std::filesystem;
using test::errorOf;
using test::PickleWriter;
using test::writeFile;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::string_literals;

const std::string kOneTensor = test::safetensorsBytes(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "\0\0\x80\x3f"s);

std::string errorAt(const fs::path& path)
{
    return errorOf([&] { openCheckpoint(path); });
}

std::string errorOfPickle(std::string_view name, const PickleWriter& pickle)
{
    const test::TemporaryFolder folder;
    test::ZipWriter zip;
    zip.add("x/data.pkl", pickle.finish());
    zip.add("x/data/0", "01234567");
    writeFile(folder / name, zip.finish());
    return errorAt(folder / name);
}

/// Shape [0], as ZeRO-3 leaves behind.
void emptyTensor(PickleWriter& pickle)
{
    pickle.global("torch._utils", "_rebuild_tensor_v2").mark();
    pickle.mark().text("storage").global("torch", "HalfStorage").text("1").text("cpu").integer(0).tuple().persistent();
    pickle.integer(0).mark().integer(0).tuple().mark().integer(1).tuple().boolean(false).none().tuple().reduce();
}

TEST(FaultD2, ALinkIsSearchedWhereItLiesAndThenWhereItLeads)
{
    const test::TemporaryFolder folder;
    const fs::path root = fs::canonical(folder.path());
    writeFile(root / "run/checkpoint/model.pth", kOneTensor);
    fs::create_symlink("run/checkpoint/model.pth", root / "latest.pth");
    fs::create_directory_symlink(root / "run/checkpoint", root / "best");
    EXPECT_THAT(foldersBeside(root / "run/checkpoint/model.pth"), ElementsAre(root / "run/checkpoint"));
    EXPECT_THAT(foldersBeside(root / "latest.pth"), ElementsAre(root, root / "run/checkpoint"));
    EXPECT_THAT(foldersBeside(root / "best/model.pth"), ElementsAre(root / "best", root / "run/checkpoint"));
    EXPECT_THAT(foldersBeside(root / "best"), ElementsAre(root / "best", root / "run/checkpoint"));
    EXPECT_THAT(foldersBeside(root / "absent.pth"), ElementsAre(root));
}

TEST(FaultD2, TheTokenizerBesideTheTarget)
{
    const test::TemporaryFolder folder;
    const fs::path fixture = fs::path(HEADSCOPE_TEST_DATA) / "fixtures" / "switchhead_xl" / "tokenizer.model";
    writeFile(folder / "run/checkpoint/model.pth", kOneTensor);
    fs::copy(fixture, folder / "run/tokenizer.model");
    fs::create_directory(folder / "links");
    fs::create_symlink("../run/checkpoint/model.pth", folder / "links/latest.pth");
    const auto found = findTokenizer(folder / "links/latest.pth", 192);
    ASSERT_TRUE(found);
    EXPECT_TRUE(fs::equivalent(*found, folder / "run/tokenizer.model"));
    fs::copy(fixture, folder / "links/tokenizer.model"); // beside the link comes first
    EXPECT_TRUE(fs::equivalent(*findTokenizer(folder / "links/latest.pth", 192), folder / "links/tokenizer.model"));
}

TEST(FaultD4, AnIndexWhoseShardsAreAllMissing)
{
    for (const char* name : {"model.safetensors.index.json", "pytorch_model.bin.index.json", "model.fp16.safetensors.index.json"}) {
        const test::TemporaryFolder folder;
        writeFile(folder / name, R"({"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}})");
        for (const fs::path& path : {folder.path(), folder / name})
            EXPECT_THAT(errorAt(path), AllOf(HasSubstr(name), HasSubstr("2 shards, of which all are missing"),
                                             HasSubstr("\"model-00001-of-00002.safetensors\", \"model-00002-of-00002.safetensors\"")));
    }
    const test::TemporaryFolder folder;
    writeFile(folder / "model.safetensors.index.json", R"({"weight_map": {"a": "m-00001-of-00003.safetensors", "b": "m-00002-of-00003.safetensors", "c": "m-00003-of-00003.safetensors"}})");
    writeFile(folder / "m-00002-of-00003.safetensors", kOneTensor);
    EXPECT_THAT(errorAt(folder.path()), AllOf(HasSubstr("3 shards, of which 2 are missing"), HasSubstr("\"m-00001-of-00003.safetensors\", \"m-00003-of-00003.safetensors\"")));
}

TEST(FaultD1, FoldersOfOtherToolsAreNamedWithTheirCommand)
{
    const test::TemporaryFolder folder;
    writeFile(folder / "dcp/.metadata", "\x80\x02}.");
    writeFile(folder / "dcp/__0_0.distcp", "PK\x03\x04");
    EXPECT_THAT(errorAt(folder / "dcp"), AllOf(HasSubstr("torch.distributed.checkpoint"), HasSubstr("dcp_to_torch")));
    for (const char* part : {"dcp/__0_0.distcp", "dcp/.metadata"})
        EXPECT_THAT(errorAt(folder / part), AllOf(HasSubstr("torch.distributed.checkpoint"), HasSubstr("dcp_to_torch"), Not(HasSubstr("damaged"))));
    writeFile(folder / "deepspeed/zero_to_fp32.py", "");
    writeFile(folder / "deepspeed/latest", "global_step10");
    writeFile(folder / "deepspeed/global_step10/mp_rank_00_model_states.pt", kOneTensor);
    writeFile(folder / "deepspeed/global_step10/bf16_zero_pp_rank_0_mp_rank_00_optim_states.pt", kOneTensor);
    for (const char* place : {"deepspeed", "deepspeed/global_step10"})
        EXPECT_THAT(errorAt(folder / place), AllOf(HasSubstr("DeepSpeed"), HasSubstr("zero_to_fp32.py"))) << place;
}

TEST(FaultD1, PartsOfShardedWeightsAreNamedWithTheirCommand)
{
    PickleWriter zero;
    zero.emptyDict().mark().text("module").emptyDict().mark().text("w");
    emptyTensor(zero);
    zero.setItems().text("ds_version").text("0.14").text("param_shapes").emptyList().setItems();
    EXPECT_THAT(errorOfPickle("zero_pp_rank_0_mp_rank_00_model_states.pt", zero), AllOf(HasSubstr("ZeRO"), HasSubstr("zero_to_fp32.py")));
    PickleWriter optimizer;
    optimizer.emptyDict().mark().text("optimizer_state_dict").emptyDict().text("ds_config").emptyDict().setItems();
    EXPECT_THAT(errorOfPickle("x_optim_states.pt", optimizer), HasSubstr("zero_to_fp32.py"));

    for (const char* name : {"_fsdp_wrapped_module.layers.0._flat_param", "flat_param"}) {
        PickleWriter flat;
        flat.emptyDict().mark().text(name);
        emptyTensor(flat);
        EXPECT_THAT(errorOfPickle("m.pt", flat.setItems()), AllOf(HasSubstr("FSDP"), HasSubstr("FULL_STATE_DICT")));
    }
    PickleWriter sharded;
    sharded.emptyDict().mark().text("w").global("torch.distributed._shard.sharded_tensor.api", "ShardedTensor").emptyTuple().newObject().setItems();
    EXPECT_THAT(errorOfPickle("m.pt", sharded), AllOf(HasSubstr("FSDP"), HasSubstr("dcp_to_torch")));
}

TEST(FaultD1, NumPyArrays)
{
    for (const char* module : {"numpy.core.multiarray", "numpy._core.multiarray"}) {
        for (const bool nested : {false, true}) {
            PickleWriter arrays;
            arrays.emptyDict().mark();
            if (nested)
                arrays.text("model").emptyDict().mark();
            arrays.text("w").global(module, "_reconstruct").emptyTuple().reduce();
            if (nested)
                arrays.setItems();
            EXPECT_THAT(errorOfPickle("m.pth", arrays.setItems()), AllOf(HasSubstr("NumPy arrays"), HasSubstr("torch.from_numpy")));
        }
    }
    const test::TemporaryFolder folder;
    test::ZipWriter zip;
    zip.add("w.npy", "x");
    writeFile(folder / "m.npz", zip.finish());
    EXPECT_THAT(errorAt(folder / "m.npz"), AllOf(HasSubstr(".npz"), HasSubstr("torch.from_numpy")));
}

TEST(FaultD1, WrappersInsideNames)
{
    const test::TemporaryFolder folder;
    test::TorchCheckpoint file{.tensors = {{"_orig_mod.a._fsdp_wrapped_module.w", {1}, {1}},
                                           {"_orig_mod.a._checkpoint_wrapped_module._fsdp_wrapped_module.b", {1}, {2}},
                                           {"_orig_mod.c", {1}, {3}}}};
    test::writeTorchCheckpoint(folder / "m.pth", file);
    const Checkpoint checkpoint = openCheckpoint(folder / "m.pth");
    EXPECT_NE(checkpoint.find("a.w"), nullptr);
    EXPECT_NE(checkpoint.find("a.b"), nullptr);
    EXPECT_NE(checkpoint.find("c"), nullptr);
    EXPECT_THAT(checkpoint.notes, ElementsAre(HasSubstr("Every tensor name began with \"_orig_mod.\""), HasSubstr("2 tensor names had a wrapper inside")));
    file.tensors = {{"a.w", {1}, {1}}, {"a._orig_mod.w", {1}, {2}}};
    test::writeTorchCheckpoint(folder / "m.pth", file);
    EXPECT_THAT(errorAt(folder / "m.pth"), HasSubstr("duplicate key"));
}

TEST(FaultD1, TiedWeightsOfSaveModel)
{
    const test::TemporaryFolder folder;
    writeFile(folder / "m.safetensors",
              test::safetensorsBytes(R"({"__metadata__":{"format":"pt","output.weight":"embedding.weight","x":"absent"},)"
                                     R"("embedding.weight":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "\0\0\x80\x3f"s));
    const Checkpoint checkpoint = openCheckpoint(folder / "m.safetensors");
    ASSERT_EQ(checkpoint.tensors.size(), 2U);
    EXPECT_TRUE(checkpoint.find("output.weight")->sharesStorageWith(*checkpoint.find("embedding.weight")));
    EXPECT_EQ(checkpoint.modelBytes(), 4U);
    EXPECT_THAT(checkpoint.notes, ElementsAre(HasSubstr("\"output.weight\" is \"embedding.weight\"")));
}

} // namespace
} // namespace headscope::core
