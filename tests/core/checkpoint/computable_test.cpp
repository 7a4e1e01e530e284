// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/computable.h"

#include "tests/core/checkpoint/pickle_writer.h"
#include "tests/core/checkpoint/test_files.h"
#include "tests/core/checkpoint/torch_file_writer.h"
#include "tests/core/checkpoint/zip_writer.h"

#include <gmock/gmock.h>

namespace headscope::core {
namespace {

using test::errorOf;
using test::PickleWriter;
using testing::AllOf;
using testing::HasSubstr;

/// The refusal of the tensor "w.weight" of a safetensors file; "" when it is computed with.
std::string refusal(std::string_view dtype, int bytes, std::string_view more = "")
{
    const test::TemporaryFolder folder;
    const std::string json = R"({"w.weight":{"dtype":")" + std::string(dtype) + R"(","shape":[2],"data_offsets":[0,)" + std::to_string(bytes) + "]}" +
                             std::string(more) + "}";
    test::writeFile(folder / "m.safetensors", test::safetensorsBytes(json, std::string(static_cast<std::size_t>(bytes), 'x')));
    const Checkpoint checkpoint = openCheckpoint(folder / "m.safetensors");
    return errorOf([&] { requireComputable(*checkpoint.find("w.weight"), checkpoint); });
}

TEST(FaultB4, WhatIsComputedWith)
{
    EXPECT_EQ(refusal("F64", 16), "");
    EXPECT_EQ(refusal("F32", 8), "");
    EXPECT_EQ(refusal("F16", 4), "");
    EXPECT_EQ(refusal("BF16", 4), "");
}

TEST(FaultB4, EveryOtherTypeIsRefusedByNameWithWhatItNeeds)
{
    struct Row {
        const char* dtype;
        int bytes;
        const char* needs;
    };
    for (const Row& row : {Row{"F8_E4M3", 2, "scale factors"}, Row{"F8_E5M2", 2, "scale factors"}, Row{"F8_E4M3FNUZ", 2, "scale factors"},
                           Row{"F8_E8M0", 2, "scale factors of other tensors"}, Row{"F4", 1, "4-bit floats"}, Row{"F6_E2M3", 2, "6-bit floats"},
                           Row{"I4", 1, "4-bit integers"}, Row{"U4", 1, "order of their bits"}, Row{"I8", 2, "bit width"}, Row{"U8", 2, "bit width"},
                           Row{"I16", 4, "integers"}, Row{"I32", 8, "integers"}, Row{"I64", 16, "integers"}, Row{"U32", 8, "integers"},
                           Row{"BOOL", 2, "truth values"}, Row{"C64", 16, "complex"}, Row{"C128", 32, "complex"}, Row{"XYZ9", 3, "does not know"}})
        EXPECT_THAT(refusal(row.dtype, row.bytes),
                    AllOf(HasSubstr("m.safetensors"), HasSubstr("\"w.weight\""), HasSubstr(row.dtype), HasSubstr(row.needs), HasSubstr("save the checkpoint as float32")));
}

TEST(FaultB4, ScalesBesideATensorAreNamed)
{
    for (const char* scale : {"w.SCB", "w.weight_scale", "w.weight.absmax", "w.scales", "w.weight.quant_map"})
        EXPECT_THAT(refusal("I8", 2, ",\"" + std::string(scale) + R"(":{"dtype":"F32","shape":[0],"data_offsets":[2,2]})"),
                    HasSubstr("\"" + std::string(scale) + "\" beside it"));
    EXPECT_THAT(refusal("I8", 2, R"(,"ws.scale":{"dtype":"F32","shape":[0],"data_offsets":[2,2]})"), Not(HasSubstr("beside it")));
}

TEST(FaultB4, WhatQuantisedWeightsLeaveInThePlaceOfATensor)
{
    const test::TemporaryFolder folder;
    test::writeFile(folder / "m.safetensors", test::safetensorsBytes(R"({"a.qweight":{"dtype":"I32","shape":[0],"data_offsets":[0,0]},)"
                                                                     R"("b.bias":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}})", ""));
    const Checkpoint checkpoint = openCheckpoint(folder / "m.safetensors");
    EXPECT_EQ(quantisedInstead(checkpoint, "a.weight"), "\"a.qweight\"");
    EXPECT_EQ(quantisedInstead(checkpoint, "b.weight"), std::nullopt);
}

/// {"w": <what `value` pushes>, "plain": a tensor}
Checkpoint openPickle(const test::TemporaryFolder& folder, const std::function<void(PickleWriter&)>& value)
{
    const auto storage = [](PickleWriter& pickle, const char* type) {
        pickle.mark().text("storage").global("torch", type).text("0").text("cpu").integer(2).tuple().persistent();
    };
    PickleWriter pickle;
    pickle.emptyDict().mark().text("w");
    value(pickle);
    pickle.text("plain").global("torch._utils", "_rebuild_tensor_v2").mark();
    storage(pickle, "FloatStorage");
    pickle.integer(0).mark().integer(2).tuple().mark().integer(1).tuple().boolean(false).none().tuple().reduce().setItems();
    test::ZipWriter zip;
    zip.add("x/data.pkl", pickle.finish());
    zip.add("x/data/0", "01234567");
    test::writeFile(folder / "m.pth", zip.finish());
    return openCheckpoint(folder / "m.pth");
}

TEST(FaultB4, TensorsOfPyTorchThatAreNoPlainOnes)
{
    struct Row {
        const char* module;
        const char* function;
        const char* subclass;
        const char* word;
    };
    for (const Row& row : {Row{"torch._utils", "_rebuild_wrapper_subclass", "AffineQuantizedTensor", "AffineQuantizedTensor"},
                           Row{"torch._utils", "_rebuild_sparse_tensor", "", "sparse"}, Row{"torch._utils", "_rebuild_nested_tensor", "", "nested"},
                           Row{"torch._utils", "_rebuild_meta_tensor_no_storage", "", "no data"}}) {
        const test::TemporaryFolder folder;
        const Checkpoint checkpoint = openPickle(folder, [&](PickleWriter& pickle) {
            pickle.global(row.module, row.function).mark();
            *row.subclass != 0 ? pickle.global("torchao.dtypes", row.subclass) : pickle.none();
            pickle.none().mark().integer(2).integer(3).tuple().tuple().reduce();
        });
        ASSERT_NE(checkpoint.find("w"), nullptr) << row.function;
        EXPECT_EQ(checkpoint.find("plain")->readFloats().size(), 2U); // one that nobody uses does not stop the others
        EXPECT_EQ(fingerprint(checkpoint).size(), 64U);
        EXPECT_THAT(errorOf([&] { requireComputable(*checkpoint.find("w"), checkpoint); }), AllOf(HasSubstr("\"w\""), HasSubstr(row.word)));
    }
}

TEST(FaultB4, QuantisedTensorsOfPyTorch)
{
    for (const char* type : {"QInt8Storage", "QUInt8Storage", "QUInt4x2Storage"}) {
        const test::TemporaryFolder folder;
        const Checkpoint checkpoint = openPickle(folder, [&](PickleWriter& pickle) {
            pickle.global("torch._utils", "_rebuild_qtensor").mark();
            pickle.mark().text("storage").global("torch", type).text("0").text("cpu").integer(2).tuple().persistent();
            pickle.integer(0).mark().integer(2).tuple().mark().integer(1).tuple().emptyTuple().boolean(false).none().tuple().reduce();
        });
        EXPECT_THAT(errorOf([&] { requireComputable(*checkpoint.find("w"), checkpoint); }), AllOf(HasSubstr(type), HasSubstr("zero points"))) << type;
    }
}

} // namespace
} // namespace headscope::core
