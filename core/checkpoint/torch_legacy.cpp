// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/checked_math.h"
#include "core/checkpoint/message_text.h"
#include "core/checkpoint/pickle_reader.h"
#include "core/checkpoint/torch_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace headscope::core {
namespace {

constexpr std::size_t kFirstWindow = 64 * 1024;
constexpr std::uint64_t kLargestWindow = 512ULL << 20;

/// The five pickles at the head of the file: magic number, protocol, system, object, keys of the storages.
struct Head {
    PickleDocument object;
    std::vector<std::string> keys;
    std::size_t end = 0;
};

void checkSystem(const PickleDocument& system, const std::string& file)
{
    const std::optional<PickleId> little = system.find(system.root, "little_endian");
    if (little && system.boolean(*little) == false)
        throw Error(fmt::format(
            "{} was written on a big-endian machine; only little-endian files can be read: load it with PyTorch on "
            "a common machine and save it again.",
            file));
}

Head readHead(const std::shared_ptr<const std::vector<std::byte>>& bytes, const std::string& file, const Progress& progress)
{
    const PickleResult magic = readPickle(bytes, 0, file, progress);
    const PickleResult protocol = readPickle(bytes, magic.end, file, progress);
    if (protocol.document.integer(protocol.document.root) != 1001)
        throw Error(fmt::format(
            "{} is a PyTorch file of an unknown old protocol (1001 was expected); load it with PyTorch and save it "
            "again.",
            file));
    const PickleResult system = readPickle(bytes, protocol.end, file, progress);
    checkSystem(system.document, file);
    PickleResult object = readPickle(bytes, system.end, file, progress);
    const PickleResult keys = readPickle(bytes, object.end, file, progress);

    Head head{std::move(object.document), {}, keys.end};
    for (const PickleId item : keys.document.itemsOf(keys.document.root)) {
        const auto key = keys.document.text(item);
        constexpr std::size_t longestKey = 1024;
        if (!key || key->size() > longestKey)
            throw Error(fmt::format("{} is damaged: its list of storages holds something else; download it again.", file));
        head.keys.emplace_back(*key);
    }
    return head;
}

/// The pickles have no stated length, so the window grows until they fit.
Head readGrowingHead(const FileBytes& file, const Progress& progress)
{
    const std::uint64_t most = std::min(file.size(), kLargestWindow);
    auto bytes = std::make_shared<std::vector<std::byte>>();
    for (std::uint64_t window = std::min<std::uint64_t>(kFirstWindow, most);; window = std::min(window * 4, most)) {
        const std::size_t before = bytes->size();
        auto grown = std::make_shared<std::vector<std::byte>>(*bytes);
        grown->resize(window);
        file.read(before, std::span(*grown).subspan(before));
        bytes = std::move(grown);
        try {
            return readHead(bytes, shown(file.path()), progress);
        } catch (const PickleTruncated&) {
            if (window == most)
                throw;
        }
    }
}

} // namespace

TorchLegacyContent readTorchLegacy(const FileBytes& file, const Progress& progress)
{
    Head head = readGrowingHead(file, progress);
    // Sizes follow from the pickle, so that the storages in between need not be touched.
    std::map<std::string, std::uint64_t> sizes;
    for (std::size_t i = 0; i < head.object.size(); ++i) {
        const auto storage = storageRef(head.object, PickleId(static_cast<std::uint32_t>(i)));
        const auto bytes = storage ? checkedMultiply(storage->elements, elementSize(storage->dtype)) : std::nullopt;
        if (bytes && storage->dtype != DType::Other)
            sizes[storage->key] = *bytes;
    }
    TorchLegacyContent content;
    std::optional<std::uint64_t> position = head.end;
    for (const std::string& key : head.keys) {
        const auto size = sizes.find(key);
        if (size == sizes.end())
            throw Error(
                fmt::format("{}: storage {} has a type this program does not know; load it with PyTorch and save it again.",
                            shown(file.path()), quotedName(key)));
        position = checkedAdd(*position, 8); // the element count
        const auto end = position ? checkedAdd(*position, size->second) : std::nullopt;
        if (!end || *end > file.size())
            throw Error(fmt::format("{} is cut off: storage {} ends at byte {}, the file at {}; download it again.",
                                    shown(file.path()), quotedName(key), end.value_or(~0ULL), file.size()));
        content.storages[key] = {*position, size->second};
        position = end;
    }
    content.document = std::move(head.object);
    return content;
}

} // namespace headscope::core
