// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/families/model.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace headscope::tests {

/// A folder of tests/data with a checkpoint and the trace that a correct program gives for it.
struct Fixture {
    std::filesystem::path folder;
    std::string family;
    std::filesystem::path checkpoint;
    std::filesystem::path tokenizer;
    std::string text;
    std::vector<core::TokenId> ids;

    static Fixture read(const std::filesystem::path& folder);
    std::shared_ptr<const core::Model> open(core::OpenOptions options = {}) const;
};

/// How closely values must agree, and how many choices may differ.
struct Tolerance {
    double logits = 1e-4;
    double gates = 1e-4;
    double attention = 1e-4;
    double otherChoices = 0; // share of choices
};

/// One line per tensor that is missing, has another shape or differs; empty when all agree.
std::vector<std::string> differences(const Fixture& fixture, const core::Trace& trace, const Tolerance& tolerance = {});

/// Every fixture folder below tests/data, and those that come with a text and a tokenizer.
std::vector<std::filesystem::path> fixtureFolders();
std::vector<std::filesystem::path> fixtureFoldersWithText();

} // namespace headscope::tests
