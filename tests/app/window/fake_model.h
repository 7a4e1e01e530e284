// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/checkpoint_session.h"
#include "core/families/model.h"

#include <atomic>
#include <memory>
#include <string>

namespace headscope::samples {

/// How a fake model behaves; shared between the test and the model's threads.
struct FakeControl {
    std::atomic<bool> held{false};        // traces wait until it is false, and stop when they are cancelled
    std::atomic<int> millisecondsEach{0}; // of a trace
    std::atomic<int> begun{0};            // traces
    std::atomic<int> cancelled{0};
    std::atomic<int> alive{0}; // models
    std::atomic<bool> holdOpening{false};
};

/// Names of files it can open: "bare.fake" (when it is given n_heads of 1 or 2, moe_k and n_layers), "switchhead.fake", "moa.fake",
/// "dense.fake", "switchall.fake", each also with "-ids" before
/// the dot (no tokenizer) and with "-slow" (it claims that a token costs a quarter of a second
/// and that maps are large). Anything else is refused with a sentence. A text with the word "unreadable" cannot be traced.
app::ModelOpener fakeOpener(std::shared_ptr<FakeControl> control);

} // namespace headscope::samples
