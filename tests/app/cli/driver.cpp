// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/cli/driver.h"

#include "app/cli/command_line.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

namespace headscope::app::testing {

namespace fs = std::filesystem;

Outcome run(const Arguments& arguments, const std::string& input, std::stop_token stop, std::function<void()> asked)
{
    std::ostringstream out;
    std::ostringstream err;
    const CommandContext context{
        .out = out,
        .err = err,
        .stop = std::move(stop),
        .asked = std::move(asked),
        .readStandardInput = [&input] { return input; },
    };
    const int code = runCommands(arguments, context);
    return {code, out.str(), err.str()};
}

std::string fixture(const std::string& name)
{
    return std::string(HEADSCOPE_TEST_DATA "/fixtures/") + name + "/model-100000.pth";
}

std::string contents(const fs::path& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

OwnFolder::OwnFolder()
{
    std::string name = fs::temp_directory_path() / "headscope-cli-XXXXXX";
    m_path = mkdtemp(name.data());
}

OwnFolder::~OwnFolder()
{
    fs::remove_all(m_path);
}

std::string OwnFolder::file(const std::string& name, const std::string& bytes) const
{
    std::ofstream(m_path / name, std::ios::binary) << bytes;
    return file(name);
}

std::string refusal(const Arguments& arguments)
{
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("error: ")) << outcome.err;
    EXPECT_TRUE(outcome.err.ends_with(".\n")) << outcome.err;
    return outcome.err;
}

} // namespace headscope::app::testing
