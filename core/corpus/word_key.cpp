// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/word_key.h"

#include "core/checkpoint/message_text.h"
#include "core/tokenizer/utf8.h"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>

#include <algorithm>

namespace headscope::core {

bool isIgnorable(char32_t character)
{
    return character >= 0x80 &&
           u_hasBinaryProperty(static_cast<UChar32>(character), UCHAR_DEFAULT_IGNORABLE_CODE_POINT) != 0;
}

std::string wordKey(std::string_view word)
{
    const bool isAscii =
        std::all_of(word.begin(), word.end(), [](char byte) { return static_cast<unsigned char>(byte) < 0x80; });
    if (isAscii || !isUtf8(word))
        return std::string(word);
    std::string seen;
    for (std::string_view rest = word; !rest.empty();) {
        const std::size_t size = utf8Step(rest).size;
        if (!isIgnorable(utf8CodePoint(rest.substr(0, size))))
            seen += rest.substr(0, size);
        rest.remove_prefix(size);
    }
    UErrorCode status = U_ZERO_ERROR;
    const icu::Normalizer2* const composing = icu::Normalizer2::getNFCInstance(status);
    std::string key;
    icu::StringByteSink<std::string> sink(&key);
    if (U_SUCCESS(status))
        composing->normalizeUTF8(0, icu::StringPiece(seen.data(), static_cast<int32_t>(seen.size())), sink, nullptr, status);
    return U_SUCCESS(status) ? key : seen;
}

} // namespace headscope::core
