// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nn/product_speed.h"

#include <ATen/Parallel.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

namespace headscope::core::nn {

double productSpeed(int threads)
{
    constexpr std::int64_t size = 768;
    constexpr int repeats = 24;
    double best = 0;
    for (int attempt = 0; attempt < 3; ++attempt) {
        const auto start = std::chrono::steady_clock::now();
        {
            std::vector<std::jthread> workers;
            for (int i = 0; i < threads; ++i)
                workers.emplace_back([] {
                    const c10::InferenceMode inference;
                    at::set_num_threads(1);
                    const auto a = at::ones({size, size});
                    for (int repeat = 0; repeat < repeats; ++repeat)
                        at::mm(a, a);
                });
        }
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        best = std::max(best, static_cast<double>(threads) * repeats * size * size * size / seconds);
    }
    return best;
}

} // namespace headscope::core::nn
