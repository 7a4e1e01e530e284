// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/nn/routing_function.h"
#include "core/progress.h"

#include <ATen/core/TensorBody.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace headscope::core::nn {

/// Work of a mixture, grouped by weight matrix: each entry takes one input row through one expert and adds the result, times the gate,
/// to one output row. Entries of a bucket use the same expert, so each expert costs one product and no weights are copied.
struct Buckets {
    std::vector<std::int64_t> starts; // [experts + 1], into the arrays below
    at::Tensor inputRows;             // [entries] int64, on the device
    at::Tensor outputRows;            // [entries] int64
    at::Tensor gates;                 // [entries, 1] in the compute type
};

/// Where an entry reads and writes, for the slot `s` of router `h` at token `t`.
enum class Rows : std::uint8_t {
    Token,     // row t
    TokenHead, // row t · heads + h
    TokenSlot, // row t · chosen + s (one router)
};

/// Weight matrices are numbered h · E + e, or e when all heads share them.
struct BucketPlan {
    RoutingRule rule;
    bool sharedExperts = false;
    Rows input = Rows::Token;
    Rows output = Rows::Token;
};

Buckets bucketsOf(const Choices& choices, const BucketPlan& plan, at::TensorOptions options);

/// The entries of one expert.
struct Bucket {
    std::int64_t expert = 0; // number of its weight matrix
    at::Tensor rows;         // [n, width], gathered inputs
    at::Tensor gates;        // [n, 1]
};

/// out[outputRows] += f(bucket) for every expert that was chosen. in: [inputs, width] -> [outputs, outWidth]. Cancelled between experts.
at::Tensor mixture(const at::Tensor& in, std::int64_t outputs, std::int64_t outWidth, const Buckets& buckets,
                   const std::function<at::Tensor(const Bucket&)>& f, const Progress& progress);

enum class ApplyGate : std::uint8_t { No, Yes };

/// As above with f = x·weights[e], times the gate or not. weights: [experts, width, outWidth]
at::Tensor mixture(const at::Tensor& in, std::int64_t outputs, const at::Tensor& weights, const Buckets& buckets, ApplyGate gate,
                   const Progress& progress);

} // namespace headscope::core::nn
