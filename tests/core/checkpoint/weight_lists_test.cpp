// SPDX-License-Identifier: GPL-3.0-or-later
// Averages that are kept as a list of tensors, beside the dict with the names.
#include "core/checkpoint/checkpoint.h"
#include "tests/core/checkpoint/pickle_writer.h"
#include "tests/core/checkpoint/test_files.h"
#include "tests/core/checkpoint/zip_writer.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace headscope::core {
namespace {

using test::errorOf;
using test::PickleWriter;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

/// A tensor of two numbers: those from `offset` on of 0, 1, 2, 3, 4, 5.
void tensor(PickleWriter& pickle, int offset, int size = 2)
{
    pickle.global("torch._utils", "_rebuild_tensor_v2").mark();
    pickle.mark().text("storage").global("torch", "FloatStorage").text("0").text("cpu").integer(6).tuple().persistent();
    pickle.integer(offset).mark().integer(size).tuple().mark().integer(1).tuple().boolean(false).none().tuple().reduce();
}

/// {"model": {"b": [0, 1], "a": [1, 2], "tied": [0, 1]}, "ema": {"decay": 0.9, "shadow_params": [[2, 3], …]}}
void writeAveraged(const std::filesystem::path& path, int listed, int size = 2)
{
    PickleWriter pickle;
    pickle.emptyDict().mark().text("model").emptyDict().mark();
    pickle.text("b");
    tensor(pickle, 0);
    pickle.text("a");
    tensor(pickle, 1);
    pickle.text("tied");
    tensor(pickle, 0);
    pickle.setItems().text("ema").emptyDict().mark().text("decay").real(0.9).text("shadow_params").emptyList().mark();
    for (int i = 0; i < listed; ++i)
        tensor(pickle, std::min(2 + i, 4), size); // the last ones alike
    pickle.appends().setItems().setItems();
    test::ZipWriter zip;
    zip.add("x/data.pkl", pickle.finish());
    std::string data;
    for (const float value : {0.F, 1.F, 2.F, 3.F, 4.F, 5.F})
        data.append(reinterpret_cast<const char*>(&value), sizeof value);
    zip.add("x/data/0", data);
    test::writeFile(path, zip.finish());
}

TEST(FaultB5, AListOfAveragesGetsTheNamesOfTheModel)
{
    const test::TemporaryFolder folder;
    const auto path = folder / "m.pth";
    const CheckpointOptions averages{.weights = "ema.shadow_params"};
    for (const int listed : {3, 2}) { // tied weights are in the list once or twice
        writeAveraged(path, listed);
        EXPECT_THAT(openCheckpoint(path).notes, Contains(AllOf(HasSubstr("under \"model\""), HasSubstr("--weights ema.shadow_params"))));
        const Checkpoint checkpoint = openCheckpoint(path, averages);
        ASSERT_EQ(checkpoint.tensors.size(), 3U);
        EXPECT_THAT(checkpoint.find("b")->readFloats(), ElementsAre(2, 3));
        EXPECT_THAT(checkpoint.find("a")->readFloats(), ElementsAre(3, 4));
        EXPECT_THAT(checkpoint.find("tied")->readFloats(), testing::ElementsAreArray(listed == 3 ? std::vector<float>{4, 5} : std::vector<float>{2, 3}));
        EXPECT_NE(fingerprint(checkpoint), fingerprint(openCheckpoint(path)));
    }
    writeAveraged(path, 4);
    EXPECT_THAT(errorOf([&] { openCheckpoint(path, averages); }), HasSubstr("4 tensors without names"));
    writeAveraged(path, 3, 1);
    EXPECT_THAT(errorOf([&] { openCheckpoint(path, averages); }), HasSubstr("do not fit"));
}

} // namespace
} // namespace headscope::core
