// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string_view>

namespace headscope::widgets {

/// One character of a text that may be no UTF-8 at all.
struct Utf8Character {
    char32_t character = 0;
    std::size_t size = 1; // bytes it takes
    bool valid = true;    // false: one byte that belongs to no character; `character` is its value
};

/// The character that starts at `at` < text.size(). Surrogates, overlong forms and values above U+10FFFF are not valid.
Utf8Character utf8At(std::string_view text, std::size_t at);

} // namespace headscope::widgets
