// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/base64.h"
#include "core/export/json_writer.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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

} // namespace
} // namespace headscope::core
