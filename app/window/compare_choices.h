// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/comparison.h"
#include "widgets/compared_models.h"

#include <optional>

namespace headscope::app {

/// How the Compare page shows a comparison; remembered from one start to the next.
struct CompareChoices {
    widgets::CompareTint tint = widgets::CompareTint::Agreement;
    bool onlyDifferences = false;
    std::optional<core::Matching> matching;

    bool operator==(const CompareChoices&) const = default;
};

} // namespace headscope::app
