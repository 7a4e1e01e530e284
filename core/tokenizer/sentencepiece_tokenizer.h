// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tokenizer/tokenizer.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace headscope::core {

// The library's time and memory (86 bytes per byte) grow faster than the text, so long texts go to it in parts.
inline constexpr std::size_t sentencePiecePartBytes = 2048;

// A word without a safe place to cut it goes to the library in windows of so many bytes: some 30 ms for each.
inline constexpr std::size_t sentencePieceWindowBytes = 1U << 16;

/// How long texts are cut, and who wants to know what the library is given in one call.
struct SentencePieceCuts {
    std::size_t partBytes = sentencePiecePartBytes;     // texts longer than two parts are cut
    std::size_t windowBytes = sentencePieceWindowBytes; // at least four times the longest piece
    std::function<void(std::size_t bytes)> onCall = {}; // for tests; called from any thread
};

/// openSentencePiece for bytes that are at hand; `path` is for sentences only.
std::shared_ptr<const Tokenizer> makeSentencePiece(const std::string& bytes, const std::filesystem::path& path, const SentencePieceCuts& cuts = {});

} // namespace headscope::core
