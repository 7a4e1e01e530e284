// SPDX-License-Identifier: GPL-3.0-or-later
// Files that are no tokenizer, or were one: one sentence that says so, never an abort.
#include "core/tokenizer/sentencepiece_tokenizer.h"
#include "tests/core/tokenizer/invariants.h"
#include "tests/core/tokenizer/test_models.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>
#include <random>

namespace {

using namespace headscope::core;
using test_models::numberField;
using test_models::stringField;
using test_models::Type;
using testing::HasSubstr;

std::string errorOf(const std::string& bytes)
{
    try {
        makeSentencePiece(bytes, "given.model");
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("given.model"));
        return error.what();
    }
    return "no error";
}

TEST(Open, SaysWhatItIsAndWhereItCameFrom)
{
    const std::filesystem::path path = std::filesystem::path(HEADSCOPE_TEST_DATA) / "demo/tokenizer.model";
    const auto tokenizer = openSentencePiece(path);
    EXPECT_EQ(tokenizer->description(), "SentencePiece BPE, 4000 pieces");
    EXPECT_EQ(tokenizer->path(), path);
    EXPECT_EQ(tokenizer->size(), 4000);
    EXPECT_EQ(tokenizer->piece(3), "▁t");
    EXPECT_EQ(tokenizer->piece(-1), "");
    EXPECT_EQ(tokenizer->piece(4000), "");
    EXPECT_TRUE(tokenizer->isSpecial(1));
    EXPECT_FALSE(tokenizer->isSpecial(0));
    EXPECT_FALSE(tokenizer->isSpecial(4000));
}

TEST(Open, NamesWhatTheFileIsInstead)
{
    EXPECT_THAT(errorOf(""), HasSubstr("is empty"));
    EXPECT_THAT(errorOf("version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 298881\n"),
                HasSubstr("Git LFS pointer"));
    EXPECT_THAT(errorOf("\n<!DOCTYPE html><html>"), HasSubstr("web page"));
    EXPECT_THAT(errorOf("{\n  \"version\": \"1.0\", \"model\": {}}"), HasSubstr("tokenizer.json"));
    EXPECT_THAT(errorOf(std::string("PK\x03\x04", 4)), HasSubstr("PyTorch"));
    EXPECT_THAT(errorOf("\x1f\x8b\x08"), HasSubstr("gzip"));
    EXPECT_THAT(errorOf("Once upon a time"), HasSubstr("is not a SentencePiece model"));
    EXPECT_THAT(errorOf(std::string(1000, '\0')), HasSubstr("is not a SentencePiece model"));
    EXPECT_THAT(errorOf(numberField(2, 3)), HasSubstr("no pieces"));
}

TEST(Open, DamagedModels)
{
    using test_models::Model;
    Model noUnknown;
    noUnknown.pieces.clear();
    EXPECT_THAT(errorOf(noUnknown.add({"a"}).bytes()), HasSubstr("unk is not defined"));
    EXPECT_THAT(errorOf(Model().add({"a", "a"}).bytes()), HasSubstr("already defined"));
    EXPECT_THAT(errorOf(Model().add({"a", ""}).bytes()), HasSubstr("piece 4 is empty"));
    EXPECT_THAT(errorOf(Model().add({std::string("a\0", 2)}).bytes()), HasSubstr("NUL"));
    EXPECT_THAT(errorOf(Model().add({"\xFF"}).bytes()), HasSubstr("not UTF-8"));
    EXPECT_THAT(errorOf(Model().add({std::string(2000000, 'a')}, Type::UserDefined).bytes()),
                HasSubstr("has 2000000 bytes"));
    Model bytesMissing;
    bytesMissing.byteFallback = true;
    EXPECT_THAT(errorOf(bytesMissing.bytes()), HasSubstr("256 byte pieces"));
    Model rules;
    rules.rules = "not rules at all";
    EXPECT_THAT(errorOf(rules.bytes()), HasSubstr("normalisation rules"));
    Model nested;
    for (std::size_t size = 1; size <= 65; ++size)
        nested.add({std::string(size, 'a')}, Type::UserDefined);
    EXPECT_THAT(errorOf(nested.bytes()), HasSubstr("64 user-defined symbols"));
}

TEST(Open, TruncatedAtEveryByte)
{
    const std::string good = test_models::smallBpe().bytes();
    ASSERT_NO_THROW(makeSentencePiece(good, "small.model"));
    int cutShort = 0;
    for (std::size_t size = 0; size < good.size(); ++size) {
        try {
            // A model that ends between two fields is a smaller model.
            const auto tokenizer = makeSentencePiece(good.substr(0, size), "small.model");
            EXPECT_TRUE(keepsInvariants(tokenizer->encode("the aab", {})));
        } catch (const Error& error) {
            cutShort += std::string_view(error.what()).find("cut short") != std::string_view::npos;
        }
    }
    EXPECT_GT(cutShort, 100);
}

TEST(Open, ChangedBytes)
{
    auto model = test_models::smallBpe();
    model.add({"<sep>", "▁x"}, Type::UserDefined).addBytes();
    const std::string good = model.bytes();
    std::mt19937 random(5);
    for (int round = 0; round < 2000; ++round) {
        std::string bad = good;
        for (int i = 0; i < 1 + round % 4; ++i)
            bad[random() % bad.size()] = static_cast<char>(random());
        try {
            const auto tokenizer = makeSentencePiece(bad, "changed.model");
            const TokenizedText text = tokenizer->encode("the  aab \xFF<sep> x한💩 abababab", {});
            EXPECT_TRUE(keepsInvariants(text)) << round;
            requireIdsBelow(text, tokenizer->size(), tokenizer.get());
        } catch (const Error&) {
        }
    }
}

TEST(Open, FilesThatCannotBeRead)
{
    const auto errorOfPath = [](const std::filesystem::path& path) -> std::string {
        try {
            openSentencePiece(path);
        } catch (const Error& error) {
            return error.what();
        }
        return "no error";
    };
    EXPECT_THAT(errorOfPath("/no/such.model"), HasSubstr("/no/such.model does not exist"));
    EXPECT_THAT(errorOfPath(HEADSCOPE_TEST_DATA), HasSubstr("is a folder"));
    EXPECT_THAT(errorOfPath("/dev/null"), HasSubstr("is not a regular file"));
    EXPECT_THAT(errorOfPath(""), HasSubstr("does not exist"));
    const auto huge = std::filesystem::temp_directory_path() / fmt::format("headscope-huge-{}.model", ::getpid());
    std::ofstream(huge).put('x');
    std::filesystem::resize_file(huge, 1ULL << 40); // a hole
    EXPECT_THAT(errorOfPath(huge), HasSubstr("far more than"));
    std::filesystem::remove(huge);
}

} // namespace
