// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headscope::core {

// Glossary. A *router* decides for one token which of E *experts* are used and with what *gate* (the factor the model multiplies with).
// A *site* is what is routed inside a block: one projection of the attention, or the feed-forward layer. SwitchHead has one router per
// head at a site. An address names a router the same way in trace files, on the command line, in exports and on screen:
//     [stack.]layers.<depth>.<block>.<site>[.h<head>]
// depth is the place in the forward pass: layers that share weights appear once per application.

enum class Stack : std::uint8_t { None, Encoder, Decoder };
enum class Block : std::uint8_t { Self, Cross, Ffn };
enum class Site : std::uint8_t {
    Q, K, V, O, // SwitchHead: one expert mixture per projection
    QO,         // MoA, JetMoE: one decision picks query and output projection
    Head,       // MoH: whole heads on or off
    Mlp,        // mixture-of-experts feed-forward
};

std::string_view toString(Block block);
std::string_view toString(Site site);

/// Where attention maps come from: "layers.3.self", "decoder.layers.0.cross".
struct MapAddress {
    Stack stack = Stack::None;
    int depth = 0;
    Block block = Block::Self;

    std::string toString() const;
    static std::optional<MapAddress> parse(std::string_view text);
    auto operator<=>(const MapAddress&) const = default;
};

/// One router; without `head` it names the whole site (all its routers).
struct RouterAddress {
    Stack stack = Stack::None;
    int depth = 0;
    Block block = Block::Self;
    Site site = Site::O;
    std::optional<int> head;

    std::string toString() const;
    static std::optional<RouterAddress> parse(std::string_view text);
    /// The same address without the head.
    RouterAddress wholeSite() const;
    MapAddress mapAddress() const { return {stack, depth, block}; }
    auto operator<=>(const RouterAddress&) const = default;
};

} // namespace headscope::core
