// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/families/family.h"
#include "core/families/moe_attention/moe_attention.h"
#include "core/families/moeut_package.h"
#include "core/families/moeut_training.h"
#include "core/families/switchhead_package.h"

#include <array>

namespace headscope::core {

// A new family is one more line here, plus its fixture in tests/data.
std::span<const Family> families()
{
    static constexpr std::array list{
        moeAttentionFamily,
        moeutTrainingFamily,
        moeutPackageFamily,
        switchheadPackageFamily,
    };
    return list;
}

} // namespace headscope::core
