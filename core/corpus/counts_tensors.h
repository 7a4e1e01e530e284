// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Internal to core/corpus: the tensors of a counts file, one by one. Docs: docs/counts-file.md.

#include "core/checkpoint/safetensors_reader.h"
#include "core/checkpoint/safetensors_writer.h"
#include "core/corpus/fixed_sums.h"
#include "core/progress.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core {

/// Collects what a file will hold. Values given by reference have to outlive `write`. Whole numbers are stored in 32 bits where all of a
/// tensor's fit, else in 64: the same values give the same bytes.
class TensorPlan
{
public:
    void counts(std::string name, std::vector<std::int64_t> shape, std::span<const std::uint64_t> values);
    void indices(std::string name, std::span<const std::uint32_t> values);
    void ids(std::string name, std::span<const std::int32_t> values);
    /// `name` and, where a sum needs more than 64 bits, `name.high`.
    void sums(std::string name, std::vector<std::int64_t> shape, const FixedSums& values);
    /// Any bytes: `name.bytes` and `name.ends`.
    void strings(std::string name, const std::vector<std::string>& values);

    /// Wide elements come first, so that every tensor begins at a multiple of its element's size.
    void write(const std::filesystem::path& path, const std::map<std::string, std::string>& metadata, const Progress& progress) &&;

private:
    struct Planned {
        SafetensorsEntry entry;
        std::function<void(SafetensorsWriter&)> write;
    };
    template<typename Stored, typename Value>
    void plan(std::string name, DType dtype, std::vector<std::int64_t> shape, std::span<const Value> values);

    std::vector<Planned> m_tensors;
};

/// The tensors of a file that is being read. Every one has to be asked for with the shape it must have; what is left over is an error.
class TensorSet
{
public:
    explicit TensorSet(const std::filesystem::path& path);

    const std::map<std::string, std::string>& metadata() const { return m_metadata; }
    bool has(const std::string& name) const { return m_tensors.contains(name); }
    std::vector<std::uint64_t> counts(const std::string& name, const std::vector<std::int64_t>& shape);
    /// Of any length, or of the one given.
    std::vector<std::uint32_t> indices(const std::string& name, std::optional<std::size_t> length = {});
    std::vector<std::int32_t> ids(const std::string& name);
    FixedSums sums(const std::string& name, const std::vector<std::int64_t>& shape);
    std::vector<std::string> strings(const std::string& name);
    void requireAllRead() const;

    /// "FILE is no valid counts file: …; count again."
    [[noreturn]] void fail(std::string_view what) const;

private:
    TensorView take(const std::string& name);
    template<typename Value>
    std::vector<Value> values(const TensorView& tensor) const;
    void requireShape(const TensorView& tensor, const std::vector<std::int64_t>& shape) const;

    std::filesystem::path m_path;
    std::map<std::string, TensorView> m_tensors;
    std::map<std::string, std::string> m_metadata;
};

struct Counts;
/// The tensors of counts; those of a pass that is not finished come beside them (resume.h). In counts_file.cpp.
TensorPlan planCounts(const Counts& counts);
Counts takeCounts(TensorSet& file, const Progress& progress);

} // namespace headscope::core
