// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/trace/trace.h"
#include "widgets/selection.h"

namespace headscope::app {

/// The selection after the views got this trace: what does not exist in it is let go, and a router is chosen if there is
/// one. A map that was not chosen is left to the view, which shows the one of the router.
widgets::SelectionState adapted(widgets::SelectionState state, const core::Trace& trace);

} // namespace headscope::app
