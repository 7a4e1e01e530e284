// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/routing/router.h"

#include <QString>

namespace headscope::widgets {

/// A site in words for a heading: "V", "O", "Q + O", "heads", "FFN"; with "cross" before it in cross-attention.
QString siteWords(core::Block block, core::Site site);
/// Which token is read, for a heading: "source", "destination".
QString sideWords(core::Side side);
/// "layer 3", "encoder layer 3".
QString layerWords(core::Stack stack, int depth);

/// One router over a text, as rich text: address, legend, what every expert got, entropy beside what uniform routing would
/// give, dead experts.
QString routerTooltip(const core::SiteRouting& site, int head, const core::Load& load);
/// The same in one line, for screen readers.
QString routerSentence(const core::SiteRouting& site, int head, const core::Load& load);

} // namespace headscope::widgets
