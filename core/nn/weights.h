// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/checkpoint.h"
#include "core/nn/device.h"
#include "core/progress.h"

#include <ATen/core/TensorBody.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace headscope::core::nn {

/// Reads a checkpoint's tensors for computing: widened to float32 (or rounded to the compute type), on the device. Tensors that share a
/// storage in the file share it here. `Describe` reads nothing but scalars and gives tensors without data, for questions about a model
/// that is not going to be run.
class Weights
{
public:
    enum class Mode : std::uint8_t { Read, Describe };

    Weights(const Checkpoint& checkpoint, Compute compute, Mode mode, Progress progress);

    const Compute& compute() const { return m_compute; }
    Mode mode() const { return m_mode; }
    bool has(std::string_view name) const { return m_checkpoint.find(name) != nullptr; }
    /// Throws Error naming the file and the tensor when it is absent, or when its numbers are not what the model computes with (computable.h).
    const TensorView& view(std::string_view name) const;
    /// The shape as the file says it; throws like view.
    const std::vector<std::int64_t>& shape(std::string_view name) const { return view(name).shape; }
    /// Throws Error when it is absent or has not this shape (-1 allows any size).
    at::Tensor get(std::string_view name, const std::vector<std::int64_t>& expectedShape);
    /// A single number, whatever its shape ([1] or []).
    double scalar(std::string_view name);
    /// Elements of the distinct tensors asked for so far.
    std::int64_t parameters() const { return m_parameters; }
    /// Names that nobody asked for, for a note.
    std::vector<std::string> unused() const;
    /// Says that a tensor is known and not needed (statistics, masks).
    void ignore(std::string_view name) { m_used.insert(std::string(name)); }
    const Checkpoint& checkpoint() const { return m_checkpoint; }

private:
    at::Tensor load(const TensorView& view) const;

    const Checkpoint& m_checkpoint;
    Compute m_compute;
    Mode m_mode;
    Progress m_progress;
    std::int64_t m_parameters = 0;
    std::uint64_t m_bytes = 0;
    using Place = std::tuple<const FileBytes*, std::uint64_t, std::uint64_t, std::vector<std::int64_t>, std::vector<std::int64_t>>;
    std::map<Place, at::Tensor> m_loaded;
    std::set<std::string, std::less<>> m_used;
};

} // namespace headscope::core::nn
