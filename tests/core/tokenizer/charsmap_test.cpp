// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tokenizer/charsmap.h"

#include "tests/core/tokenizer/test_models.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>

namespace {

using namespace headscope::core;

TEST(CharsMap, FindsTheLongestRule)
{
    const auto rules = CharsMap::parse(test_models::nmtNfkcRules());
    ASSERT_TRUE(rules);
    const auto replaced = [&](std::string_view text) {
        const auto rule = rules->longest(text);
        return rule ? std::to_string(rule->size) + ":" + std::string(rule->replacement) : "none";
    };
    EXPECT_EQ(replaced("ﬁne"), "3:fi");
    EXPECT_EQ(replaced("\u1112\u1161\u11AB!"), "9:한");
    EXPECT_EQ(replaced("\u1112\u1161"), "6:하");
    EXPECT_EQ(replaced("\t"), "1: ");
    EXPECT_EQ(replaced("\x01"), "1:");
    EXPECT_EQ(replaced("abc"), "none");
    EXPECT_EQ(replaced(std::string_view("\0", 1)), "none");
    EXPECT_EQ(replaced(""), "none");
    EXPECT_FALSE(CharsMap().longest("a"));
}

TEST(CharsMap, RefusesWhatPointsOutside)
{
    const std::string good = test_models::nmtNfkcRules();
    EXPECT_FALSE(CharsMap::parse(""));
    EXPECT_FALSE(CharsMap::parse("abcd"));
    for (const std::size_t size : {5UL, 100UL, 1028UL, good.size() / 2, good.size() - 1})
        EXPECT_FALSE(CharsMap::parse(std::string_view(good).substr(0, size))) << size;
    for (const std::uint32_t size : {0U, 1U, 1023U, 0x7FFFFFFFU, 0xFFFFFFFFU, static_cast<std::uint32_t>(good.size())}) {
        std::string bad = good;
        std::memcpy(bad.data(), &size, sizeof size);
        EXPECT_FALSE(CharsMap::parse(bad)) << size;
    }
    std::string bad = good;
    bad[4 + 3] = '\x7F'; // the root's offset
    EXPECT_FALSE(CharsMap::parse(bad));
}

// What parse() lets through can be followed from any text; the sanitizers watch.
TEST(CharsMap, DamagedRulesStayInside)
{
    const std::string good = test_models::nmtNfkcRules();
    std::mt19937 random(11);
    std::uint32_t trieBytes = 0;
    std::memcpy(&trieBytes, good.data(), sizeof trieBytes);
    int accepted = 0;
    for (int round = 0; round < 100; ++round) {
        std::string bad = good;
        for (int i = 0; i < 3; ++i)
            bad[4 + random() % trieBytes] = static_cast<char>(random());
        const auto rules = CharsMap::parse(bad);
        if (!rules)
            continue;
        ++accepted;
        for (int text = 0; text < 200; ++text) {
            std::string bytes(1 + random() % 12, '\0');
            for (char& byte : bytes)
                byte = static_cast<char>(random() % 4 == 0 ? random() : 0xE0 + random() % 16);
            if (const auto rule = rules->longest(bytes)) {
                EXPECT_LE(rule->size, bytes.size());
            }
        }
    }
    EXPECT_GT(accepted, 0);
}

// A trie in which "a" is a rule and leads back to itself: "aaa…" has as many rules as letters.
TEST(CharsMap, RefusesEndlessNesting)
{
    std::vector<std::uint32_t> units(256);
    const auto node = [](std::uint32_t offset, bool value, std::uint32_t label) {
        return offset << 10 | (value ? 1U << 8 : 0U) | label;
    };
    units[0] = node(1, false, 0);                  // root: children at 1 ^ byte
    units[1 ^ 'a'] = node(1 ^ 'a' ^ 1, true, 'a'); // the same children again
    units[1] = 1U << 31;                           // the value
    std::string blob(4, '\0');
    const std::uint32_t size = 1024;
    std::memcpy(blob.data(), &size, sizeof size);
    blob.append(reinterpret_cast<const char*>(units.data()), size);
    blob += "x";
    blob += '\0';
    EXPECT_FALSE(CharsMap::parse(blob));
}

} // namespace
