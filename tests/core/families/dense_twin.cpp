// SPDX-License-Identifier: GPL-3.0-or-later
// The model without mixtures that computes what a mixture of everything does.
#include "tests/core/families/variants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace headscope::tests {
namespace {

using Attention = Variant::Attention;
using Shape = std::vector<std::int64_t>;

std::string layerPrefix(std::int64_t layer)
{
    return fmt::format("unique_layers.{}.", layer);
}

test::TorchTensor& find(test::TorchCheckpoint& checkpoint, const std::string& name)
{
    return *std::find_if(checkpoint.tensors.begin(), checkpoint.tensors.end(),
                         [&](const auto& tensor) { return tensor.name == name; });
}

/// Rows of the first dimension, taken in groups of `experts`, in the order in which `order` names them.
/// matrices [H·E or E, rows, columns] -> one matrix for each head, gate times their sum.
std::vector<double> summed(const test::TorchTensor& tensor, std::int64_t head, std::int64_t experts, double gate)
{
    const auto size = static_cast<std::size_t>(tensor.shape[1] * tensor.shape[2]);
    const auto first = tensor.shape[0] == experts ? 0 : head * experts;
    std::vector<double> sum(size);
    for (std::int64_t e = 0; e < experts; ++e)
        for (std::size_t i = 0; i < size; ++i)
            sum[i] += gate * tensor.values[static_cast<std::size_t>(first + e) * size + i];
    return sum;
}

/// Rows become columns.
std::vector<double> transposed(const std::vector<double>& values, std::int64_t rows, std::int64_t columns)
{
    std::vector<double> result(values.size());
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < columns; ++c)
            result[static_cast<std::size_t>(c * rows + r)] = values[static_cast<std::size_t>(r * columns + c)];
    return result;
}

void append(std::vector<double>& all, const std::vector<double>& more)
{
    all.insert(all.end(), more.begin(), more.end());
}

/// A mixture of SwitchHead as the dense projection it amounts to.
test::TorchTensor denseProjection(const test::TorchTensor& mixture, const Variant& v, double gate, bool output)
{
    test::TorchTensor dense{.name = mixture.name};
    const auto rows = mixture.shape[1];
    const auto columns = mixture.shape[2];
    for (std::int64_t head = 0; head < v.heads;
         ++head) // in: [d, width] -> rows of heads; out: [width, d] -> the same before the turn below
        append(dense.values, output ? summed(mixture, head, v.experts, gate)
                                    : transposed(summed(mixture, head, v.experts, gate), rows, columns));
    if (output)
        dense.values = transposed(dense.values, v.heads * rows, columns);
    dense.shape = output ? Shape{columns, v.heads * rows} : Shape{v.heads * columns, rows};
    return dense;
}

/// MoA with all experts chosen: ordinary heads that share keys and values, without biases.
std::vector<test::TorchTensor> denseSlots(test::TorchCheckpoint& file, const std::string& prefix, const Variant& v,
                                          double gate)
{
    const auto w = v.headWidth;
    const auto d = v.width;
    const auto all = v.experts * w;
    test::TorchTensor q{.name = prefix + "data_to_q.weight", .shape = {all, d}};
    test::TorchTensor kv{.name = prefix + "data_to_kv.weight", .shape = {2 * all, d}};
    test::TorchTensor pos{.name = prefix + "pos_to_pq.weight", .shape = {all, d}};
    test::TorchTensor merge{.name = prefix + "multi_head_merge.weight", .shape = {d, all}};
    const auto& queries = find(file, prefix + "data_to_q").values;
    auto out = find(file, prefix + "out_proj").values;
    for (auto& value : out)
        value *= gate;
    for (std::int64_t e = 0; e < v.experts; ++e) {
        const auto begin = queries.begin() + static_cast<std::ptrdiff_t>(e * d * w);
        append(q.values, transposed({begin, begin + static_cast<std::ptrdiff_t>(d * w)}, d, w));
        append(kv.values, transposed(find(file, prefix + "data_to_kv").values, d, 2 * w)); // K rows, then V rows
        append(pos.values, find(file, prefix + "pos_to_pk").values);
    }
    merge.values = transposed(out, all, d);
    const std::vector<double> none(static_cast<std::size_t>(all));
    return {q,
            kv,
            pos,
            merge,
            {.name = prefix + "global_content_bias", .shape = {v.experts, w}, .values = none},
            {.name = prefix + "global_pos_bias", .shape = {v.experts, w}, .values = none},
            {.name = prefix + "scale", .shape = {1}, .values = {0.375}}};
}

