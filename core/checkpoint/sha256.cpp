// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/sha256.h"

#include "core/error.h"

#include <fmt/format.h>
#include <openssl/evp.h>

namespace headscope::core {

namespace {

void require(bool succeeded)
{
    if (!succeeded)
        throw Error("A fingerprint cannot be computed: libcrypto offers no SHA-256 on this machine.");
}

} // namespace

struct Sha256::Context {
    std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> evp{EVP_MD_CTX_new(), EVP_MD_CTX_free};

    void begin() const { require(evp && EVP_DigestInit_ex(evp.get(), EVP_sha256(), nullptr) == 1); }
};

Sha256::Sha256() : m_context(std::make_unique<Context>())
{
    m_context->begin();
}

Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::add(std::span<const std::byte> bytes)
{
    require(EVP_DigestUpdate(m_context->evp.get(), bytes.data(), bytes.size()) == 1);
}

void Sha256::add(std::string_view text)
{
    add(static_cast<std::uint64_t>(text.size()));
    add(std::as_bytes(std::span(text)));
}

std::array<std::uint8_t, 32> Sha256::finish()
{
    std::array<std::uint8_t, 32> digest{};
    unsigned int length = digest.size();
    require(EVP_DigestFinal_ex(m_context->evp.get(), digest.data(), &length) == 1 && length == digest.size());
    m_context->begin();
    return digest;
}

std::string Sha256::hex()
{
    std::string result;
    for (const std::uint8_t byte : finish())
        result += fmt::format("{:02x}", byte);
    return result;
}

} // namespace headscope::core
