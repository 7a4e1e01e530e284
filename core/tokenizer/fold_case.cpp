// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tokenizer/fold_case.h"

#include "core/checkpoint/message_text.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/uchar.h>

namespace headscope::core {

std::string foldCase(std::string_view text)
{
    if (!isUtf8(text))
        return std::string(text);
    std::string folded;
    icu::StringByteSink<std::string> sink(&folded);
    UErrorCode status = U_ZERO_ERROR;
    icu::CaseMap::utf8Fold(U_FOLD_CASE_DEFAULT, icu::StringPiece(text.data(), static_cast<int32_t>(text.size())), sink,
                           nullptr, status);
    return U_SUCCESS(status) ? folded : std::string(text);
}

} // namespace headscope::core
