// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/routing/address.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>
#include <vector>

namespace headscope::core {
namespace {

constexpr std::array siteNames{
    std::pair{Site::Q, std::string_view("q")},       std::pair{Site::K, std::string_view("k")},
    std::pair{Site::V, std::string_view("v")},       std::pair{Site::O, std::string_view("o")},
    std::pair{Site::QO, std::string_view("qo")},     std::pair{Site::Head, std::string_view("head")},
    std::pair{Site::Mlp, std::string_view("mlp")},
};

constexpr std::array blockNames{
    std::pair{Block::Self, std::string_view("self")},
    std::pair{Block::Cross, std::string_view("cross")},
    std::pair{Block::Ffn, std::string_view("ffn")},
};

template <typename Enum, std::size_t N>
std::optional<Enum> byName(const std::array<std::pair<Enum, std::string_view>, N>& names, std::string_view text)
{
    for (const auto& [value, name] : names)
        if (name == text)
            return value;
    return std::nullopt;
}

template <typename Enum, std::size_t N>
std::string_view nameOf(const std::array<std::pair<Enum, std::string_view>, N>& names, Enum value)
{
    for (const auto& [candidate, name] : names)
        if (candidate == value)
            return name;
    return "?";
}

std::optional<int> number(std::string_view text)
{
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0 || (text.size() > 1 && text.front() == '0'))
        return std::nullopt;
    return value;
}

std::vector<std::string_view> split(std::string_view text)
{
    std::vector<std::string_view> parts;
    while (true) {
        const auto dot = text.find('.');
        parts.push_back(text.substr(0, dot));
        if (dot == std::string_view::npos)
            return parts;
        text.remove_prefix(dot + 1);
    }
}

std::string_view stackPrefix(Stack stack)
{
    switch (stack) {
    case Stack::Encoder: return "encoder.";
    case Stack::Decoder: return "decoder.";
    case Stack::None: break;
    }
    return "";
}

/// Reads "[stack.]layers.<depth>.<block>" from the front of `parts` and removes it.
std::optional<MapAddress> takeMapAddress(std::vector<std::string_view>& parts)
{
    MapAddress address;
    std::size_t at = 0;
    if (!parts.empty() && (parts[0] == "encoder" || parts[0] == "decoder")) {
        address.stack = parts[0] == "encoder" ? Stack::Encoder : Stack::Decoder;
        at = 1;
    }
    if (parts.size() < at + 3 || parts[at] != "layers")
        return std::nullopt;
    const auto depth = number(parts[at + 1]);
    const auto block = byName(blockNames, parts[at + 2]);
    if (!depth || !block)
        return std::nullopt;
    address.depth = *depth;
    address.block = *block;
    parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(at + 3));
    return address;
}

} // namespace

std::string_view toString(Block block) { return nameOf(blockNames, block); }

std::string_view toString(Site site) { return nameOf(siteNames, site); }

std::string MapAddress::toString() const
{
    return fmt::format("{}layers.{}.{}", stackPrefix(stack), depth, core::toString(block));
}

std::optional<MapAddress> MapAddress::parse(std::string_view text)
{
    auto parts = split(text);
    const auto address = takeMapAddress(parts);
    if (!address || !parts.empty())
        return std::nullopt;
    return address;
}

std::string RouterAddress::toString() const
{
    auto text = fmt::format("{}.{}", mapAddress().toString(), core::toString(site));
    if (head)
        text += fmt::format(".h{}", *head);
    return text;
}

std::optional<RouterAddress> RouterAddress::parse(std::string_view text)
{
    auto parts = split(text);
    const auto map = takeMapAddress(parts);
    if (!map || parts.empty() || parts.size() > 2)
        return std::nullopt;
    const auto site = byName(siteNames, parts[0]);
    if (!site)
        return std::nullopt;
    RouterAddress address{map->stack, map->depth, map->block, *site, std::nullopt};
    if (parts.size() == 2) {
        if (!parts[1].starts_with('h'))
            return std::nullopt;
        address.head = number(parts[1].substr(1));
        if (!address.head)
            return std::nullopt;
    }
    return address;
}

RouterAddress RouterAddress::wholeSite() const
{
    auto address = *this;
    address.head.reset();
    return address;
}

} // namespace headscope::core
