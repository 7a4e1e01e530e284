// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace headscope::app::testing {

/// How often `new` has been called in this program so far: a measure of work that does not depend on the machine's speed. Linking this file
/// replaces `operator new`.
std::uint64_t allocations();

} // namespace headscope::app::testing
