// SPDX-License-Identifier: GPL-3.0-or-later
// The trained demonstration checkpoint: counts over its text against the choices that its training code made.
#include "core/checkpoint/safetensors_reader.h"
#include "tests/core/corpus/corpus_folder.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <map>

namespace headscope::core::testing {
namespace {

namespace fs = std::filesystem;

const fs::path demo = fs::path(HEADSCOPE_TEST_DATA) / "demo/switchhead";

/// A tensor of whole numbers of the expected trace.
std::vector<std::int64_t> expected(const SafetensorsContent& content, const std::string& name)
{
    for (const TensorView& tensor : content.tensors)
        if (tensor.name == name) {
            const auto bytes = tensor.read();
            std::vector<std::int64_t> values(bytes.size() / sizeof(std::int64_t));
            std::memcpy(values.data(), bytes.data(), bytes.size());
            return values;
        }
    ADD_FAILURE() << "no tensor " << name;
    return {};
}

TEST(DemoCounts, EqualTheChoicesOfTheTrainingCode)
{
    const auto model = openModel(demo / "model-1400.pth");
    CountSettings settings;
    settings.corpus = {demo / "text.txt"};
    settings.fingerprint = "demo";
    settings.threads = 2;
    const Counts counts = countCorpus(*model, settings);
    EXPECT_EQ(counts.basis.window, 256);
    EXPECT_EQ(counts.routers.size(), 16U);

    const auto content = readSafetensors(FileBytes::open(demo / "expected.safetensors"));
    const auto ids = expected(content, "tokens.ids");
    const TokenTable& tokens = counts.streams[0].tokens;
    for (const RouterCounts& counted : counts.routers) {
        const auto choices = expected(content, counted.router.address.wholeSite().toString() + ".experts"); // [tokens, heads, k]
        const auto k = static_cast<std::size_t>(counted.router.chosen);
        const std::size_t heads = choices.size() / ids.size() / k;
        const auto head = static_cast<std::size_t>(counted.router.address.head.value());
        std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> difference;
        for (std::size_t i = 0; i < ids.size(); ++i)
            for (std::size_t slot = 0; slot < k; ++slot)
                --difference[{ids[i], choices[(i * heads + head) * k + slot]}];
        for (std::size_t i = 0; i < counted.pairs.size(); ++i)
            difference[{tokens.ids[counted.pairs.row[i]], counted.pairs.expert[i]}] += static_cast<std::int64_t>(counted.pairs.count[i]);
        std::int64_t sum = 0;
        for (const auto& [pair, n] : difference)
            sum += std::abs(n);
        EXPECT_EQ(sum, 0) << counted.router.address.toString();
    }
}

} // namespace
} // namespace headscope::core::testing
