// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/core/checkpoint/torch_file_writer.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace headscope::tests {

/// One segment of tokens after the other with explicit memory, as training runs it: slow, in doubles, nothing shared with the product. A pre-LN
/// SwitchHead with Transformer-XL positions, mixtures for v and o, dense feed-forward.
class SegmentedReference
{
public:
    using Row = std::vector<double>;
    using Rows = std::vector<Row>;

    struct Settings {
        std::size_t heads = 2;
        std::size_t chosen = 2;
        std::size_t unroll = 0;
        std::size_t blocks = 1;
        bool sameLength = false;
        bool lastLayer = false;
    };
    struct Result {
        Rows logits;                          // [tokens, vocabulary]
        std::vector<std::vector<Rows>> maps;  // [layers][heads][tokens, tokens]
    };

    SegmentedReference(const std::vector<test::TorchTensor>& tensors, const Settings& settings);
    Result run(const std::vector<std::int32_t>& ids) const;

private:
    const test::TorchTensor& tensor(const std::string& name) const { return m_tensors.at(name); }
    double at(const std::string& name, std::size_t row, std::size_t column) const;
    Row linear(const std::string& name, const Row& x) const; // with its bias, if there is one
    Row normed(const std::string& name, const Row& x) const;
    std::vector<std::pair<std::size_t, double>> chosen(const std::string& router, std::size_t head, const Row& x) const;
    Row expert(const std::string& name, std::size_t index, const Row& x) const;
    Row position(const std::string& layer, std::size_t head, double distance) const; // P_h R(distance)
    Rows attention(const std::string& layer, const Rows& queries, const Rows& sources, std::size_t remembered, std::vector<Rows>& maps,
                   std::size_t firstToken) const;
    Row feedForward(const std::string& layer, const Row& x) const;

    std::map<std::string, test::TorchTensor> m_tensors;
    Settings m_settings;
    std::size_t m_layers = 0;
};

} // namespace headscope::tests
