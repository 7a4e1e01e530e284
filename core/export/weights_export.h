// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/data_table.h"
#include "core/progress.h"
#include "core/trace/model.h"

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core {

/// What weights say without any corpus.
enum class WeightsTable : std::uint8_t {
    Likes, // a row for every expert and token: the router's score for the token's embedding
    Alike, // a row for every pair of experts: cosines of their router rows and of their matrices
};
std::optional<WeightsTable> weightsTable(std::string_view name); // "likes", "alike"

struct WeightsExport {
    std::string program;     // "Headscope 0.1.0"
    std::string fingerprint; // of the checkpoint
    std::vector<RouterAddress> routers;
    std::size_t top = 0; // tokens of each expert; 0 for all
};

/// Throws Error when the weights of this model cannot be looked at, Cancelled.
void writeWeights(std::ostream& out, TableFormat format, WeightsTable table, const Model& model, const WeightsExport& what,
                  const Progress& progress = {});

} // namespace headscope::core
