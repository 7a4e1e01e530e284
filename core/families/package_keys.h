// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/families/parameter_table.h"

#include <string>

namespace headscope::core {

/// Hyper-parameters of the two packages, which no checkpoint holds: they come from a headscope.json (package_keys.cpp).
extern const ParameterTable switchheadPackageTable;
extern const ParameterTable moeutPackageTable;

/// Where the parts of a model around the SwitchHead package lie; "{l}" stands for the layer.
struct PackageNames {
    std::string embedding = "embedding.weight";
    std::string layers = "layers.{l}";
    std::string norm = "norm";
    std::string attention = "attention";
    std::string outNorm = "out_norm";
    std::string head = "lm_head";

    std::string layer(int index) const;
    std::string attentionPrefix(int index) const { return layer(index) + attention + "."; }
};

/// As "keys" among the hyper-parameters says. Throws Error.
PackageNames packageNames(const Checkpoint& checkpoint);

} // namespace headscope::core
