// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/pickle_reader.h"

#include "core/checkpoint/pickle_json.h"
#include "tests/core/checkpoint/pickle_samples.h"
#include "tests/core/checkpoint/pickle_writer.h"
#include "tests/core/checkpoint/test_files.h"

#include <gmock/gmock.h>

#include <cmath>

namespace headscope::core {
namespace {

using test::errorOf;
using test::PickleWriter;
using testing::HasSubstr;
using namespace std::string_literals;

PickleDocument read(std::string_view bytes)
{
    const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
    auto copy = std::make_shared<const std::vector<std::byte>>(begin, begin + bytes.size());
    return readPickle(std::move(copy), 0, "x.pth: data.pkl").document;
}

nlohmann::json readJson(std::string_view bytes)
{
    const PickleDocument document = read(bytes);
    return pickleToJson(document, document.root);
}

std::string readError(std::string_view bytes)
{
    return errorOf([&] { read(bytes); });
}

class PickleProtocol : public testing::TestWithParam<int>
{
protected:
    std::string bytes = test::fromHex(test::kPickleSamples.at(static_cast<std::size_t>(GetParam())));
};
INSTANTIATE_TEST_SUITE_P(All, PickleProtocol, testing::Range(0, 6));

TEST_P(PickleProtocol, GivesTheSameValues)
{
    const PickleDocument document = read(bytes);
    const auto json = [&](const char* key) { return pickleToJson(document, *document.find(document.root, key)); };
    EXPECT_EQ(json("numbers").dump(), R"([0,255,65535,-1,2147483647,-1099511627776,{"__class__":"builtins.int"},2.5,-0.0])");
    EXPECT_EQ(json("plain").dump(), "[null,true,false]");
    EXPECT_EQ(json("text").get<std::string>(), "é\n'x' ✓");
    EXPECT_EQ(json("tuples").dump(), "[[],[1],[1,2],[1,2,3],[1,2,3,4]]");
    EXPECT_EQ(json("set").dump(), "[7]");
    EXPECT_EQ(json("frozen").dump(), "[8]");
    EXPECT_EQ(json("namespace").dump(), R"({"depth":3})");
    EXPECT_EQ(json("ordered").dump(), R"({"a":2,"b":1})");
    EXPECT_EQ(json("counter").dump(), R"({"x":5})");
}

TEST_P(PickleProtocol, TruncatedAnywhereIsAnError)
{
    for (std::size_t length = 0; length < bytes.size(); ++length)
        EXPECT_FALSE(readError(std::string_view(bytes).substr(0, length)).empty()) << length;
}

TEST(PickleReader, KeepsTheOrderOfADict)
{
    const PickleDocument document =
        read(PickleWriter().emptyDict().mark().text("b").integer(1).text("a").integer(2).setItems().finish());
    std::vector<std::string> keys;
    for (const auto& [key, value] : document.entriesOf(document.root))
        keys.emplace_back(document.text(key).value_or("?"));
    EXPECT_THAT(keys, testing::ElementsAre("b", "a"));
}

TEST(PickleReader, DescribesACallWithoutMakingIt)
{
    const test::TemporaryFolder folder;
    const std::string command = "touch " + (folder / "executed").string();
    for (const auto& [module, name] :
         {std::pair("os", "system"), std::pair("posix", "system"), std::pair("builtins", "eval")}) {
        const std::string bytes = PickleWriter().global(module, name).mark().text(command).tuple().reduce().finish();
        EXPECT_EQ(readJson(bytes).dump(), "{\"__class__\":\""s + module + "." + name + "\"}");
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(PickleReader, UnknownClassesKeepNameArgumentsStateAndItems)
{
    const PickleDocument document = read(PickleWriter()
                                             .global("some.module", "Thing")
                                             .mark()
                                             .integer(1)
                                             .tuple()
                                             .newObject()
                                             .mark()
                                             .text("key")
                                             .integer(2)
                                             .setItems()
                                             .mark()
                                             .integer(3)
                                             .appends()
                                             .emptyDict()
                                             .mark()
                                             .text("attribute")
                                             .integer(4)
                                             .setItems()
                                             .build()
                                             .finish());
    EXPECT_EQ(document.className(document.root), "some.module.Thing");
    ASSERT_TRUE(document.isObject(document.root));
    const auto args = document.itemsOf(document.argumentsOf(document.root));
    ASSERT_EQ(args.size(), 1U);
    EXPECT_EQ(document.integer(args[0]), 1);
    EXPECT_EQ(document.integer(*document.find(document.root, "key")), 2);
    ASSERT_EQ(document.appendedTo(document.root).size(), 1U);
    EXPECT_EQ(document.integer(document.appendedTo(document.root)[0]), 3);
    std::vector<std::int64_t> attributes;
    for (const auto& [key, value] : document.attributesOf(document.root))
        attributes.push_back(document.integer(value).value_or(-1));
    EXPECT_THAT(attributes, testing::ElementsAre(4));
}

TEST(PickleReader, OldWaysToMakeAnObject)
{
    // copy_reg._reconstructor(argparse.Namespace, object, None), INST and OBJ.
    EXPECT_EQ(readJson("ccopy_reg\n_reconstructor\n(cargparse\nNamespace\nc__builtin__\nobject\nNtR(dS'x'\nI5\nsb."s).dump(),
              R"({"x":5})");
    EXPECT_EQ(readJson("(iargparse\nNamespace\n(dS'x'\nI5\nsb."s).dump(), R"({"x":5})");
    EXPECT_EQ(readJson("(cargparse\nNamespace\no(dS'x'\nI5\nsb."s).dump(), R"({"x":5})");
}

TEST(PickleReader, ShowsWhatOmegaConfAndNumpyLeave)
{
    PickleWriter leaf;
    leaf.global("omegaconf.nodes", "AnyNode")
        .emptyTuple()
        .newObject()
        .emptyDict()
        .mark()
        .text("_val")
        .integer(7)
        .setItems()
        .build();
    PickleWriter config;
    config.global("omegaconf.dictconfig", "DictConfig").emptyTuple().newObject();
    config.emptyDict().mark().text("_content").emptyDict().mark().text("k");
    config.raw(std::string_view(leaf.finish()).substr(2, leaf.finish().size() - 3)).setItems().setItems().build();
    EXPECT_EQ(readJson(config.finish()).dump(), R"({"k":7})");

    const std::string scalar =
        PickleWriter().global("numpy.core.multiarray", "scalar").mark().none().bytes("12345678").tuple().reduce().finish();
    EXPECT_EQ(readJson(scalar).dump(), R"({"__class__":"numpy.core.multiarray.scalar"})");
    const std::string member = PickleWriter().global("my.module", "Mode").mark().text("fast").tuple().reduce().finish();
    EXPECT_EQ(readJson(member).dump(), R"({"__class__":"my.module.Mode"})");
}

TEST(PickleReader, DeepNestingCostsNothing)
{
    constexpr int depth = 100'000;
    std::string lists = "\x80\x02"s;
    for (int i = 0; i < depth; ++i)
        lists += ']';
    lists += std::string(depth - 1, 'a') + '.';
    EXPECT_THAT(readJson(lists).dump(), HasSubstr("too large"));

    std::string tuples = "\x80\x02)"s + std::string(depth, '\x85') + '.';
    EXPECT_THAT(readJson(tuples).dump(), HasSubstr("too large"));

    std::string objects = "\x80\x02"
                          "cm\nf\n"s; // f(f(f(…)))
    for (int i = 0; i < depth; ++i)
        objects += "\x85"
                   "cm\nf\n"s;
    EXPECT_TRUE(readError("\x80\x02"s + std::string(depth, '(') + ".").starts_with("x.pth: data.pkl is damaged"));
    EXPECT_EQ(readError(objects + '.'), "");
}

TEST(PickleReader, CyclesAndSharedPartsDoNotExplode)
{
    EXPECT_THAT(readJson("\x80\x02]q\x00h\x00"
                         "a."s)
                    .dump(),
                HasSubstr("too large")); // a list in itself
    // Each list holds the previous one twice: 2^60 values for whoever walks them.
    std::string doubling = "\x80\x02]q\x00"s;
    for (int i = 0; i < 60; ++i) {
        const char previous = static_cast<char>(i);
        const char next = static_cast<char>(i + 1);
        doubling += "]q"s + next + "(h" + previous + "h" + previous + "e";
    }
    EXPECT_LT(readJson(doubling + ".").dump().size(), 2'000'000U);
}

TEST(PickleReader, ClaimsAreCheckedBeforeAnythingIsAllocated)
{
    const std::string huge = "\xff\xff\xff\xff\xff\xff\xff\x7f";
    for (const std::string& bytes : {"\x80\x04\x8d"s + huge, "\x80\x04\x8e"s + huge, "\x80\x05\x96"s + huge,
                                     "\x80\x02X\xff\xff\xff\xff"s, "\x80\x02\x8b\xff\xff\xff\xff"s,
                                     "\x80\x03"
                                     "B\xff\xff\xff\xff"s})
        EXPECT_THAT(readError(bytes + "abc."), HasSubstr("cut off")) << bytes;
    EXPECT_EQ(readError("\x80\x02Nr\xff\xff\xff\xff."s), ""); // a large number in the memo is one entry, not a table
}

TEST(PickleReader, SaysWhatIsWrong)
{
    const std::string start = "\x80\x02"s;
    EXPECT_THAT(readError("\x80\x06."s), HasSubstr("protocol 6"));
    EXPECT_THAT(readError(start + "."), HasSubstr("a value is missing"));
    EXPECT_THAT(readError(start + "Na."), HasSubstr("a value is missing"));
    EXPECT_THAT(readError(start + "NNa."), HasSubstr("no list"));
    EXPECT_THAT(readError(start + "NNNs."), HasSubstr("no dict"));
    EXPECT_THAT(readError(start + "}(Nu."), HasSubstr("a key has no value"));
    EXPECT_THAT(readError(start + "u."), HasSubstr("a mark is missing"));
    EXPECT_THAT(readError(start + "N(a."), HasSubstr("a value is missing")); // nothing below a mark can be reached
    EXPECT_THAT(readError(start + "h\x05."), HasSubstr("value 5"));
    EXPECT_THAT(readError(start + "NNR."), HasSubstr("no tuple"));
    EXPECT_THAT(readError(start + "\xff."), HasSubstr("0xff"));
    EXPECT_THAT(readError(start + "\x82\x01."), HasSubstr("0x82")); // the extension registry of one Python installation
    EXPECT_THAT(readError("Ixyz\n."), HasSubstr("\"xyz\" is not an integer"));
    EXPECT_THAT(readError("Fxyz\n."), HasSubstr("is not a number"));
    EXPECT_THAT(readError("Sabc\n."), HasSubstr("quote"));
    for (const std::string& message : {readError(start + "."), readError(start + "\xff.")}) {
        EXPECT_THAT(message, HasSubstr("x.pth: data.pkl"));
        EXPECT_THAT(message, HasSubstr("download"));
    }
}

TEST(PickleReader, TextNumbersAndEscapes)
{
    EXPECT_EQ(readJson("(lI01\naI00\naI-12\naL34L\naF1.5e3\naF-inf\na."s).dump(), "[true,false,-12,34,1500.0,null]");
    EXPECT_EQ(readJson("S'a\\tb\\'\\x41\\\\'\n."s).get<std::string>(), "a\tb'A\\");
    EXPECT_EQ(readJson("V\\u2713 \\U0001f600 \xe9\n."s).get<std::string>(), "✓ 😀 é");
    EXPECT_EQ(readJson("\x80\x02\x8a\x00."s), 0);
    EXPECT_EQ(readJson("\x80\x02\x8a\x02\x00\xff."s), -256);
    EXPECT_EQ(readJson("\x80\x02\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80."s), INT64_MIN);
}

TEST(PickleReader, FramesPopsAndDuplicates)
{
    EXPECT_EQ(readJson("\x80\x04\x95\x03\x00\x00\x00\x00\x00\x00\x00K\x01."s), 1);
    EXPECT_EQ(readJson("\x80\x02K\x01K\x02"
                       "0."s),
              1);
    EXPECT_EQ(readJson("\x80\x02K\x01(K\x02K\x03"
                       "1."s),
              1);
    EXPECT_EQ(readJson("\x80\x02K\x01(0."s), 1);
    EXPECT_EQ(readJson("\x80\x02K\x01"
                       "2\x86."s)
                  .dump(),
              "[1,1]");
}

} // namespace
} // namespace headscope::core
