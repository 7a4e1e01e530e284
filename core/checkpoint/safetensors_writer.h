// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/dtype.h"
#include "core/checkpoint/atomic_file.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace headscope::core {

/// What a tensor of the file will be. Its bytes are given later.
struct SafetensorsEntry {
    std::string name;
    DType dtype = DType::F32;
    std::vector<std::int64_t> shape;
};

/// Writes a safetensors file as a stream: the header first, then the tensors' row-major bytes in the order of the entries,
/// in pieces of any size, so that nothing has to be in memory whole. The file appears under its name only in `finish`.
/// Throws Error: a tensor without a fixed element size, two tensors of one name, too few or too many bytes, and everything
/// AtomicFile reports.
class SafetensorsWriter
{
public:
    SafetensorsWriter(const std::filesystem::path& path, std::vector<SafetensorsEntry> entries,
                      const std::map<std::string, std::string>& metadata = {});

    void write(std::span<const std::byte> bytes);
    template <typename T>
    void write(std::span<const T> values)
    {
        write(std::as_bytes(values));
    }
    void finish();

private:
    std::filesystem::path m_path;
    AtomicFile m_file;
    std::uint64_t m_announced = 0; // bytes of all tensors
    std::uint64_t m_written = 0;
};

/// A tensor whose bytes are in memory.
struct SafetensorsTensor {
    SafetensorsEntry entry;
    std::span<const std::byte> bytes;
};

/// Writes a whole file at once.
void writeSafetensors(const std::filesystem::path& path, std::span<const SafetensorsTensor> tensors,
                      const std::map<std::string, std::string>& metadata = {});

} // namespace headscope::core
