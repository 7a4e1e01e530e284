// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tokenizer/tokenizer.h"

#include <filesystem>
#include <memory>
#include <string>

namespace headscope::core {

// The library's time and memory (86 bytes per byte) grow faster than the text, so long texts go to it in parts.
inline constexpr std::size_t sentencePiecePartBytes = 2048;

/// openSentencePiece for bytes that are at hand; `path` is for sentences only. Texts longer than two parts are cut.
std::shared_ptr<const Tokenizer> makeSentencePiece(const std::string& bytes, const std::filesystem::path& path,
                                                   std::size_t partBytes = sentencePiecePartBytes);

} // namespace headscope::core
