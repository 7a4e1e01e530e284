// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

namespace headscope::app::testing {

/// What a run of the command line left.
struct Outcome {
    int code = -1;
    std::string out;
    std::string err;
};

/// Runs the command line in this process. `input` is what standard input holds.
/// `asked` is told of every question whether the work is still wanted.
Outcome run(const Arguments& arguments, const std::string& input = {}, std::stop_token stop = {}, std::function<void()> asked = {});

/// The checkpoint of tests/data/fixtures/<name>.
std::string fixture(const std::string& name);
/// The whole of a file.
std::string contents(const std::filesystem::path& path);

/// A folder of a test's own, removed at the end.
class OwnFolder
{
public:
    OwnFolder();
    ~OwnFolder();
    OwnFolder(const OwnFolder&) = delete;
    OwnFolder& operator=(const OwnFolder&) = delete;
    std::string file(const std::string& name) const { return (m_path / name).string(); }
    std::string file(const std::string& name, const std::string& bytes) const;
    const std::filesystem::path& path() const { return m_path; }

private:
    std::filesystem::path m_path;
};

/// Expects exit 1, nothing on standard output and exactly one sentence on standard error; returns the sentence.
std::string refusal(const Arguments& arguments);

} // namespace headscope::app::testing
