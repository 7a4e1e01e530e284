// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/series_folder.h"

#include "tests/core/checkpoint/test_files.h"

#include <gmock/gmock.h>

namespace headscope::core {
namespace {

using testing::ElementsAre;
using testing::Pair;

/// Step and name of every member of the series in a folder that holds these files.
std::vector<std::pair<std::int64_t, std::string>> seriesOf(const std::vector<std::string>& names)
{
    const test::TemporaryFolder folder;
    for (const std::string& name : names)
        test::writeFile(folder / name, "");
    std::vector<std::pair<std::int64_t, std::string>> members;
    for (const SeriesFile& file : findSeries(folder.path()))
        members.emplace_back(file.step, file.path.filename().string());
    return members;
}

TEST(FaultD5, NamesWithEpochAndStep)
{
    EXPECT_THAT(seriesOf({"epoch=1-step=800.ckpt", "epoch=0-step=400.ckpt", "epoch=10-step=4400.ckpt"}),
                ElementsAre(Pair(400, "epoch=0-step=400.ckpt"), Pair(800, "epoch=1-step=800.ckpt"), Pair(4400, "epoch=10-step=4400.ckpt")));
    EXPECT_THAT(seriesOf({"step=400-epoch=0.ckpt", "step=800-epoch=1.ckpt"}), ElementsAre(Pair(400, "step=400-epoch=0.ckpt"), Pair(800, "step=800-epoch=1.ckpt")));
    EXPECT_THAT(seriesOf({"epoch=0-step=9-val_loss=2.31.ckpt", "epoch=1-step=19-val_loss=1.07.ckpt"}),
                ElementsAre(Pair(9, testing::_), Pair(19, testing::_)));
    EXPECT_THAT(seriesOf({"epoch_3_iter_100.pth", "epoch_2_iter_90.pth", "epoch_4_iter_110.pth"}), ElementsAre(Pair(90, testing::_), Pair(100, testing::_), Pair(110, testing::_)));
    EXPECT_THAT(seriesOf({"epoch=0-val_loss=2.31.ckpt", "epoch=1-val_loss=1.07.ckpt"}), ElementsAre(Pair(0, testing::_), Pair(1, testing::_)));
    EXPECT_THAT(seriesOf({"epoch=0-step=4.ckpt", "epoch=1-step=8.ckpt", "epoch=1-step=8-v1.ckpt"}), testing::SizeIs(2)) << "another run's";
}

TEST(FaultD5, NumbersWithSuffixesPowersAndZeros)
{
    EXPECT_THAT(seriesOf({"model-0.4k.pth", "model-1.2k.pth", "model-0.8k.pth"}),
                ElementsAre(Pair(400, "model-0.4k.pth"), Pair(800, "model-0.8k.pth"), Pair(1200, "model-1.2k.pth")));
    EXPECT_THAT(seriesOf({"step_1e3.pt", "step_5e2.pt"}), ElementsAre(Pair(500, "step_5e2.pt"), Pair(1000, "step_1e3.pt")));
    EXPECT_THAT(seriesOf({"ckpt_00400.pt", "ckpt_01200.pt"}), ElementsAre(Pair(400, testing::_), Pair(1200, testing::_)));
    EXPECT_THAT(seriesOf({"run-2M.pt", "run-900k.pt"}), ElementsAre(Pair(900'000, testing::_), Pair(2'000'000, testing::_)));
    EXPECT_THAT(seriesOf({"m-1.5e3.pt", "m-2e3.pt"}), ElementsAre(Pair(1500, testing::_), Pair(2000, testing::_)));
}

TEST(FaultD5, OtherNumbersStillKeepRowsApart)
{
    EXPECT_THAT(seriesOf({"run1-100.pth", "run1-200.pth", "run2-100.pth"}), ElementsAre(Pair(100, "run1-100.pth"), Pair(200, "run1-200.pth")));
    EXPECT_THAT(seriesOf({"model-400.pth", "model-800.pth", "notes-7.txt"}), ElementsAre(Pair(400, "model-400.pth"), Pair(800, "model-800.pth")));
    EXPECT_THAT(seriesOf({"model-0.5.pth", "model-0.7.pth"}), ElementsAre(Pair(5, "model-0.5.pth"), Pair(7, "model-0.7.pth")));
    EXPECT_NE(test::errorOf([] { seriesOf({"a.pth", "model-400.pth"}); }), "");
}

} // namespace
} // namespace headscope::core
