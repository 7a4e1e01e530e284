// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/checkpoint.h"
#include "tests/core/checkpoint/pickle_writer.h"
#include "tests/core/checkpoint/test_files.h"
#include "tests/core/checkpoint/torch_file_writer.h"
#include "tests/core/checkpoint/zip_writer.h"

#include <gmock/gmock.h>

#include <functional>

namespace headscope::core {
namespace {

using test::errorOf;
using test::PickleWriter;
using test::TorchCheckpoint;
using test::TorchContainer;
using test::TorchTensor;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::string_literals;

class TorchReader : public testing::TestWithParam<TorchContainer>
{
protected:
    Checkpoint openBytes(std::string_view bytes) const
    {
        test::writeFile(m_folder / "m.pth", bytes);
        return openCheckpoint(m_folder / "m.pth");
    }
    std::string errorOfBytes(std::string_view bytes) const
    {
        return errorOf([&] { openBytes(bytes); });
    }
    Checkpoint open(TorchCheckpoint checkpoint) const
    {
        checkpoint.container = GetParam();
        return openBytes(test::torchCheckpointBytes(checkpoint));
    }
    Checkpoint open(std::vector<TorchTensor> tensors) const { return open(TorchCheckpoint{.tensors = std::move(tensors)}); }

    test::TemporaryFolder m_folder;
};
INSTANTIATE_TEST_SUITE_P(Containers, TorchReader, testing::Values(TorchContainer::Zip, TorchContainer::Legacy),
                         [](const auto& test) { return test.param == TorchContainer::Zip ? "zip" : "legacy"; });

/// The pickle of {"model": {"w": value}} in a zip container with the given storages.
std::string withTensor(const std::function<void(PickleWriter&)>& value,
                       const std::vector<std::pair<std::string, std::string>>& storages)
{
    PickleWriter pickle;
    pickle.emptyDict().mark().text("model").emptyDict().mark().text("w");
    value(pickle);
    pickle.setItems().setItems();
    test::ZipWriter zip;
    zip.add("x/data.pkl", pickle.finish());
    for (const auto& [key, data] : storages)
        zip.add("x/data/" + key, data);
    return zip.finish();
}

struct Rebuild {
    std::string_view storageClass = "FloatStorage";
    std::int64_t elements = 4;
    std::int64_t offset = 0;
    std::vector<std::int64_t> shape = {2, 2};
    std::vector<std::int64_t> strides = {2, 1};
};

void persistentId(PickleWriter& pickle, std::string_view storageClass, std::int64_t elements)
{
    pickle.mark().text("storage").global("torch", storageClass).text("0").text("cpu").integer(elements).tuple().persistent();
}

void sizes(PickleWriter& pickle, const std::vector<std::int64_t>& values)
{
    pickle.mark();
    for (const std::int64_t value : values)
        pickle.integer(value);
    pickle.tuple();
}

std::function<void(PickleWriter&)> rebuild(const Rebuild& tensor)
{
    return [tensor](PickleWriter& pickle) {
        pickle.global("torch._utils", "_rebuild_tensor_v2").mark();
        persistentId(pickle, tensor.storageClass, tensor.elements);
        pickle.integer(tensor.offset);
        sizes(pickle, tensor.shape);
        sizes(pickle, tensor.strides);
        pickle.boolean(false).none().tuple().reduce();
    };
}

TEST_P(TorchReader, EveryElementType)
{
    const std::vector<double> reals = {1.5, -2.25, 0.0, 65504.0};
    const std::vector<double> integers = {0, 1, 100, 127};
    std::vector<TorchTensor> tensors;
    for (const DType dtype : {DType::F64, DType::F32, DType::F16, DType::BF16})
        tensors.push_back({std::string(dtypeName(dtype)),
                           {2, 2},
                           dtype == DType::BF16 ? std::vector{1.5, -2.25, 0.0, 65536.0} : reals,
                           dtype});
    for (const DType dtype : {DType::I64, DType::I32, DType::I16, DType::I8, DType::U8})
        tensors.push_back({std::string(dtypeName(dtype)), {4}, integers, dtype});
    tensors.push_back({"BOOL", {2}, {1, 0}, DType::Bool});

    const Checkpoint checkpoint = open(tensors);
    EXPECT_EQ(checkpoint.container, GetParam() == TorchContainer::Zip ? "PyTorch zip" : "PyTorch legacy");
    ASSERT_EQ(checkpoint.tensors.size(), tensors.size());
    for (const TorchTensor& tensor : tensors) {
        const TensorView* view = checkpoint.find(tensor.name);
        ASSERT_NE(view, nullptr) << tensor.name;
        EXPECT_EQ(view->dtype, tensor.dtype);
        EXPECT_EQ(view->shape, tensor.shape);
        EXPECT_THAT(view->readFloats(),
                    testing::Pointwise(testing::Eq(), std::vector<float>(tensor.values.begin(), tensor.values.end())));
        EXPECT_EQ(view->read().size(), view->byteCount());
    }
}

TEST_P(TorchReader, ViewsOfOneStorage)
{
    const Checkpoint checkpoint = open({
        {"base", {2, 3}, {0, 1, 2, 3, 4, 5}},
        {.name = "transposed", .shape = {3, 2}, .strides = {1, 3}, .storageOf = "base"},
        {.name = "column", .shape = {2}, .strides = {3}, .offset = 2, .storageOf = "base"},
        {.name = "tied", .shape = {2, 3}, .storageOf = "base"},
        {.name = "expanded", .shape = {2, 3}, .strides = {0, 1}, .storageOf = "base"},
        {.name = "cube", .shape = {2, 1, 3}, .strides = {1, 77, 2}, .storageOf = "base"},
    });
    const auto floats = [&](const char* name) { return checkpoint.find(name)->readFloats(); };
    EXPECT_THAT(floats("transposed"), ElementsAre(0, 3, 1, 4, 2, 5));
    EXPECT_THAT(floats("column"), ElementsAre(2, 5));
    EXPECT_THAT(floats("expanded"), ElementsAre(0, 1, 2, 0, 1, 2));
    EXPECT_THAT(floats("cube"), ElementsAre(0, 2, 4, 1, 3, 5));
    EXPECT_THAT(checkpoint.find("transposed")->readFloatRows(1, 3), ElementsAre(1, 4, 2, 5));
    EXPECT_TRUE(checkpoint.find("tied")->sharesStorageWith(*checkpoint.find("base")));
    EXPECT_FALSE(checkpoint.find("column")->sharesStorageWith(*checkpoint.find("base")));
    EXPECT_FALSE(checkpoint.find("transposed")->contiguous());
    EXPECT_EQ(checkpoint.modelBytes(), 24U) << "a shared storage counts once";
}

TEST_P(TorchReader, StridedViewsReadOnlyTheirPart)
{
    std::vector<double> values(1000, 1.0);
    const Checkpoint checkpoint = open({
        {"base", {1000}, values},
        {.name = "middle", .shape = {5}, .strides = {2}, .offset = 500, .storageOf = "base"},
    });
    const std::uint64_t before = checkpoint.bytesRead();
    EXPECT_EQ(checkpoint.find("middle")->readFloats().size(), 5U);
    EXPECT_EQ(checkpoint.bytesRead() - before, 9U * 4U);
}

TEST_P(TorchReader, ScalarsAndEmptyTensors)
{
    const Checkpoint checkpoint = open({{"scalar", {}, {7}}, {"empty", {0, 5}, {}}, {"one", {1, 1, 1}, {8}}});
    EXPECT_THAT(checkpoint.find("scalar")->readFloats(), ElementsAre(7));
    EXPECT_EQ(checkpoint.find("scalar")->describe(), "[] F32");
    EXPECT_THAT(checkpoint.find("empty")->readFloats(), ElementsAre());
    EXPECT_EQ(checkpoint.find("empty")->describe(), "[0, 5] F32");
    EXPECT_THAT(checkpoint.find("one")->readFloats(), ElementsAre(8));
}

TEST_P(TorchReader, RowsOfTheFirstDimension)
{
    const Checkpoint checkpoint = open({{"w", {4, 2}, {0, 1, 2, 3, 4, 5, 6, 7}, DType::F16}});
    const TensorView& w = *checkpoint.find("w");
    EXPECT_THAT(w.readFloatRows(1, 3), ElementsAre(2, 3, 4, 5));
    EXPECT_THAT(w.readFloatRows(4, 4), ElementsAre());
    EXPECT_EQ(w.readFloatRows(0, 4), w.readFloats());
    for (const auto& [begin, end] : {std::pair(-1, 2), std::pair(3, 2), std::pair(0, 5)})
        EXPECT_THAT(errorOf([&] { w.readFloatRows(begin, end); }), AllOf(HasSubstr("\"w\""), HasSubstr("[4, 2] F16")));
}

TEST_P(TorchReader, OptimizerStateIsLeftAlone)
{
    const Checkpoint checkpoint =
        open({.tensors = {{"w", {256}, std::vector<double>(256, 1.0)}}, .optimizer = test::OptimizerState::Adam});
    EXPECT_EQ(checkpoint.tensors.size(), 1U);
    EXPECT_EQ(checkpoint.modelBytes(), 1024U);
    EXPECT_FALSE(checkpoint.extras.contains("optimizer"));
}

TEST_P(TorchReader, ArgumentsAndExtras)
{
    const Checkpoint checkpoint = open(TorchCheckpoint{.tensors = {{"w", {1}, {1}}},
                                                       .args = {{"state_size", std::int64_t{24}},
                                                                {"lr", 0.5},
                                                                {"moe.att.v_size", std::string("none")},
                                                                {"flag", true},
                                                                {"nothing", std::monostate{}}},
                                                       .iteration = 1400});
    EXPECT_EQ(checkpoint.hyperParametersFrom, "run_invariants.args");
    EXPECT_EQ(checkpoint.hyperParameters.dump(),
              R"({"flag":true,"lr":0.5,"moe.att.v_size":"none","nothing":null,"state_size":24})");
    EXPECT_EQ(checkpoint.extras.dump(), R"({"state":{"epoch":1,"iter":1400}})");
}

TEST_P(TorchReader, PlainStateDictAndPrefixes)
{
    TorchCheckpoint plain{
        .tensors = {{"module._orig_mod.module.b", {1}, {1}}, {"module._orig_mod.module.a.module.c", {1}, {2}}}};
    plain.layout = test::TorchLayout::StateDict;
    const Checkpoint checkpoint = open(plain);
    ASSERT_EQ(checkpoint.tensors.size(), 2U);
    EXPECT_EQ(checkpoint.tensors[0].name, "a.module.c");
    EXPECT_EQ(checkpoint.tensors[1].name, "b");
    EXPECT_THAT(checkpoint.notes, ElementsAre(HasSubstr("module._orig_mod.module.")));
    EXPECT_TRUE(checkpoint.hyperParameters.is_null());
    EXPECT_EQ(checkpoint.hyperParametersFrom, "");

    plain.tensors[1].name = "c"; // one name without the prefix: "module." can mean something, a wrapper never does
    EXPECT_NE(open(plain).find("module.module.b"), nullptr);
}

TEST_P(TorchReader, Class4TruncatedAnywhereIsAnError)
{
    TorchCheckpoint checkpoint{.tensors = {{"w", {2, 2}, {1, 2, 3, 4}}}, .args = {{"a", std::int64_t{1}}}};
    checkpoint.container = GetParam();
    const std::string bytes = test::torchCheckpointBytes(checkpoint);
    EXPECT_EQ(errorOfBytes(bytes), "");
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_THAT(errorOfBytes(std::string_view(bytes).substr(0, size)), HasSubstr("m.pth")) << size;
}

TEST_P(TorchReader, BigEndianIsRefused)
{
    EXPECT_THAT(errorOf([&] {
                    open(TorchCheckpoint{.tensors = {{"w", {1}, {1}}}, .byteOrder = "big"});
                }),
                AllOf(HasSubstr("m.pth"), HasSubstr("little-endian"), HasSubstr("save it again")));
}

using TorchZip = TorchReader;
INSTANTIATE_TEST_SUITE_P(Zip, TorchZip, testing::Values(TorchContainer::Zip));

const std::string kFour = test::encodeElements({1, 2, 3, 4}, DType::F32);

TEST_P(TorchZip, TensorsThatDoNotFitTheirStorage)
{
    const auto error = [&](const Rebuild& tensor) { return errorOfBytes(withTensor(rebuild(tensor), {{"0", kFour}})); };
    EXPECT_EQ(error({}), "");
    EXPECT_THAT(error({.elements = 5}), AllOf(HasSubstr("m.pth"), HasSubstr("\"w\""), HasSubstr("needs 20 bytes"),
                                              HasSubstr("has 16"), HasSubstr("download it again")));
    EXPECT_THAT(error({.offset = 1}), HasSubstr("reaches beyond its storage"));
    EXPECT_THAT(error({.offset = INT64_MAX}), HasSubstr("reaches beyond its storage"));
    EXPECT_THAT(error({.strides = {3, 1}}), HasSubstr("reaches beyond its storage"));
    EXPECT_THAT(error({.strides = {INT64_MAX, INT64_MAX}}), HasSubstr("reaches beyond its storage"));
    EXPECT_THAT(error({.shape = {INT64_MAX, INT64_MAX}}), HasSubstr("more elements than 64 bits"));
    EXPECT_THAT(error({.shape = {4}}), HasSubstr("1 dimensions but 2 strides"));
    EXPECT_THAT(error({.shape = {-2, 2}}), HasSubstr("negative"));
    EXPECT_THAT(error({.strides = {-2, 1}}), HasSubstr("negative"));
    EXPECT_THAT(error({.offset = -1}), HasSubstr("negative"));
    EXPECT_THAT(error({.elements = -1}), HasSubstr("no valid storage"));
    EXPECT_THAT(error({.elements = INT64_MAX}), HasSubstr("64 bits"));
    // A few bytes that claim to be a tensor of a terabyte.
    EXPECT_THAT(error({.shape = {1 << 20, 1 << 18}, .strides = {0, 0}}), HasSubstr("repeats a storage of 16 bytes"));
    EXPECT_EQ(error({.shape = {0, INT64_MAX}, .strides = {INT64_MAX, 1}}), "");
}

TEST_P(TorchZip, MissingStorages)
{
    EXPECT_THAT(errorOfBytes(withTensor(rebuild({}), {})),
                AllOf(HasSubstr("\"w\""), HasSubstr("storage \"0\", which is missing")));
    EXPECT_EQ(errorOfBytes(withTensor(rebuild({.elements = 0, .shape = {0}, .strides = {1}}), {})), "");
}

TEST_P(TorchZip, ParametersSubclassesAndUntypedStorages)
{
    const auto parameter = [](PickleWriter& pickle) {
        pickle.global("torch._utils", "_rebuild_parameter").mark();
        rebuild({})(pickle);
        pickle.boolean(true).global("collections", "OrderedDict").emptyTuple().reduce().tuple().reduce();
    };
    EXPECT_THAT(openBytes(withTensor(parameter, {{"0", kFour}})).find("w")->readFloats(), ElementsAre(1, 2, 3, 4));

    const auto subclass = [](PickleWriter& pickle) {
        pickle.global("torch._tensor", "_rebuild_from_type_v2").mark();
        pickle.global("torch._utils", "_rebuild_tensor_v2").global("my.code", "MyTensor").mark();
        persistentId(pickle, "FloatStorage", 4);
        pickle.integer(0);
        sizes(pickle, {4});
        sizes(pickle, {1});
        pickle.boolean(false).none().tuple().emptyDict().tuple().reduce();
    };
    EXPECT_THAT(openBytes(withTensor(subclass, {{"0", kFour}})).find("w")->readFloats(), ElementsAre(1, 2, 3, 4));

    const auto version3 = [](std::string_view dtype) {
        return [dtype](PickleWriter& pickle) {
            pickle.global("torch._utils", "_rebuild_tensor_v3").mark();
            pickle.mark()
                .text("storage")
                .global("torch.storage", "UntypedStorage")
                .text("0")
                .text("cpu")
                .integer(16)
                .tuple()
                .persistent();
            pickle.integer(2);
            sizes(pickle, {2});
            sizes(pickle, {1});
            pickle.boolean(false).none().global("torch", dtype).tuple().reduce();
        };
    };
    EXPECT_THAT(openBytes(withTensor(version3("float32"), {{"0", kFour}})).find("w")->readFloats(), ElementsAre(3, 4));
    EXPECT_EQ(openBytes(withTensor(version3("uint16"), {{"0", kFour}})).find("w")->dtype, DType::U16);
    EXPECT_EQ(openBytes(withTensor(version3("float8_e4m3fn"), {{"0", kFour}})).find("w")->describe(), "[2] F8_E4M3");
    EXPECT_THAT(errorOfBytes(withTensor(version3("float64"), {{"0", kFour}})), HasSubstr("reaches beyond its storage"));
    EXPECT_EQ(openBytes(withTensor(version3("float4_e2m1fn_x2"), {{"0", kFour}})).find("w")->describe(),
              "[2] torch.float4_e2m1fn_x2");
}

TEST_P(TorchZip, Class8UnknownStorageTypesDoNotStopTheRest)
{
    const Checkpoint checkpoint = openBytes(withTensor(
        [](PickleWriter& pickle) {
            rebuild({.storageClass = "QInt8Storage"})(pickle);
            pickle.text("plain");
            rebuild({})(pickle);
        },
        {{"0", kFour}}));
    EXPECT_THAT(checkpoint.find("plain")->readFloats(), ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(errorOf([&] { checkpoint.find("w")->readFloats(); }),
                AllOf(HasSubstr("\"w\""), HasSubstr("torch.QInt8Storage")));
}

TEST_P(TorchZip, Class9CallsAreInert)
{
    const auto attack = [&](PickleWriter& pickle) {
        pickle.global("posix", "system").mark().text("touch " + (m_folder / "executed").string()).tuple().reduce();
        pickle.text("plain");
        rebuild({})(pickle);
    };
    const Checkpoint checkpoint = openBytes(withTensor(attack, {{"0", kFour}}));
    EXPECT_EQ(checkpoint.tensors.size(), 1U);
    EXPECT_THAT(checkpoint.notes, ElementsAre(HasSubstr("1 entries of the state dict are not tensors")));
    EXPECT_FALSE(std::filesystem::exists(m_folder / "executed"));
}

TEST_P(TorchZip, DuplicateNamesAreRefused)
{
    const auto twice = [](PickleWriter& pickle) {
        rebuild({})(pickle);
        pickle.text("w");
        rebuild({})(pickle);
    };
    EXPECT_THAT(errorOfBytes(withTensor(twice, {{"0", kFour}})), AllOf(HasSubstr("\"w\""), HasSubstr("duplicate")));
}

TEST_P(TorchZip, SaysWhatItHoldsInsteadOfAModel)
{
    const auto file = [](const std::string& pickle) {
        test::ZipWriter zip;
        zip.add("x/data.pkl", pickle);
        return zip.finish();
    };
    EXPECT_THAT(errorOfBytes(
                    file(PickleWriter().emptyDict().mark().text("epoch").integer(1).text("lr").real(2).setItems().finish())),
                AllOf(HasSubstr("m.pth"), HasSubstr("no state dict"), HasSubstr("\"epoch\", \"lr\"")));
    EXPECT_THAT(errorOfBytes(file(PickleWriter().integer(1).finish())), HasSubstr("found: nothing with a name"));
    EXPECT_THAT(
        errorOfBytes(file(PickleWriter().global("my.nets", "Net").emptyTuple().newObject().emptyDict().build().finish())),
        AllOf(HasSubstr("whole Python object"), HasSubstr("my.nets.Net"), HasSubstr("state_dict()")));
    EXPECT_THAT(errorOfBytes(file("\x80\x02]" + std::string(50, ']') + "(")),
                AllOf(HasSubstr("data.pkl"), HasSubstr("cut off")));

    test::ZipWriter script;
    script.add("x/data.pkl", PickleWriter().emptyDict().finish());
    script.add("x/constants.pkl", "");
    EXPECT_THAT(errorOfBytes(script.finish()), HasSubstr("TorchScript"));
    test::ZipWriter other;
    other.add("word/document.xml", "<xml>");
    EXPECT_THAT(errorOfBytes(other.finish()), HasSubstr("no data.pkl"));
    test::ZipWriter two;
    two.add("a/data.pkl", "");
    two.add("b/data.pkl", "");
    EXPECT_THAT(errorOfBytes(two.finish()), HasSubstr("2 files named data.pkl"));
}

TEST_P(TorchZip, FairseqKeepsItsNamespaceInTheExtras)
{
    PickleWriter pickle;
    pickle.emptyDict().mark();
    pickle.text("args").global("argparse", "Namespace").emptyTuple().newObject();
    pickle.emptyDict().mark().text("arch").text("transformer_moa").text("num_experts").integer(8).setItems().build();
    pickle.text("model").emptyDict().mark().text("w");
    rebuild({})(pickle);
    pickle.setItems().setItems();
    test::ZipWriter zip;
    zip.add("archive/data.pkl", pickle.finish());
    zip.add("archive/data/0", kFour);
    const Checkpoint checkpoint = openBytes(zip.finish());
    EXPECT_EQ(checkpoint.extras.dump(), R"({"args":{"arch":"transformer_moa","num_experts":8}})");
}

} // namespace
} // namespace headscope::core
