// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace headscope::core {

/// SHA-256 over what it is fed. Throws Error when libcrypto has none.
class Sha256
{
public:
    Sha256();
    ~Sha256();
    Sha256(Sha256&&) noexcept;
    Sha256& operator=(Sha256&&) noexcept;

    void add(std::span<const std::byte> bytes);
    void add(std::uint64_t number) { add(std::as_bytes(std::span(&number, 1))); }
    /// With its length, so that neighbouring texts cannot be mistaken for each other.
    void add(std::string_view text);

    /// The digest of everything so far; then it begins anew.
    std::array<std::uint8_t, 32> finish();
    std::string hex();

private:
    struct Context;
    std::unique_ptr<Context> m_context;
};

} // namespace headscope::core
