// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/tokenizer/test_models.h"

#include "core/tokenizer/protobuf_fields.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>

namespace test_models {
namespace {

std::string floatField(int number, float value)
{
    std::string result = varint(static_cast<std::uint64_t>(number) << 3 | 5);
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    return result.append(bytes, sizeof value);
}

} // namespace

std::string varint(std::uint64_t value)
{
    std::string result;
    for (; value >= 0x80; value >>= 7)
        result += static_cast<char>(value | 0x80);
    return result += static_cast<char>(value);
}

std::string stringField(int number, std::string_view bytes)
{
    return (varint(static_cast<std::uint64_t>(number) << 3 | 2) + varint(bytes.size())).append(bytes);
}

std::string numberField(int number, std::uint64_t value)
{
    return varint(static_cast<std::uint64_t>(number) << 3) + varint(value);
}

Model& Model::add(const std::vector<std::string>& texts, Type type)
{
    for (const auto& text : texts)
        pieces.push_back({text, type, -static_cast<float>(pieces.size())});
    return *this;
}

Model& Model::addBytes()
{
    byteFallback = true;
    for (int byte = 0; byte < 256; ++byte)
        pieces.push_back({fmt::format("<0x{:02X}>", byte), Type::Byte, 0});
    return *this;
}

std::string Model::bytes() const
{
    std::string result;
    for (const Piece& piece : pieces)
        result += stringField(1, stringField(1, piece.text) + floatField(2, piece.score) +
                                     numberField(3, static_cast<std::uint64_t>(piece.type)));
    result += stringField(2, numberField(3, static_cast<std::uint64_t>(algorithm)) + numberField(24, spaceIsSuffix) +
                                 numberField(35, byteFallback));
    result += stringField(3, stringField(1, "test") + (rules.empty() ? std::string() : stringField(2, rules)) +
                                 numberField(3, addDummyPrefix) + numberField(4, removeExtraSpaces) +
                                 numberField(5, escapeSpaces));
    return result;
}

Model smallBpe()
{
    Model model;
    model.add(
        {"th", "▁t", "he", "▁the", "in", "an", "▁a", "aa", "aaaa", "ab", "abab", "▁b", "ba", "▁▁", "▁▁▁▁", "e▁", "é", "한"});
    model.add({"▁", "t", "h", "e", "a", "b", "i", "n", "x", "1", "2", "<", ">", ".", "¨", "가", "\n"});
    return model;
}

std::string bytesOf(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file) << path;
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string nmtNfkcRules()
{
    using headscope::core::ProtobufFields;
    const std::string model = bytesOf(std::filesystem::path(HEADSCOPE_TEST_DATA) / "demo/tokenizer.model");
    ProtobufFields fields(model);
    while (const auto field = fields.next()) {
        ProtobufFields specification(field->number == 3 ? field->bytes : std::string_view());
        while (const auto inner = specification.next())
            if (inner->number == 2)
                return std::string(inner->bytes);
    }
    ADD_FAILURE() << "the demonstration tokenizer has no rules";
    return {};
}

} // namespace test_models
