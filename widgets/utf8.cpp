// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/utf8.h"

namespace headscope::widgets {

Utf8Character utf8At(std::string_view text, std::size_t at)
{
    const auto byte = [text](std::size_t place) { return static_cast<unsigned char>(text[place]); };
    const char32_t lead = byte(at);
    const Utf8Character invalid{lead, 1, false};
    if (lead < 0x80)
        return {lead, 1, true};
    if (lead < 0xc2 || lead > 0xf4)
        return invalid;
    const std::size_t size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (text.size() - at < size)
        return invalid;
    char32_t character = lead & (0x7fU >> size);
    for (std::size_t i = 1; i < size; ++i) {
        const char32_t next = byte(at + i);
        if ((next & 0xc0) != 0x80)
            return invalid;
        character = (character << 6) | (next & 0x3f);
    }
    const char32_t least = size == 2 ? 0x80 : size == 3 ? 0x800 : 0x10000;
    const bool surrogate = character >= 0xd800 && character <= 0xdfff;
    if (character < least || surrogate || character > 0x10ffff)
        return invalid;
    return {character, size, true};
}

} // namespace headscope::widgets
