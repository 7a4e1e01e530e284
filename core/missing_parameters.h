// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/error.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace headscope::core {

/// A hyper-parameter that neither the files nor the shapes of the tensors tell, and what the shapes allow for it.
struct MissingParameter {
    std::string key;                  // as in headscope.json
    std::string hint;                 // for a reader: "the experts a token chooses", "1, 2, 4"
    std::vector<std::string> choices; // one of these; empty: a whole number as below
    std::int64_t least = 1;
    std::int64_t most = 1;
    std::int64_t step = 1; // from `least` on
};

/// A checkpoint cannot be opened until the user says these.
class MissingParameters : public Error
{
public:
    MissingParameters(const std::string& sentence, std::vector<MissingParameter> parameters)
        : Error(sentence), m_parameters(std::move(parameters))
    {
    }
    const std::vector<MissingParameter>& parameters() const { return m_parameters; }

private:
    std::vector<MissingParameter> m_parameters;
};

/// Hyper-parameters that the user gives for a checkpoint that lacks them: key and value, as a person writes them.
using GivenParameters = std::vector<std::pair<std::string, std::string>>;

} // namespace headscope::core
