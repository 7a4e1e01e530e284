// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tokenizer/charsmap.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core {

/// What a SentencePiece model file says about itself, as far as Headscope needs to know it: the library has it too, but does
/// not let one ask.
struct SentencePieceFile {
    enum class Algorithm { Unigram = 1, Bpe = 2, Word = 3, Char = 4 };
    Algorithm algorithm = Algorithm::Unigram;
    std::int64_t pieces = 0;
    bool byteFallback = false;
    bool hasUnusedPieces = false;
    std::vector<std::string> userDefined; // sorted

    // How the text is changed before it is cut into pieces.
    CharsMap rules;
    bool addDummyPrefix = true;
    bool removeExtraSpaces = true;
    bool escapeSpaces = true;
    bool spaceIsSuffix = false;
};
std::string_view toString(SentencePieceFile::Algorithm algorithm); // "BPE"

/// The bytes of a file that is about as big as a tokenizer can be. Throws Error naming the file.
std::string readSentencePieceBytes(const std::filesystem::path& path);

/// Reads the bytes of a model. Throws Error naming `path` and what the file is instead.
SentencePieceFile parseSentencePiece(std::string_view bytes, const std::filesystem::path& path);

} // namespace headscope::core
