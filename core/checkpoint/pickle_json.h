// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/pickle_value.h"

#include <nlohmann/json.hpp>

namespace headscope::core {

/// A value as plain JSON, as far as it is plain: numbers, strings, containers, and objects that are only a bag of attributes
/// (argparse.Namespace, OmegaConf). Everything else becomes {"__class__": name}. Depth and size are bounded: what is too
/// deep or too much is given as a class as well.
nlohmann::json pickleToJson(const PickleDocument& document, PickleId id);

} // namespace headscope::core
