// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <Qt>

namespace headscope::widgets {

/// What a cell of a table of decisions says to ExpertDelegate, beside its text. An invalid value means: nothing of the kind.
enum CellRole {
    ExpertRole = Qt::UserRole + 1, // int: whose colour
    StrengthRole,                  // double, 0 … 1: how strong the expert's colour fills the cell
    ScaleRole,                     // double, 0 … 1: place on the diverging scale that fills the cell
    ChosenRole,                    // bool: outlined in the expert's colour
    DoubtRole,                     // bool: marked as doubtful
};

} // namespace headscope::widgets
