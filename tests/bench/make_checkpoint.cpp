// SPDX-License-Identifier: GPL-3.0-or-later
// headscope_make_checkpoint FOLDER [SEED]: a random checkpoint with the shapes of the public 244M MoEUT model (model.safetensors and args.json,
// about 1 GB), for measurements at that size. The same seed gives the same bytes.
#include "core/checkpoint/safetensors_writer.h"
#include "core/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

namespace {

using headscope::core::DType;
using headscope::core::SafetensorsEntry;

struct Shapes {
    std::int64_t vocabulary = 8000, width = 1024, layers = 18, modules = 2, heads = 4, headWidth = 128;
    std::int64_t attentionExperts = 10, attentionChosen = 2, experts = 387, expertSize = 128, chosen = 16;
};

/// How a tensor is filled: normal with this deviation, or with a constant.
struct Fill {
    double deviation = 0;
    float constant = 0;
};

struct Plan {
    std::vector<SafetensorsEntry> entries;
    std::vector<Fill> fills;

    void random(std::string name, std::vector<std::int64_t> shape, std::int64_t fanIn)
    {
        entries.push_back({std::move(name), DType::F32, std::move(shape)});
        fills.push_back({1 / std::sqrt(static_cast<double>(fanIn)), 0});
    }
    void constant(std::string name, std::vector<std::int64_t> shape, float value)
    {
        entries.push_back({std::move(name), DType::F32, std::move(shape)});
        fills.push_back({0, value});
    }
    void norm(const std::string& name, std::int64_t width)
    {
        constant(name + ".weight", {width}, 1);
        constant(name + ".bias", {width}, 0);
    }
};

Plan planOf(const Shapes& s)
{
    Plan plan;
    const auto inner = s.heads * s.headWidth;
    const auto routed = s.heads * s.attentionExperts;
    plan.random("embedding.weight", {s.vocabulary, s.width}, 1);
    for (std::int64_t module = 0; module < s.modules; ++module) {
        const auto prefix = fmt::format("unique_layers.{}.", module);
        for (const auto* name : {"q", "k"})
            plan.random(prefix + "self_attn.projections." + name, {inner, s.width}, s.width);
        plan.random(prefix + "self_attn.projections.v", {routed, s.width, s.headWidth}, s.width);
        plan.random(prefix + "self_attn.projections.o", {routed, s.headWidth, s.width}, inner);
        for (const auto* name : {"o", "v"})
            plan.random(prefix + "self_attn.selections." + name, {routed, s.width}, s.width);
        plan.norm(prefix + "self_attn.norm", s.width);
        plan.norm(prefix + "pkm.norm", s.width);
        plan.random(prefix + "pkm.keys", {s.experts, s.width, s.expertSize}, s.width);
        plan.random(prefix + "pkm.values", {s.experts, s.expertSize, s.width}, s.chosen * s.expertSize);
        plan.random(prefix + "pkm.expert_sel", {s.experts, s.width}, s.width);
    }
    plan.norm("out_norm", s.width);
    plan.random("output.weight", {s.vocabulary, s.width}, s.width);
    plan.constant("output.bias", {s.vocabulary}, 0);
    return plan;
}

nlohmann::json argumentsOf(const Shapes& s)
{
    return {{"task", "c4_transformer"},
            {"transformer.variant", "preln_moe_universal"},
            {"moe.nonorm", 1},
            {"moe.att.enable", 1},
            {"moe.att.variant", "full_rope"},
            {"moe.att.q_expert", 0},
            {"moe.att.k_expert", 0},
            {"transformer.universal.group_size", s.modules},
            {"transformer.encoder_n_layers", s.layers},
            {"transformer.n_heads", s.heads},
            {"state_size", s.width},
            {"moe.att.n_experts", s.attentionExperts},
            {"moe.att.k", s.attentionChosen},
            {"pkm.n_heads", s.chosen},
            {"lm.trafo.context_blocks", 0},
            {"lm.unroll", 1024}};
}

/// SplitMix64, and the sum of four of its 16-bit parts for a bell of values: fast, and the same everywhere.
class Random
{
public:
    explicit Random(std::uint64_t seed) : m_state(seed) {}
    float bell()
    {
        std::uint64_t z = (m_state += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        z ^= z >> 31;
        const auto sum = (z & 0xFFFF) + ((z >> 16) & 0xFFFF) + ((z >> 32) & 0xFFFF) + (z >> 48);
        return (static_cast<float>(sum) / 65535.0F - 2.0F) * 1.7320508F; // variance of the sum: 4/12
    }

private:
    std::uint64_t m_state;
};

void make(const std::filesystem::path& folder, std::uint64_t seed)
{
    const Shapes shapes;
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "args.json") << argumentsOf(shapes).dump(2) << "\n";
    const auto plan = planOf(shapes);
    headscope::core::SafetensorsWriter writer(folder / "model.safetensors", plan.entries);
    Random random(seed);
    std::vector<float> piece(1 << 16);
    std::int64_t all = 0;
    for (std::size_t i = 0; i < plan.entries.size(); ++i) {
        std::int64_t left = 1;
        for (const auto size : plan.entries[i].shape)
            left *= size;
        all += left;
        for (; left > 0; left -= static_cast<std::int64_t>(piece.size())) {
            piece.resize(static_cast<std::size_t>(std::min<std::int64_t>(left, 1 << 16)));
            for (auto& value : piece)
                value = plan.fills[i].deviation > 0 ? random.bell() * static_cast<float>(plan.fills[i].deviation) : plan.fills[i].constant;
            writer.write(std::span<const float>(piece));
        }
        piece.resize(1 << 16);
    }
    writer.finish();
    fmt::print("{} parameters in {}\n", all, (folder / "model.safetensors").string());
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 2 || argc > 3) {
        fmt::print(stderr, "Usage: headscope_make_checkpoint FOLDER [SEED]\n");
        return 2;
    }
    try {
        make(argv[1], argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 1;
    }
    return 0;
}
