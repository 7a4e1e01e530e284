// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/pickle_value.h"

#include <nlohmann/json.hpp>

#include <cstdint>

namespace headscope::core {

/// How much may still be written out. Values that share parts can be exponentially larger than their pickle, and the same
/// long text can stand in many places: what is taken from one document altogether stays within a few times its bytes.
struct PickleJsonBudget {
    explicit PickleJsonBudget(const PickleDocument& document);

    std::int64_t values = 0;
    std::int64_t textBytes = 0;
};

/// A value as plain JSON, as far as it is plain: numbers, strings, containers, and objects that are only a bag of attributes
/// (argparse.Namespace, OmegaConf). Everything else becomes {"__class__": name}. Depth and size are bounded: what is too
/// deep or too much is given as a class as well.
nlohmann::json pickleToJson(const PickleDocument& document, PickleId id, PickleJsonBudget& budget);
/// With a budget of its own.
nlohmann::json pickleToJson(const PickleDocument& document, PickleId id);

} // namespace headscope::core
