// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/checkpoint.h"

#include "core/checkpoint/sha256.h"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

namespace headscope::core {
namespace {

constexpr std::size_t kChunkBytes = 1 << 20;

/// Feeds row-major bytes; those that lie one after the other in the file never are in memory whole.
template <typename Report>
void addBytes(Sha256& digest, const TensorView& tensor, Report report)
{
    if (tensor.elementCount() == 0)
        return;
    if (tensor.dtype != DType::Other && !tensor.contiguous()) {
        const std::vector<std::byte> bytes = tensor.read();
        digest.add(bytes);
        report(bytes.size());
        return;
    }
    const bool opaque = tensor.dtype == DType::Other; // unknown elements: the whole storage
    const std::uint64_t begin = tensor.storageBegin + tensor.offset * elementSize(tensor.dtype);
    const std::uint64_t size = opaque ? tensor.storageBytes : tensor.byteCount();
    std::vector<std::byte> chunk(std::min<std::uint64_t>(kChunkBytes, size));
    for (std::uint64_t done = 0; done < size; done += chunk.size()) {
        chunk.resize(std::min<std::uint64_t>(chunk.size(), size - done));
        tensor.file->read(begin + done, chunk);
        tensor.file->prefetch(begin + done + chunk.size(),
                              std::min<std::uint64_t>(size - done - chunk.size(), chunk.size()));
        digest.add(chunk);
        report(chunk.size());
    }
}

} // namespace

std::string fingerprint(const Checkpoint& checkpoint, const Progress& progress)
{
    const std::uint64_t total = std::accumulate(checkpoint.tensors.begin(), checkpoint.tensors.end(), std::uint64_t{1},
                                                [](std::uint64_t sum, const TensorView& t) { return sum + t.byteCount(); });
    std::uint64_t done = 0;
    Sha256 digest;
    for (const TensorView& tensor : checkpoint.tensors) { // sorted by name
        digest.add(std::string_view(tensor.name));
        digest.add(tensor.dtype == DType::Other ? std::string_view(tensor.dtypeText) : dtypeName(tensor.dtype));
        digest.add(static_cast<std::uint64_t>(tensor.shape.size()));
        for (const std::int64_t size : tensor.shape)
            digest.add(static_cast<std::uint64_t>(size));
        addBytes(digest, tensor, [&](std::uint64_t bytes) {
            done += bytes;
            progress.at(std::min(1.0, static_cast<double>(done) / static_cast<double>(total)), "fingerprint");
        });
    }
    for (const auto& file : checkpoint.files)
        file->requireUnchanged(); // a digest over two states of a file would be of neither
    return digest.hex();
}

} // namespace headscope::core
