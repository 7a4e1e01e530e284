// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace headscope::core::nn {

/// Multiply-accumulates per second that large float products reach on the CPU when so many threads each work on their own: what a pass is held
/// against. Takes some tenths of a second; the best of three attempts.
double productSpeed(int threads);

} // namespace headscope::core::nn
