// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core {

/// The normalisation rules of a SentencePiece model ("precompiled_charsmap"): a double-array trie over the original bytes
/// whose values are places in a table of NUL-terminated replacements. The longest rule that fits wins.
///
/// SentencePiece itself follows the trie without looking where it leads, so nothing from a file reaches it that parse()
/// refused.
class CharsMap
{
public:
    /// No rules: every character stays.
    CharsMap() = default;
    /// nullopt when following the rules could leave the table.
    static std::optional<CharsMap> parse(std::string_view bytes);

    struct Rule {
        std::size_t size = 0;         // bytes of the original
        std::string_view replacement; // may be empty
    };
    std::optional<Rule> longest(std::string_view text) const;

private:
    bool staysInside() const;
    bool nestsWithinLimit() const;

    std::vector<std::uint32_t> m_units;
    std::string m_replacements; // ends with NUL
};

} // namespace headscope::core
