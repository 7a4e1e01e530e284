// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/contexts.h"

#include "core/tokenizer/utf8.h"

#include <algorithm>

namespace headscope::core {

namespace {

constexpr std::size_t longestCharacter = 4; // bytes of UTF-8

/// Size of the last character.
std::size_t lastSize(std::string_view text)
{
    for (std::size_t size = 2; size <= std::min(longestCharacter, text.size()); ++size) {
        const Utf8Step step = utf8Step(text.substr(text.size() - size));
        if (step.valid && step.size == size)
            return size;
    }
    return 1;
}

} // namespace

const ExpertGate* Context::find(int expert) const
{
    const auto found = std::ranges::find(experts, expert, &ExpertGate::expert);
    return found == experts.end() ? nullptr : &*found;
}

std::string_view lastCharacters(std::string_view text, std::size_t characters)
{
    std::size_t begin = text.size();
    for (; characters > 0 && begin > 0; --characters)
        begin -= lastSize(text.substr(0, begin));
    return text.substr(begin);
}

std::string_view firstCharacters(std::string_view text, std::size_t characters)
{
    std::size_t end = 0;
    for (; characters > 0 && end < text.size(); --characters) {
        const Utf8Step step = utf8Step(text.substr(end));
        end += step.valid ? step.size : 1;
    }
    return text.substr(0, end);
}

} // namespace headscope::core
