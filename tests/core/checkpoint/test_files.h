// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/error.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::test {

/// Where files of a test belong that need no disk: in memory if the system offers that, else with other temporary files.
std::filesystem::path memoryFolder();

/// An empty folder that goes away with its content.
class TemporaryFolder
{
public:
    explicit TemporaryFolder(const std::filesystem::path& parent = memoryFolder());
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return m_path; }
    std::filesystem::path operator/(std::string_view name) const { return m_path / name; }

private:
    std::filesystem::path m_path;
};

void writeFile(const std::filesystem::path& path, std::string_view bytes);
std::string readFile(const std::filesystem::path& path);

/// Length as 8 little-endian bytes, JSON, data: a safetensors file by hand.
std::string safetensorsBytes(std::string_view json, std::string_view data);

/// "0a1b" → the two bytes.
std::string fromHex(std::string_view hex);

/// The sentence of the Error that `action` throws; "" when it throws none. Other exceptions pass.
template <typename Action>
std::string errorOf(Action action)
{
    try {
        action();
    } catch (const core::Error& error) {
        return error.what();
    }
    return {};
}

} // namespace headscope::test
