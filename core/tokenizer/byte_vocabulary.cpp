// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tokenizer/byte_vocabulary.h"

#include "core/checkpoint/sniff.h"
#include "core/checkpoint/torch_reader.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>

namespace headscope::core {
namespace {

constexpr std::uint64_t largestFile = 16ULL << 20; // such a vocabulary has some thousand bytes

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view what)
{
    throw Error(fmt::format("{} {}; give the vocabulary.pth of the run, from its cache folder.", path.string(), what));
}

/// A code point below 256 is the byte of that number (Latin-1, as pickles write bytes in their oldest form).
std::optional<std::uint8_t> singleLatin1(std::string_view text)
{
    const auto byte = [text](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    if (text.size() == 1 && byte(0) < 0x80)
        return byte(0);
    if (text.size() == 2 && (byte(0) == 0xC2 || byte(0) == 0xC3))
        return static_cast<std::uint8_t>((byte(0) & 3U) << 6 | (byte(1) & 0x3FU));
    return std::nullopt;
}

/// A byte as Python keeps it: a number, bytes of length 1, a character, or one of these inside a call (numpy scalars, _codecs.encode).
std::optional<std::uint8_t> byteOf(const PickleDocument& document, PickleId id)
{
    if (const auto number = document.integer(id))
        return *number >= 0 && *number < 256 ? std::optional(static_cast<std::uint8_t>(*number)) : std::nullopt;
    if (const auto bytes = document.bytes(id))
        return bytes->size() == 1 ? std::optional(static_cast<std::uint8_t>(bytes->front())) : std::nullopt;
    if (const auto text = document.text(id))
        return singleLatin1(*text);
    if (!document.isObject(id))
        return std::nullopt;
    const auto name = document.className(document.callableOf(id));
    const auto args = document.itemsOf(document.argumentsOf(id));
    const std::size_t place = name.ends_with("multiarray.scalar") ? 1 : name == "_codecs.encode" ? 0 : args.size();
    if (place >= args.size())
        return std::nullopt;
    if (document.isObject(args[place])) { // numpy scalars of old protocols hold an encoded text
        const auto encoded = document.itemsOf(document.argumentsOf(args[place]));
        return document.className(document.callableOf(args[place])) == "_codecs.encode" && !encoded.empty() && document.text(encoded[0])
                   ? singleLatin1(*document.text(encoded[0]))
                   : std::nullopt;
    }
    return byteOf(document, args[place]);
}

using Bytes = std::optional<std::vector<std::uint8_t>>;

/// Pairs (byte, id) in any order that give every id from 0 on one byte of its own.
Bytes ofPairs(const std::vector<std::pair<std::optional<std::uint8_t>, std::optional<std::int64_t>>>& pairs)
{
    if (pairs.empty() || pairs.size() > 256)
        return std::nullopt;
    std::vector<int> bytes(pairs.size(), -1);
    std::array<bool, 256> used{};
    for (const auto& [byte, id] : pairs) {
        if (!byte || !id || *id < 0 || *id >= static_cast<std::int64_t>(bytes.size()) || bytes[static_cast<std::size_t>(*id)] >= 0 || used[*byte])
            return std::nullopt;
        bytes[static_cast<std::size_t>(*id)] = *byte;
        used[*byte] = true;
    }
    return std::vector<std::uint8_t>(bytes.begin(), bytes.end());
}

Bytes ofDictionary(const PickleDocument& document, PickleId id, bool keysAreBytes)
{
    std::vector<std::pair<std::optional<std::uint8_t>, std::optional<std::int64_t>>> pairs;
    for (const auto& [key, value] : document.entriesOf(id)) {
        if (pairs.size() > 256) // more than there are bytes
            return std::nullopt;
        pairs.emplace_back(byteOf(document, keysAreBytes ? key : value), document.integer(keysAreBytes ? value : key));
    }
    return ofPairs(pairs);
}

/// The items of a list, or of a set, which old protocols write as a call of set with a list.
std::span<const PickleId> itemsOf(const PickleDocument& document, PickleId id)
{
    const auto args = document.isObject(id) ? document.itemsOf(document.argumentsOf(id)) : std::span<const PickleId>();
    return args.size() == 1 && document.className(id).ends_with("set") ? document.itemsOf(args[0]) : document.itemsOf(id);
}

/// A list gives the order; a set has none, and the ids are the ranks.
Bytes ofItems(const PickleDocument& document, PickleId id)
{
    std::vector<std::pair<std::optional<std::uint8_t>, std::optional<std::int64_t>>> pairs;
    for (const auto item : itemsOf(document, id)) {
        if (pairs.size() > 256)
            return std::nullopt;
        pairs.emplace_back(byteOf(document, item), static_cast<std::int64_t>(pairs.size()));
    }
    auto bytes = ofPairs(pairs);
    if (bytes && document.kind(id) != PickleKind::List && document.kind(id) != PickleKind::Tuple)
        std::sort(bytes->begin(), bytes->end());
    return bytes;
}

/// The vocabulary among the attributes of an object or the entries of a dictionary.
Bytes ofMembers(const PickleDocument& document, const PickleEntries& members)
{
    const auto named = [&](std::string_view name) -> std::optional<PickleId> {
        for (const auto& [key, value] : members)
            if (document.text(key) == name)
                return value;
        return std::nullopt;
    };
    if (const auto found = named("to_index"))
        if (auto bytes = ofDictionary(document, *found, true))
            return bytes;
    if (const auto found = named("from_index"))
        if (auto bytes = ofDictionary(document, *found, false))
            return bytes;
    if (const auto found = named("chars"))
        return ofItems(document, *found);
    return std::nullopt;
}

} // namespace

std::vector<std::uint8_t> readByteVocabulary(const std::filesystem::path& path)
{
    const auto bytes = FileBytes::open(path);
    if (bytes->size() > largestFile)
        fail(path, "is too large for the vocabulary of a run on bytes");
    const auto kind = sniffContainer(*bytes);
    if (kind == ContainerKind::Safetensors)
        fail(path, "holds tensors, not the vocabulary of a run on bytes");
    const auto file = kind == ContainerKind::TorchZip ? TorchFile::openZip(bytes) : TorchFile::openLegacy(bytes);
    const auto& document = file.document();
    auto found = ofMembers(document, document.attributesOf(document.root));
    if (!found)
        found = ofMembers(document, document.entriesOf(document.root));
    if (!found)
        found = ofDictionary(document, document.root, true);
    if (!found)
        found = ofItems(document, document.root);
    if (!found)
        fail(path, "holds no vocabulary of distinct bytes");
    return *found;
}

} // namespace headscope::core
