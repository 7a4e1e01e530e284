// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// Small SentencePiece models made in the test, byte by byte as the library stores them.
namespace test_models {

enum class Type { Normal = 1, Unknown = 2, Control = 3, UserDefined = 4, Unused = 5, Byte = 6 };

struct Piece {
    std::string text;
    Type type = Type::Normal;
    float score = 0;
};

struct Model {
    int algorithm = 2; // 1 unigram, 2 BPE, 3 word, 4 character
    std::vector<Piece> pieces{{"<unk>", Type::Unknown}, {"<s>", Type::Control}, {"</s>", Type::Control}};
    bool byteFallback = false;
    bool spaceIsSuffix = false;
    bool addDummyPrefix = true;
    bool removeExtraSpaces = true;
    bool escapeSpaces = true;
    std::string rules; // precompiled_charsmap

    Model& add(const std::vector<std::string>& texts, Type type = Type::Normal); // scores fall from piece to piece
    Model& addBytes();                                                           // <0x00> … <0xFF>, with byte fallback
    std::string bytes() const;
};

/// Latin letters, some joined pieces, and what else a property test wants to meet.
Model smallBpe();

std::string bytesOf(const std::filesystem::path& path);
/// The nmt_nfkc rules of the demonstration tokenizer.
std::string nmtNfkcRules();

// Protobuf, for building damaged files.
std::string varint(std::uint64_t value);
std::string stringField(int number, std::string_view bytes);
std::string numberField(int number, std::uint64_t value);

} // namespace test_models
