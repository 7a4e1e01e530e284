// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/checkpoint/test_files.h"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

namespace headscope::test {

std::filesystem::path memoryFolder()
{
    const char* shared = "/dev/shm";
    return ::access(shared, W_OK | X_OK) == 0 ? std::filesystem::path(shared) : std::filesystem::temp_directory_path();
}

TemporaryFolder::TemporaryFolder(const std::filesystem::path& parent)
{
    std::string name = (parent / "headscope-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
        throw std::system_error(errno, std::generic_category(), name);
    m_path = name;
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored;
    std::filesystem::remove_all(m_path, ignored);
}

void writeFile(const std::filesystem::path& path, std::string_view bytes)
{
    std::filesystem::create_directories(path.parent_path());
    std::filesystem::remove(path); // writing over an existing file makes some file systems wait for the disk
    std::ofstream stream(path, std::ios::binary);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    stream.close();
    if (!stream)
        throw std::runtime_error("cannot write " + path.string());
}

std::string readFile(const std::filesystem::path& path)
{
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::string safetensorsBytes(std::string_view json, std::string_view data)
{
    const std::uint64_t length = json.size();
    std::string bytes(reinterpret_cast<const char*>(&length), sizeof length);
    bytes += json;
    bytes += data;
    return bytes;
}

std::string fromHex(std::string_view hex)
{
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
    return bytes;
}

} // namespace headscope::test
