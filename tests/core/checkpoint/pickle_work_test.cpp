// SPDX-License-Identifier: GPL-3.0-or-later
// What a pickle or a header costs is bounded by its bytes, whatever it describes.
#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/model_dict.h"
#include "core/checkpoint/pickle_json.h"
#include "core/checkpoint/pickle_reader.h"
#include "core/checkpoint/safetensors_reader.h"
#include "core/checkpoint/shard_index.h"
#include "core/checkpoint/weight_sets.h"
#include "tests/core/checkpoint/allocation_counter.h"
#include "tests/core/checkpoint/pickle_writer.h"
#include "tests/core/checkpoint/test_files.h"
#include "tests/core/checkpoint/zip_writer.h"

#include <gmock/gmock.h>

#include <functional>
#include <random>

namespace headscope::core {
namespace {

using test::PickleWriter;
using namespace std::string_literals;

constexpr std::uint64_t kWorkPerByte = 16;
constexpr std::uint64_t kWorkOfAnyFile = 200'000; // PickleJsonBudget and the like
constexpr std::size_t kMemoryPerByte = 20;
constexpr std::size_t kMemoryOfAnyFile = 256 * 1024;

std::string torchZip(std::string_view pickle)
{
    test::ZipWriter zip;
    zip.add("x/data.pkl", pickle);
    zip.add("x/data/0", "0123456789abcdef");
    return zip.finish();
}

/// Everything that opening asks of a file; its steps of work.
std::uint64_t workOf(const std::filesystem::path& path)
{
    const TorchFile file = TorchFile::openZip(FileBytes::open(path));
    CheckpointOptions options;
    options.recognises = [](const Checkpoint& names) { return names.find("w") != nullptr; };
    extrasOf(file);
    runArguments(file);
    pickleToJson(file.document(), file.document().root);
    try {
        chooseWeights(file, options, {});
    } catch (const Error&) { // most of these hold no model
    }
    return file.document().work();
}

void expectLinear(std::string_view pickle, const std::string& what)
{
    const test::TemporaryFolder folder;
    test::writeFile(folder / "m.pth", torchZip(pickle));
    EXPECT_LE(workOf(folder / "m.pth"), kWorkPerByte * pickle.size() + kWorkOfAnyFile) << what << ", " << pickle.size() << " bytes";
}

/// {0: None, 1: None, …} in the memo as number 0.
PickleWriter& largeDict(PickleWriter& pickle, int entries, bool textKeys = false)
{
    pickle.emptyDict().raw("q\0"s).mark();
    for (int i = 0; i < entries; ++i) {
        if (textKeys)
            pickle.text(std::to_string(i));
        else
            pickle.integer(i);
        pickle.none();
    }
    return pickle.setItems();
}

const std::string kAgain = "h\0"s; // value 0 of the memo

constexpr int kMany = 20'000;

TEST(FaultC1, OneDictManyTimesInTheArgumentsOfACall)
{
    for (const char* name : {"OrderedDict", "Counter", "defaultdict"}) {
        PickleWriter pickle;
        largeDict(pickle, kMany).op('0').global("collections", name).mark();
        for (int i = 0; i < kMany; ++i)
            pickle.raw(kAgain);
        expectLinear(pickle.tuple().reduce().finish(), name);
    }
}

TEST(FaultC1, OneDictManyTimesInAState)
{
    for (const char* name : {"Namespace", "Other"}) {
        PickleWriter pickle;
        largeDict(pickle, kMany).op('0').global("argparse", name).emptyTuple().newObject().mark();
        for (int i = 0; i < kMany; ++i)
            pickle.raw(kAgain);
        expectLinear(pickle.tuple().build().finish(), name);
    }
}

TEST(FaultC1, ManyKeysAndObjectsThatShareOneDict)
{
    for (const bool objects : {false, true}) {
        PickleWriter pickle;
        largeDict(pickle, kMany, true).op('0').emptyDict().mark();
        for (int i = 0; i < kMany; ++i) {
            pickle.text("k" + std::to_string(i));
            if (objects)
                pickle.global("collections", "OrderedDict").raw(kAgain).raw("\x85").reduce();
            else
                pickle.raw(kAgain);
        }
        expectLinear(pickle.setItems().finish(), objects ? "objects" : "keys");
    }
}

TEST(FaultC1, OneLongTextAndOneLongShapeInManyPlaces)
{
    const std::string text(100'000, 'x');
    PickleWriter pickle;
    pickle.text(text).raw("q\0"s).op('0').emptyDict().mark();
    for (int i = 0; i < kMany; ++i)
        pickle.text("k" + std::to_string(i)).raw(kAgain);
    const std::string bytes = pickle.setItems().finish();
    const test::TemporaryFolder folder;
    test::writeFile(folder / "m.pth", torchZip(bytes));
    const TorchFile file = TorchFile::openZip(FileBytes::open(folder / "m.pth"));
    EXPECT_LE(extrasOf(file).dump().size(), 4 * bytes.size());

    PickleWriter shapes;
    shapes.mark();
    for (int i = 0; i < kMany; ++i)
        shapes.integer(1);
    shapes.tuple().raw("q\0"s).op('0').emptyDict().mark().text("w").global("torch._utils", "_rebuild_tensor_v2").mark();
    shapes.mark().text("storage").global("torch", "FloatStorage").text("0").text("cpu").integer(4).tuple().persistent();
    shapes.integer(0).raw(kAgain).raw(kAgain).boolean(false).none().tuple().reduce().setItems();
    test::writeFile(folder / "m.pth", torchZip(shapes.finish()));
    EXPECT_THAT(test::errorOf([&] { openCheckpoint(folder / "m.pth"); }), testing::HasSubstr("64 dimensions"));
}

/// Containers and objects that name each other at random, cycles too.
std::string sharedStructure(std::uint32_t seed)
{
    std::mt19937 random(seed);
    const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<std::uint32_t>(limit)); };
    PickleWriter pickle;
    int made = 0;
    const auto again = [&] { pickle.op('j').raw(std::string{static_cast<char>(below(made)), '\0', '\0', '\0'}); };
    const auto remember = [&] { pickle.op('r').raw(std::string{static_cast<char>(made++), '\0', '\0', '\0'}); };
    for (int i = 0; i < 8; ++i) { // what the rest can name from the beginning
        pickle.op(i % 2 == 0 ? ']' : '}');
        remember();
    }
    for (int i = 0; i < 110; ++i) {
        const int kind = below(6);
        if (kind == 0)
            pickle.global("collections", below(2) == 0 ? "OrderedDict" : "defaultdict").mark();
        else if (kind == 1)
            pickle.global(below(2) == 0 ? "argparse" : "x", "Namespace").emptyTuple().newObject().mark();
        else
            pickle.op(kind == 2 ? '}' : ']').mark();
        const int parts = 2 * below(300);
        for (int part = 0; part < parts; ++part) {
            if (kind == 2 && part % 2 == 0)
                pickle.text(part % 4 == 0 ? "model" : std::to_string(part));
            else
                again();
        }
        if (kind == 0)
            pickle.tuple().reduce();
        else if (kind == 1)
            pickle.tuple().build();
        else
            pickle.op(kind == 2 ? 'u' : 'e');
        remember();
        if (below(3) == 0 && kind > 2) { // a cycle
            again();
            pickle.op('a');
        }
    }
    return pickle.finish();
}

TEST(FaultC1, SharedStructuresAtRandom)
{
    for (std::uint32_t seed = 0; seed < 200; ++seed)
        expectLinear(sharedStructure(seed), "seed " + std::to_string(seed));
}

TEST(FaultC1, CancellationIsAskedForOnTheWay)
{
    std::stop_source source;
    source.request_stop();
    const auto cancelled = [&](std::string_view pickle) {
        const auto* begin = reinterpret_cast<const std::byte*>(pickle.data());
        readPickle(std::make_shared<const std::vector<std::byte>>(begin, begin + pickle.size()), 0, "x", {.report = {}, .stop = source.get_token()});
    };
    PickleWriter pickle;
    EXPECT_THROW(cancelled(largeDict(pickle, 5000).finish()), Cancelled);
    EXPECT_THROW(cancelled("\x80\x02"s + std::string(5000, ']') + "."), Cancelled);
}

std::size_t memoryOfPickle(std::string_view pickle)
{
    const auto* begin = reinterpret_cast<const std::byte*>(pickle.data());
    const test::AllocationCounter counter;
    try {
        readPickle(std::make_shared<const std::vector<std::byte>>(begin, begin + pickle.size()), 0, "x");
    } catch (const Error&) { // a pickle that leaves more than one value is none; what it took counts
    }
    return counter.peakBytes();
}

std::string repeated(std::string_view part, std::size_t times)
{
    std::string result;
    for (std::size_t i = 0; i < times; ++i)
        result += part;
    return result;
}

TEST(FaultC3, APickleTakesTwentyTimesItsBytes)
{
    constexpr std::size_t times = 300'000;
    const std::string call = "cm\nf\nq\0"s;
    const std::vector<std::pair<const char*, std::string>> pickles = {
        {"empty lists", "(" + repeated("]", times) + "l"},
        {"empty dicts", "(" + repeated("}", times) + "t"},
        {"nothing", "(" + repeated("N", times) + "l"},
        {"empty tuples", "(" + repeated(")", times) + "l"},
        {"tuples in tuples", ")" + repeated("\x85", times)},
        {"lists in lists", "]" + repeated("]", times) + repeated("a", times)},
        {"marks", repeated("(", times)},
        {"remembered lists", repeated("]\x94", times)},
        {"numbers", "(" + repeated("K\1", times) + "l"},
        {"appended one by one", "]" + repeated("Na", times)},
        {"lists of one", "(" + repeated("]Na", times) + "l"},
        {"two lists in turn", "]q\0]q\1"s + repeated("h\0Na0h\1Na0"s, times / 4)},
        {"entries one by one", "}" + repeated("NNs", times)},
        {"calls", call + repeated(")R", times)},
        {"filled objects", call + repeated(")RNb", times)},
        {"objects with items", call + "(" + repeated("h\0)RNa"s, times / 2) + "l"},
        {"classes", "(" + repeated("c\n\n", times) + "l"},
        {"instances", "(" + repeated("(i\n\n", times) + "l"},
        {"decoded texts", "(" + repeated("V\xe9\n", times) + "l"},
        {"plain texts", "(" + repeated("Vx\n", times) + "l"},
        {"quoted texts", "(" + repeated("S'x'\n", times) + "l"},
        {"sets", "(" + repeated("\x8f", times) + "l"},
        {"persistent values", "N" + repeated("Q", times)},
        {"scattered memo", repeated("]r\xff\xff\xff\x7f", times / 5)},
        {"duplicates", "N" + repeated("2", times)},
    };
    for (const auto& [what, body] : pickles) {
        const std::string pickle = "\x80\x02"s + body + ".";
        EXPECT_LE(memoryOfPickle(pickle), kMemoryPerByte * pickle.size() + kMemoryOfAnyFile) << what;
    }
}

TEST(FaultC3, SharedStructuresAtRandomTakeTwentyTimesTheirBytes)
{
    for (std::uint32_t seed = 0; seed < 50; ++seed) {
        const std::string pickle = sharedStructure(seed);
        EXPECT_LE(memoryOfPickle(pickle), kMemoryPerByte * pickle.size() + kMemoryOfAnyFile) << seed;
    }
}

TEST(FaultC3, WhatIsWrittenOutAsJsonIsBounded)
{
    constexpr std::size_t most = 8 << 20; // 20,000 values
    for (const std::string& body : {"(" + repeated("}", 300'000) + "l", "(" + repeated("]", 300'000) + "l", "(" + repeated("K\1", 300'000) + "l"}) {
        const std::string pickle = "\x80\x02"s + body + ".";
        const auto* begin = reinterpret_cast<const std::byte*>(pickle.data());
        const PickleDocument document = readPickle(std::make_shared<const std::vector<std::byte>>(begin, begin + pickle.size()), 0, "x").document;
        const test::AllocationCounter counter;
        EXPECT_GE(pickleToJson(document, document.root).size(), 10'000U);
        EXPECT_LE(counter.peakBytes(), most);
    }
}

std::string tensors(int count, const std::function<std::string(int)>& entry)
{
    std::string json = "{";
    for (int i = 0; i < count; ++i)
        json += (i == 0 ? "" : ",") + entry(i);
    return json + "}";
}

TEST(FaultC3, AHeaderTakesTwentyTimesItsBytes)
{
    constexpr int count = 20'000;
    const std::vector<std::pair<const char*, std::string>> headers = {
        {"tensors without elements", tensors(count, [](int i) {
             return '"' + std::to_string(i) + R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
         })},
        {"metadata", R"({"__metadata__":)" + tensors(count, [](int i) { return '"' + std::to_string(i) + R"(":"")"; }) + "}"},
        {"unknown fields", R"({"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0],"x":)" +
                               tensors(count, [](int i) { return '"' + std::to_string(i) + R"(":[[],{},0,"",[0,0,0]])"; }) + "}}"},
        {"dimensions", R"({"a":{"dtype":"F32","shape":[0)" + repeated(",1", 100'000) + R"(],"data_offsets":[0,0]}})"},
    };
    const test::TemporaryFolder folder;
    for (const auto& [what, json] : headers) {
        test::writeFile(folder / "m.safetensors", test::safetensorsBytes(json, ""));
        const test::AllocationCounter counter;
        const auto content = readSafetensors(FileBytes::open(folder / "m.safetensors"));
        EXPECT_LE(counter.peakBytes(), kMemoryPerByte * json.size() + kMemoryOfAnyFile) << what;
    }
}

TEST(FaultC3, AnIndexTakesTwentyTimesItsBytes)
{
    const std::string json = R"({"weight_map":)" + tensors(20'000, [](int i) { return "\"t" + std::to_string(i) + R"(":"s")"; }) + "}";
    const test::TemporaryFolder folder;
    test::writeFile(folder / "s", "");
    test::writeFile(folder / "x.index.json", json);
    const test::AllocationCounter counter;
    EXPECT_EQ(readShardIndex(folder / "x.index.json").shardOf.size(), 20'000U);
    EXPECT_LE(counter.peakBytes(), kMemoryPerByte * json.size() + kMemoryOfAnyFile);
}

} // namespace
} // namespace headscope::core
