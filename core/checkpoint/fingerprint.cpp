// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/checkpoint.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

namespace headscope::core {
namespace {

constexpr std::size_t kChunkBytes = 1 << 20;

/// SHA-256 over what it is fed.
class Digest
{
public:
    Digest() : m_context(EVP_MD_CTX_new(), EVP_MD_CTX_free)
    {
        require(m_context && EVP_DigestInit_ex(m_context.get(), EVP_sha256(), nullptr) == 1);
    }
    void add(std::span<const std::byte> bytes)
    {
        require(EVP_DigestUpdate(m_context.get(), bytes.data(), bytes.size()) == 1);
    }
    void add(std::uint64_t number) { add(std::as_bytes(std::span(&number, 1))); }
    /// With its length, so that neighbouring texts cannot be mistaken for each other.
    void add(std::string_view text)
    {
        add(static_cast<std::uint64_t>(text.size()));
        add(std::as_bytes(std::span(text)));
    }
    std::string hex()
    {
        std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
        unsigned int length = 0;
        require(EVP_DigestFinal_ex(m_context.get(), bytes.data(), &length) == 1);
        std::string result;
        for (unsigned int i = 0; i < length; ++i)
            result += fmt::format("{:02x}", bytes[i]);
        return result;
    }

private:
    static void require(bool succeeded)
    {
        if (!succeeded)
            throw Error("The fingerprint cannot be computed: libcrypto offers no SHA-256 on this machine.");
    }
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> m_context;
};

/// Feeds row-major bytes; those that lie one after the other in the file never are in memory whole.
template <typename Report>
void addBytes(Digest& digest, const TensorView& tensor, Report report)
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
    Digest digest;
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