/// A mixture feed-forward as the dense one whose hidden layer is those of all experts side by side.
std::vector<test::TorchTensor> denseFeedForward(test::TorchCheckpoint& file, const std::string& prefix, const Variant& v,
                                                double gate)
{
    const auto inner = v.feedForwardExperts * v.feedForwardSize;
    const bool before = v.selectionMode == "mul"; // the gate multiplies what goes into the activation
    test::TorchTensor up{.name = prefix + "linear1.weight", .shape = {inner, v.width}};
    const auto& keys = find(file, prefix + "pkm.keys").values;
    for (std::int64_t e = 0; e < v.feedForwardExperts; ++e) {
        const auto begin = keys.begin() + static_cast<std::ptrdiff_t>(e * v.width * v.feedForwardSize);
        append(up.values, transposed({begin, begin + static_cast<std::ptrdiff_t>(v.width * v.feedForwardSize)}, v.width,
                                     v.feedForwardSize));
    }
    test::TorchTensor down{.name = prefix + "linear2.weight",
                           .shape = {v.width, inner},
                           .values = transposed(find(file, prefix + "pkm.values").values, inner, v.width)};
    for (auto& value : before ? up.values : down.values)
        value *= gate;
    return {
        up,
        down,
        {.name = prefix + "linear1.bias", .shape = {inner}, .values = std::vector<double>(static_cast<std::size_t>(inner))},
        {.name = prefix + "linear2.bias",
         .shape = {v.width},
         .values = std::vector<double>(static_cast<std::size_t>(v.width))}};
}

} // namespace

test::TorchCheckpoint denseTwin(const Variant& all, const ConstantGate& gate)
{
    auto file = plainCheckpoint(all);
    auto source = file;
    for (std::int64_t layer = 0; layer < all.layers; ++layer) {
        const auto prefix = layerPrefix(layer);
        const auto replace = [&](const std::string& gone, const std::vector<test::TorchTensor>& now) {
            std::erase_if(file.tensors, [&](const auto& tensor) { return tensor.name.starts_with(gone); });
            file.tensors.insert(file.tensors.end(), now.begin(), now.end());
        };
        for (const char letter : {'q', 'k', 'v', 'o'})
            if (all.mixture(letter)) {
                const auto name = prefix + "self_attn.projections." + letter;
                replace(name,
                        {denseProjection(find(source, name), all, gate(layer, std::string(1, letter)), letter == 'o')});
            }
        replace(prefix + "self_attn.selections.", {});
        if (all.attention == Attention::Slots)
            replace(prefix + "self_attn.", denseSlots(source, prefix + "self_attn.", all, gate(layer, "qo")));
        if (all.mixtureFeedForward)
            replace(prefix + "pkm.", denseFeedForward(source, prefix, all, gate(layer, "mlp")));
    }
    // What the hyper-parameters say of mixtures is no longer so: the tensors tell.
    std::erase_if(file.args, [](const auto& argument) {
        return argument.first == "transformer.variant" || argument.first == "moe.att.enable" || argument.first == "moe.att.variant" ||
               argument.first == "moe.att.n_experts" || argument.first.ends_with("_expert") || argument.first.ends_with("_n_experts");
    });
    return file;
}

} // namespace headscope::tests
