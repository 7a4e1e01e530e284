// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/nn/experts.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>

namespace headscope::core::nn {
namespace {

std::int64_t rowOf(Rows rows, std::int64_t token, std::int64_t head, std::int64_t slot, const RoutingRule& rule)
{
    switch (rows) {
    case Rows::Token: return token;
    case Rows::TokenHead: return token * rule.heads + head;
    case Rows::TokenSlot: return token * rule.chosen + slot;
    }
    return 0;
}

} // namespace

Buckets bucketsOf(const Choices& choices, const BucketPlan& plan, at::TensorOptions options)
{
    const auto& rule = plan.rule;
    const auto entries = static_cast<std::int64_t>(choices.experts.size());
    const auto perToken = static_cast<std::int64_t>(rule.heads) * rule.chosen;
    const std::int64_t matrices = plan.sharedExperts ? rule.experts : static_cast<std::int64_t>(rule.heads) * rule.experts;
    const auto matrixOf = [&](std::int64_t entry) {
        const auto head = entry % perToken / rule.chosen;
        return choices.experts[static_cast<std::size_t>(entry)] + (plan.sharedExperts ? 0 : head * rule.experts);
    };

    // Counting sort by matrix; inside a bucket the order of tokens stays, so sums come out the same each time.
    Buckets buckets;
    buckets.starts.assign(static_cast<std::size_t>(matrices) + 1, 0);
    for (std::int64_t entry = 0; entry < entries; ++entry)
        ++buckets.starts[static_cast<std::size_t>(matrixOf(entry)) + 1];
    for (std::size_t matrix = 1; matrix < buckets.starts.size(); ++matrix)
        buckets.starts[matrix] += buckets.starts[matrix - 1];
    const auto longs = at::TensorOptions().dtype(at::kLong);
    auto inputRows = at::empty({entries}, longs);
    auto outputRows = at::empty({entries}, longs);
    auto gates = at::empty({entries, 1}, at::TensorOptions().dtype(at::kFloat));
    auto next = buckets.starts;
    for (std::int64_t entry = 0; entry < entries; ++entry) {
        const auto place = next[static_cast<std::size_t>(matrixOf(entry))]++;
        const auto token = entry / perToken;
        const auto head = entry % perToken / rule.chosen;
        const auto slot = entry % rule.chosen;
        inputRows.mutable_data_ptr<std::int64_t>()[place] = rowOf(plan.input, token, head, slot, rule);
        outputRows.mutable_data_ptr<std::int64_t>()[place] = rowOf(plan.output, token, head, slot, rule);
        gates.mutable_data_ptr<float>()[place] = choices.gates[static_cast<std::size_t>(entry)];
    }
    buckets.inputRows = inputRows.to(options.device());
    buckets.outputRows = outputRows.to(options.device());
    buckets.gates = gates.to(options);
    return buckets;
}

at::Tensor mixture(const at::Tensor& in, std::int64_t outputs, std::int64_t outWidth, const Buckets& buckets,
                   const std::function<at::Tensor(const Bucket&)>& f, const Progress& progress)
{
    auto out = at::zeros({outputs, outWidth}, in.options());
    for (std::size_t matrix = 0; matrix + 1 < buckets.starts.size(); ++matrix) {
        const auto begin = buckets.starts[matrix];
        const auto count = buckets.starts[matrix + 1] - begin;
        if (count == 0)
            continue;
        progress.checkpoint();
        const Bucket bucket{static_cast<std::int64_t>(matrix), at::index_select(in, 0, buckets.inputRows.narrow(0, begin, count)),
                            buckets.gates.narrow(0, begin, count)};
        out.index_add_(0, buckets.outputRows.narrow(0, begin, count), f(bucket));
    }
    return out;
}

at::Tensor mixture(const at::Tensor& in, std::int64_t outputs, const at::Tensor& weights, const Buckets& buckets, ApplyGate gate,
                   const Progress& progress)
{
    const auto product = [&weights, gate](const Bucket& bucket) {
        auto rows = at::mm(bucket.rows, weights.select(0, bucket.expert));
        return gate == ApplyGate::Yes ? rows.mul_(bucket.gates) : rows;
    };
    return mixture(in, outputs, weights.size(2), buckets, product, progress);
}

} // namespace headscope::core::nn
