// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace headscope::app {

/// The files that a command is going to write, held against everything it reads and against each other, so that what is
/// wrong is said before the work begins and not after it. What was given on the line is known as read when the line has been
/// parsed; what is found only on opening (shards, args.json, a tokenizer) is known after that, and ModelOptions::open asks
/// again. core::AtomicFile has the last word.
class OutputGuard
{
public:
    struct Output {
        std::string option; // "--out"
        std::filesystem::path path;
    };

    /// Outputs with an empty path are none. Throws core::Error as `check`, and when a file cannot be written there: no such
    /// folder, no permission, a name that is a folder.
    explicit OutputGuard(std::vector<Output> outputs = {});
    /// Throws core::Error when an output is a file that is read, lies in a folder of the corpus, or is another output.
    void check() const;

private:
    std::vector<Output> m_outputs;
};

} // namespace headscope::app
