// SPDX-License-Identifier: GPL-3.0-or-later
// Out of memory is a sentence and exit 1 wherever it happens (fault C.4), in words that suit the command (fault D.4).
#include "tests/app/cli/program.h"
#include "tests/app/cli/run_folder.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace headscope::app::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr rlim_t megabyte = 1 << 20;
constexpr int cannotLoad = 127; // the loader of the system found no room for the libraries: no line of this program has run
constexpr rlim_t most = 1400;   // megabytes; above it everything here has room

/// Megabytes with which the libraries can be loaded at all.
rlim_t least()
{
    Start start;
    rlim_t low = 50;
    rlim_t high = most;
    while (low + 1 < high) {
        const rlim_t middle = (low + high) / 2;
        start.addressBytes = middle * megabyte;
        (runProgram({"version"}, start).code == cannotLoad ? low : high) = middle;
    }
    return high;
}

TEST(FaultC4, OutOfMemoryIsASentence)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizer takes all addresses for itself";
#endif
    const RunFolder at;
    Start start;
    int refused = 0;
    int done = 0;
    const rlim_t begin = least();
    for (rlim_t size = begin; size <= most; size += size < begin + 100 ? 10 : 300) {
        start.addressBytes = size * megabyte;
        for (const Arguments& line :
             {Arguments{"info", at.file("run")},
              {"trace", at.file("run"), "--file", at.file("text.csv")},
              {"count", at.file("run"), at.file("corpus"), "--threads", "4", "--out", at.file("n.counts")}}) {
            const Outcome outcome = runProgram(line, start);
            if (outcome.code == 0) {
                ++done;
                continue;
            }
            ++refused;
            EXPECT_EQ(outcome.code, 1) << line.front() << " in " << size << " MB: " << outcome.err;
            EXPECT_THAT(outcome.err, AnyOf(HasSubstr("not enough memory"), HasSubstr("do not fit into memory")))
                << line.front() << " in " << size << " MB";
            EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
            if (line.front() == "info") {
                EXPECT_THAT(outcome.err, Not(HasSubstr("text")));
            }
        }
    }
    EXPECT_GT(refused, 0);
    EXPECT_GT(done, 0);
}

} // namespace
} // namespace headscope::app::testing
