// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/progress.h"
#include "core/stats/router_table.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace headscope::core {

// Documents are what a corpus is a sample of; they come in groups (by a hash of their content, so that equal documents are
// in one). A document or a group that holds nothing that was counted is none.

/// Documents that the table's positions are from: those of groups that hold positions, where groups were gathered.
std::int64_t documentsHolding(const RouterTable& table);
/// Groups that hold something that was counted.
int groupsHolding(const DocumentGroups& groups);
/// So many of G an interval needs: min(20, G/2), at least 2 (design.md §5).
int fewestGroups(int groups);

/// Intervals of PMI (weighted by selections) for the pairs of a table: [pairs] of {low, high}, bits. The jackknife that
/// leaves out one group of documents at a time (Tukey 1958), on log2 of the lift: with PMI_g the PMI without group g, of g
/// groups that hold something,
///     s² = (g - 1)/g · Σ_g (PMI_g - PMI)²,   PMI ± t·s,
/// t of Student's distribution with min(g - 1, max(1, n(t)²/Σ_g n_g(t)²)) degrees of freedom: as many as groups hold the
/// token, unevenly filled ones counting less. α enters each PMI_g anew. Its coverage is measured in
/// tests/core/stats/coverage_test.cpp. NaN where the token or the pair occurs in one group only (nothing is left without
/// it) and where n(t)·n(e)/N is below 5, where log counts are too skew for it. `wanted` [pairs] says which are computed; the
/// others are NaN.
std::vector<std::pair<double, double>> groupIntervals(const RouterTable& table, const std::vector<bool>& wanted,
                                                      double alpha, double level, const Progress& progress = {});

} // namespace headscope::core
