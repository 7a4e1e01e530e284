// SPDX-License-Identifier: GPL-3.0-or-later
// No file makes a message that fills a screen.
#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/computable.h"
#include "core/checkpoint/message_text.h"
#include "tests/core/checkpoint/pickle_writer.h"
#include "tests/core/checkpoint/test_files.h"
#include "tests/core/checkpoint/zip_writer.h"

#include <gmock/gmock.h>

#include <random>

namespace headscope::core {
namespace {

using test::errorOf;
using namespace std::string_literals;

constexpr std::size_t kLongest = 1024;
constexpr std::size_t kLong = 300'000;

std::string numbers(std::size_t count, std::string_view number)
{
    std::string result;
    for (std::size_t i = 0; i < count; ++i)
        result += (i == 0 ? "" : ",") + std::string(number);
    return result;
}

void expectShort(const std::string& message, const std::string& what)
{
    EXPECT_FALSE(message.empty()) << what;
    EXPECT_LE(message.size(), kLongest) << what << ": " << message.substr(0, 300);
}

std::string errorOfFile(std::string_view name, std::string_view bytes)
{
    const test::TemporaryFolder folder;
    test::writeFile(folder / name, bytes);
    return errorOf([&] {
        const Checkpoint checkpoint = openCheckpoint(folder / name);
        for (const TensorView& tensor : checkpoint.tensors)
            requireComputable(tensor, checkpoint);
    });
}

TEST(FaultC4, LongPiecesOfASafetensorsHeader)
{
    const std::string name(kLong, 'n');
    const std::string hostile = "\\u0000\\u001b"s;
    const auto header = [](std::string_view key, std::string_view dtype, std::string_view shape, std::string_view offsets) {
        return "{\"" + std::string(key) + "\":{\"dtype\":" + std::string(dtype) + ",\"shape\":" + std::string(shape) + ",\"data_offsets\":" + std::string(offsets) + "}}";
    };
    const std::string digits(kLong, '9');
    const std::string text = '"' + name + '"';
    for (const std::string& json :
         {header(name, "\"F32\"", "[1]", "[0,8]"), header(name, "3", "[1]", "[0,4]"), header("t", text, "[1]", "[0,4]"),
          header("t", "\"F32\"", "[" + digits + "]", "[0,4]"), header("t", "\"F32\"", "[" + text + "]", "[0,4]"),
          header("t", "\"F32\"", "[" + numbers(kLong, "1") + "]", "[0,8]"), header("t", "\"F32\"", "[" + numbers(kLong, "99") + "]", "[0,4]"),
          header("t", "\"F32\"", "[[" + numbers(kLong, "1") + "]]", "[0,4]"), header("t", "\"F32\"", "[1]", "[" + numbers(kLong, "1") + "]"),
          header("t", "\"F32\"", "[1]", "[" + text + ",4]"), header("t", "\"F32\"", "[1]", "[-" + digits + ",4]"),
          header("t", "\"F32\"", text, text), header("t", "\"I8\"", "[" + numbers(4096, "1") + ",4]", "[0,4]"),
          R"({"__metadata__":{")" + name + R"(":3}})", R"({"__metadata__":)" + text + "}", "{" + text + ":" + text + "}", "{" + text,
          "{" + text + ":{}," + text + ":{}}", header(hostile + name, "\"F32\"", "[1]", "[0,8]")})
        expectShort(errorOfFile("m.safetensors", test::safetensorsBytes(json, "0123")), json.substr(0, 60));
}

TEST(FaultC4, LongPiecesOfAPickle)
{
    const std::string name(kLong, 'n');
    const auto zip = [](const test::PickleWriter& pickle) {
        test::ZipWriter writer;
        writer.add("x/data.pkl", pickle.finish());
        return writer.finish();
    };
    const auto dict = [&](std::string_view key) {
        test::PickleWriter pickle;
        pickle.emptyDict().mark().text(key).global("torch._utils", "_rebuild_tensor_v2").mark();
        return pickle;
    };
    expectShort(errorOfFile("m.pth", zip(test::PickleWriter().emptyDict().mark().text(name).none().setItems())), "a key");
    expectShort(errorOfFile("m.pth", zip(test::PickleWriter().global(name, name).emptyTuple().newObject())), "a class");
    expectShort(errorOfFile("m.pth", zip(dict(name).tuple().reduce().setItems())), "a tensor's name");
    expectShort(errorOfFile("m.pth", zip(test::PickleWriter().raw("I" + name + "\n"))), "a number");
    test::PickleWriter storage = dict("w");
    storage.mark().text("storage").global("torch", name).text(name).text("cpu").integer(1).tuple().persistent().integer(0);
    storage.mark().integer(1).tuple().mark().integer(1).tuple().boolean(false).none().tuple().reduce().setItems();
    expectShort(errorOfFile("m.pth", zip(storage)), "a storage");
}

TEST(FaultC4, HeadersChangedAtRandom)
{
    std::mt19937 random(11);
    const std::string json = R"({"__metadata__":{"a":"b"},"w":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}})";
    int errors = 0;
    for (int i = 0; i < 400; ++i) {
        std::string changed = json;
        const std::size_t at = random() % changed.size();
        const char fill = "9n,[{\"\\-"[random() % 8];
        changed.insert(at, 20'000, fill);
        const std::string message = errorOfFile("m.safetensors", test::safetensorsBytes(changed, std::string(16, 'd')));
        errors += message.empty() ? 0 : 1;
        EXPECT_LE(message.size(), kLongest) << changed.substr(0, 100);
    }
    EXPECT_GT(errors, 300);
}

TEST(FaultC4, LongPiecesOfAnIndexAndASidecar)
{
    const std::string name(kLong, 'n');
    expectShort(errorOfFile("x.index.json", R"({"weight_map":{")" + name + R"(":"../)" + name + "\"}}"), "a place");
    expectShort(errorOfFile("x.index.json", R"({"weight_map":{")" + name + R"(":")" + name + "\"}}"), "a shard");
    const test::TemporaryFolder folder;
    test::writeFile(folder / "m.safetensors", test::safetensorsBytes(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "0123"));
    for (const std::string& json : {"{\"" + name + "\":1,\"" + name + "\":2}", "\"" + name + "\"", "{\"a\":" + name + "}"}) {
        test::writeFile(folder / "s.json", json);
        expectShort(errorOf([&] { openCheckpoint(folder / "m.safetensors", {.sidecar = folder / "s.json"}); }), json.substr(0, 20));
    }
}

TEST(FaultC4, ShortenedPieces)
{
    EXPECT_EQ(shortened("torch.float32"), "torch.float32");
    EXPECT_EQ(shortened("a\x1b[2J"), "a\\x1b[2J");
    EXPECT_LE(shortened(std::string(kLong, '\x01')).size(), 130U);
    EXPECT_EQ(shownShape(std::vector<std::int64_t>{4, 5}), "[4, 5]");
    EXPECT_EQ(shownShape(std::vector<std::int64_t>(1000, 1)), "[1, 1, 1, 1, 1, 1, 1, 1, … (1000 dimensions)]");
}

} // namespace
} // namespace headscope::core
