// SPDX-License-Identifier: GPL-3.0-or-later
// How fast a corpus is counted, beside what the machine's matrix products reach in the same run. Figures, not assertions.
//
//   headscope_count_bench [MODEL [CORPUS [--tokenizer FILE] [--sidecar FILE] [--window N]]]
//
// Without arguments: the demonstration checkpoint over the sample texts, repeated.
#include "core/corpus/count_corpus.h"
#include "core/families/model.h"
#include "core/nn/product_speed.h"
#include "core/nn/threads.h"
#include "core/trace/model_info.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <vector>

namespace headscope::core {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Products with weights of one attention block for one token, without its routers: dense projections, or k experts each.
double attentionProducts(const ModelInfo& info, const MapGroup& group)
{
    std::map<Site, int> chosen;
    for (const Router& router : info.routers)
        if (router.address.mapAddress() == group.address)
            chosen[router.address.site] = router.chosen;
    const auto times = [&](Site site) { return chosen.contains(site) ? chosen.at(site) : 1; };
    const double queries = group.maps * group.width * times(Site::Q);
    const double keys = group.keyHeads * group.width * times(Site::K);
    const double values = group.keyHeads * group.valueWidth * times(Site::V);
    const double outputs = group.maps * group.valueWidth * times(Site::O);
    return static_cast<double>(info.width) * (queries + keys + values + outputs);
}

/// Multiply-accumulates that routing a token of a full window needs: every layer but what stands behind the last router, and the visible half
/// of every map (content, position, values). Norms, activations and the projection of positions (once per window) are not in it.
double neededPerToken(const ModelInfo& info, std::int64_t window)
{
    double attention = 0;
    double pairs = 0;
    double routers = 0;
    const auto mapProducts = [&](const MapGroup& group) {
        const int perPair = group.width + group.valueWidth + (group.relativeHeads > 0 ? group.width : 0);
        return static_cast<double>(group.maps) * perPair * static_cast<double>(window + 1) / 2;
    };
    for (const MapGroup& group : info.maps) {
        attention += attentionProducts(info, group);
        pairs += mapProducts(group);
    }
    for (const Router& router : info.routers)
        routers += router.sharedWith ? 0 : static_cast<double>(router.experts) * static_cast<double>(info.width);
    const double feedForward = (static_cast<double>(info.layerProducts) - attention - routers) / static_cast<double>(info.maps.size());
    double needed = static_cast<double>(info.layerProducts) + pairs - feedForward; // nothing reads the last layer's
    if (info.routers.back().address.block == Block::Self)
        needed -= attentionProducts(info, info.maps.back()) + mapProducts(info.maps.back());
    return needed;
}

fs::path sampleCorpus()
{
    const fs::path path = fs::temp_directory_path() / "headscope-count-bench.txt";
    std::string text;
    for (const auto& entry : fs::directory_iterator(fs::path(HEADSCOPE_RESOURCES) / "samples")) {
        std::ifstream in(entry.path(), std::ios::binary);
        text.append(std::istreambuf_iterator<char>(in), {});
    }
    std::ofstream out(path, std::ios::binary);
    for (std::size_t written = 0; written < 400000; written += text.size())
        out << text;
    return path;
}

void bench(const fs::path& checkpoint, const OpenOptions& options, CountSettings settings)
{
    const auto model = openModel(checkpoint, options);
    const ModelInfo& info = *model->info();
    const int threads = nn::processors();
    settings.threads = threads;
    CountHooks hooks;
    std::optional<Clock::time_point> start; // of the second pass
    std::clock_t processorStart = 0;        // of all threads together: what counts on a machine that is busy with other things
    hooks.pause = [&] {
        if (!start) {
            start = Clock::now();
            processorStart = std::clock();
        }
        return false;
    };
    const double before = nn::productSpeed(threads);
    const Counts counts = countCorpus(*model, settings, hooks);
    const double seconds = secondsSince(start.value());
    const double processorSeconds = static_cast<double>(std::clock() - processorStart) / CLOCKS_PER_SEC;
    const double peak = std::max(before, nn::productSpeed(threads));
    const auto tokens = static_cast<double>(counts.streams[0].corpus.tokens);
    const double needed = neededPerToken(info, counts.basis.window);
    fmt::print("{}: {:.0f} tokens in {:.1f} s, {:.0f} tokens/s with {} threads\n", info.variant, tokens, seconds, tokens / seconds, threads);
    fmt::print("  {:.1f} s of processor time, {:.0f} tokens/s of it\n", processorSeconds, tokens / processorSeconds);
    fmt::print("  sgemm peak of this run {:.1f} G multiply-accumulates/s; routing needs {:.2f} M a token: {:.0f} % of the peak\n", peak / 1e9,
               needed / 1e6, 100 * needed * tokens / seconds / peak);
}

} // namespace
} // namespace headscope::core

int main(int argc, char** argv)
{
    using namespace headscope::core;
    setenv("MKL_CBWR", "AUTO,STRICT", 0); // as headscope count
    fs::path model = fs::path(HEADSCOPE_RESOURCES) / "demo/switchhead/model-1400.pth";
    OpenOptions options;
    options.device = "cpu";
    CountSettings settings;
    settings.fingerprint = "bench";
    int plain = 0;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word.starts_with("--") && i + 1 < argc) {
            const char* const value = argv[++i];
            if (word == "--tokenizer")
                options.tokenizer = value;
            else if (word == "--sidecar")
                options.sidecar = value;
            else if (word == "--window")
                settings.window = std::atoll(value);
        } else if (plain++ == 0) {
            model = argv[i];
        } else {
            settings.corpus.emplace_back(argv[i]);
        }
    }
    if (settings.corpus.empty())
        settings.corpus = {sampleCorpus()};
    try {
        bench(model, options, settings);
    } catch (const std::exception& error) {
        fmt::print(stderr, "error: {}\n", error.what());
        return 1;
    }
    return 0;
}
