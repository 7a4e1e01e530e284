// SPDX-License-Identifier: GPL-3.0-or-later
// headscope_large_bench CHECKPOINT [TOKENS [KEYSTROKES]]: opening a checkpoint, tracing with more and less kept, one more token behind known ones; and the
// memory that took; or only that many typed tokens, each behind the trace of the former. Figures for people.
#include "core/families/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace headscope::core;

/// Milliseconds on the clock and of the processor (all threads): on a busy machine the second says more.
struct Took {
    double wall = 0;
    double processor = 0;
};

Took measured(const std::function<void()>& work)
{
    const auto start = std::chrono::steady_clock::now();
    const auto processor = std::clock();
    work();
    return {std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count(),
            1000.0 * static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC};
}

/// The least of a few runs, after one that does not count.
Took best(int runs, const std::function<void()>& work)
{
    work();
    Took least{1e300, 1e300};
    for (int i = 0; i < runs; ++i) {
        const auto took = measured(work);
        least = {std::min(least.wall, took.wall), std::min(least.processor, took.processor)};
    }
    return least;
}

void report(const std::string& what, const Took& took)
{
    fmt::print("{}: {:.0f} ms, {:.0f} ms of processor time\n", what, took.wall, took.processor);
    std::fflush(stdout);
}

/// A line of /proc/self/status.
std::string memory(const std::string& key)
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with(key + ":"))
            return fmt::format("{:.0f} MB", std::strtod(line.c_str() + key.size() + 1, nullptr) / 1000);
    return "unknown";
}

TokenizedText someTokens(const Model& model, std::int64_t count)
{
    std::vector<TokenId> ids;
    for (std::int64_t i = 0; i < count; ++i)
        ids.push_back(static_cast<TokenId>((i * 7919 + 13) % model.info()->vocabulary));
    return model.tokensFromIds(ids);
}

void measure(const std::string& path, std::int64_t tokens)
{
    OpenOptions options;
    options.device = "cpu";
    std::shared_ptr<const Model> model;
    report("open", measured([&] { model = openModel(path, options); }));
    fmt::print("  {} million parameters, resident {}\n", model->info()->parameters / 1000000, memory("VmRSS"));
    const auto text = someTokens(*model, tokens);
    const TraceOptions routing{.maps = false, .routerLogits = false, .loss = false};
    const TraceOptions loss{.maps = false, .routerLogits = true, .loss = true};
    const TraceOptions all{};
    report(fmt::format("trace {} tokens, routing only", tokens), best(2, [&] { model->trace(text, routing); }));
    report("  with loss", best(2, [&] { model->trace(text, loss); }));
    report("  with loss and maps", best(2, [&] { model->trace(text, all); }));
    auto typed = all;
    typed.prefix = model->trace(someTokens(*model, tokens - 1), all);
    report(fmt::format("one more token behind {} known ones", tokens - 1), best(5, [&] { model->trace(text, typed); }));
    fmt::print("peak memory {}\n", memory("VmHWM"));
}

void type(const std::string& path, std::int64_t tokens, int keystrokes)
{
    OpenOptions options;
    options.device = "cpu";
    const auto model = openModel(path, options);
    TraceOptions typed;
    typed.prefix = model->trace(someTokens(*model, tokens), {});
    std::vector<Took> taken;
    for (int i = 1; i <= keystrokes; ++i) {
        const auto text = someTokens(*model, tokens + i);
        std::shared_ptr<const Trace> trace;
        taken.push_back(measured([&] { trace = model->trace(text, typed); }));
        typed.prefix = trace;
    }
    const auto median = [&](double Took::*what) {
        std::ranges::sort(taken, {}, what);
        return taken[taken.size() / 2].*what;
    };
    fmt::print("one more token behind {} and more: {:.1f} ms, {:.1f} ms of processor time (medians of {})\n", tokens, median(&Took::wall),
               median(&Took::processor), keystrokes);
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 2 || argc > 4) {
        fmt::print(stderr, "Usage: headscope_large_bench CHECKPOINT [TOKENS [KEYSTROKES]]\n");
        return 2;
    }
    try {
        const std::int64_t tokens = argc > 2 ? std::max<std::int64_t>(std::strtoll(argv[2], nullptr, 10), 2) : 1024;
        if (argc > 3)
            type(argv[1], tokens, std::max(std::atoi(argv[3]), 1));
        else
            measure(argv[1], tokens);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    return 0;
}
