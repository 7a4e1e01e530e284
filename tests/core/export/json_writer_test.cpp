// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/error.h"
#include "core/export/atomic_stream.h"
#include "core/export/base64.h"
#include "core/export/data_table.h"
#include "core/export/json_writer.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <limits>
#include <sstream>

namespace headscope::core {
namespace {

template<typename Value>
std::string written(const Value& value)
{
    std::ostringstream out;
    {
        JsonWriter json(out);
        json.value(value);
    }
    return out.str();
}

TEST(JsonWriter, NumbersComeBackAsTheyWere)
{
    for (const float number : {0.0F, -0.0F, 1.0F, 0.1F, 1e-30F, -3.4e38F, 1.17549435e-38F, 16777217.0F})
        EXPECT_EQ(nlohmann::json::parse(written(number)).get<float>(), number) << written(number);
    EXPECT_EQ(written(0.1F), "0.1\n");
    EXPECT_EQ(written(std::int64_t{-9007199254740993}), "-9007199254740993\n");
    EXPECT_EQ(written(true), "true\n");
}

TEST(JsonWriter, WhatIsNotFiniteIsNull)
{
    EXPECT_EQ(written(std::numeric_limits<float>::quiet_NaN()), "null\n");
    EXPECT_EQ(written(-std::numeric_limits<float>::infinity()), "null\n");
    EXPECT_EQ(written(std::numeric_limits<double>::infinity()), "null\n");
}

TEST(JsonWriter, EveryByteGivesValidJson)
{
    for (int byte = 0; byte < 256; ++byte) {
        const std::string text = std::string("a") + static_cast<char>(byte) + "b";
        const auto parsed = nlohmann::json::parse(written(text));
        if (byte < 0x80)
            EXPECT_EQ(parsed.get<std::string>(), text) << byte;
        else
            EXPECT_EQ(parsed.get<std::string>(), "a\xef\xbf\xbd" "b") << byte;
    }
    for (const std::string text : {"\xc3\xa9", "\xf0\x9f\x92\xa9", "\xe2\x80\xa8", "\"quoted\\\"", "<script>"})
        EXPECT_EQ(nlohmann::json::parse(written(text)).get<std::string>(), text);
}

TEST(JsonWriter, LayoutsNest)
{
    std::ostringstream out;
    {
        JsonWriter json(out);
        json.beginObject();
        json.member("a", 1);
        json.key("b");
        json.beginArray(JsonWriter::Layout::OneLine);
        json.value(1.5F);
        json.null();
        json.endArray();
        json.key("empty");
        json.beginArray();
        json.endArray();
        json.endObject();
    }
    EXPECT_EQ(out.str(), "{\n \"a\": 1,\n \"b\": [1.5, null],\n \"empty\": []\n}\n");
}

TEST(Base64, Rfc4648)
{
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==");
    EXPECT_EQ(base64("fo"), "Zm8=");
    EXPECT_EQ(base64("foo"), "Zm9v");
    EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
    EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

TEST(FaultA5, AStreamThatFailsIsAnErrorWhereverItFails)
{
    if (!std::filesystem::exists("/dev/full"))
        GTEST_SKIP() << "no /dev/full here";
    for (const std::size_t size : {1U, 70'000U, 300'000U}) {
        AtomicStream out("/dev/full");
        EXPECT_THROW(
            {
                JsonWriter json(out.stream());
                json.beginObject();
                for (std::size_t i = 0; i < size; ++i)
                    json.member("a", 1);
                json.endObject();
                out.commit();
            },
            Error)
            << size;
    }
}

TEST(FaultA5, NothingIsLeftForTheDestructor)
{
    std::ostringstream out;
    JsonWriter json(out);
    json.beginObject();
    json.member("a", 1);
    json.endObject();
    EXPECT_EQ(out.str(), "{\n \"a\": 1\n}\n"); // without flush, and while the writer lives
}

TEST(FaultA5, EveryFormatOfATableTellsOfAFullDisk)
{
    if (!std::filesystem::exists("/dev/full"))
        GTEST_SKIP() << "no /dev/full here";
    for (const TableFormat format :
         {TableFormat::Csv, TableFormat::Tsv, TableFormat::Json, TableFormat::Markdown, TableFormat::Latex}) {
        for (const int rows : {0, 100, 30'000}) {
            AtomicStream out("/dev/full");
            EXPECT_THROW(
                {
                    const auto table = makeTableWriter(out.stream(), format, {{"a", "a number"}, {"b", "a text"}}, {});
                    for (int row = 0; row < rows; ++row)
                        table->row({std::int64_t{row}, std::string("text")});
                    table->finish();
                    out.commit();
                },
                Error)
                << static_cast<int>(format) << ' ' << rows;
        }
    }
}

} // namespace
} // namespace headscope::core
