// SPDX-License-Identifier: GPL-3.0-or-later
// Whatever happens to the bytes of a checkpoint, opening and reading it ends in values or in an Error: no crash, no hang, no
// other exception. The sanitizer build makes this a test of memory accesses too.
#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/float_convert.h"
#include "core/checkpoint/pickle_json.h"
#include "core/checkpoint/pickle_reader.h"
#include "tests/core/checkpoint/pickle_samples.h"
#include "tests/core/checkpoint/test_files.h"
#include "tests/core/checkpoint/torch_file_writer.h"

#include <gtest/gtest.h>

#include <random>

namespace headscope::core {
namespace {

constexpr int kMutationsPerFile = 5'000;

class Mutator
{
public:
    explicit Mutator(std::uint32_t seed) : m_random(seed) {}

    std::string mutated(std::string bytes)
    {
        const int changes = 1 + below(4);
        for (int i = 0; i < changes && !bytes.empty(); ++i)
            change(bytes);
        return bytes;
    }

private:
    int below(std::size_t limit) { return static_cast<int>(m_random() % std::max<std::size_t>(limit, 1)); }

    void change(std::string& bytes)
    {
        const auto at = static_cast<std::size_t>(below(bytes.size()));
        switch (below(6)) {
        case 0: bytes[at] = static_cast<char>(m_random()); break;
        case 1: bytes[at] ^= static_cast<char>(1 << below(8)); break;
        case 2: bytes.resize(at); break;
        case 3: bytes.insert(at, 1, static_cast<char>(m_random())); break;
        case 4: bytes.erase(at, static_cast<std::size_t>(1 + below(4))); break;
        default: { // a number as large as it gets
            const char fill = below(2) == 0 ? '\xff' : '\x7f';
            for (std::size_t i = at; i < std::min(bytes.size(), at + static_cast<std::size_t>(1 + below(8))); ++i)
                bytes[i] = fill;
        }
        }
    }

    std::mt19937 m_random;
};

/// Opens the bytes and reads every tensor; true when that went without an Error.
bool survives(const std::filesystem::path& path, std::string_view bytes)
{
    test::writeFile(path, bytes);
    try {
        const Checkpoint checkpoint = openCheckpoint(path);
        for (const TensorView& tensor : checkpoint.tensors) {
            tensor.describe();
            if (convertsToFloat(tensor.dtype)) {
                EXPECT_EQ(tensor.readFloats().size(), static_cast<std::size_t>(tensor.elementCount()));
            }
        }
        checkpoint.hyperParameters.dump(-1, ' ', false, nlohmann::json::error_handler_t::strict);
        return true;
    } catch (const Error& error) {
        EXPECT_FALSE(std::string_view(error.what()).empty());
        return false;
    }
}

void survivesPickle(std::string_view bytes)
{
    const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
    try {
        auto copy = std::make_shared<const std::vector<std::byte>>(begin, begin + bytes.size());
        const PickleDocument document = readPickle(std::move(copy), 0, "mutated").document;
        pickleToJson(document, document.root).dump();
    } catch (const Error& error) {
        EXPECT_TRUE(std::string_view(error.what()).starts_with("mutated "));
    }
}

void mutate(const std::string& bytes, std::uint32_t seed)
{
    const test::TemporaryFolder folder;
    const std::filesystem::path path = folder / "m";
    ASSERT_TRUE(survives(path, bytes));
    Mutator mutator(seed);
    for (int i = 0; i < kMutationsPerFile && !testing::Test::HasFailure(); ++i)
        survives(path, mutator.mutated(bytes));
}

test::TorchCheckpoint smallCheckpoint(test::TorchContainer container)
{
    return {.tensors = {{"w", {2, 2}, {1, 2, 3, 4}},
                        {.name = "t", .shape = {2, 2}, .strides = {1, 2}, .storageOf = "w"},
                        {"h", {3}, {1, 2, 3}, DType::F16}},
            .args = {{"n", std::int64_t{1}}, {"s", std::string("x")}},
            .container = container};
}

TEST(Mutations, Safetensors)
{
    const std::string json = R"({"__metadata__":{"a":"b"},"w":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]},)"
                             R"("h":{"dtype":"BF16","shape":[],"data_offsets":[16,18]}})";
    mutate(test::safetensorsBytes(json, std::string(18, 'd')), 1);
}

TEST(Mutations, TorchZip)
{
    mutate(test::torchCheckpointBytes(smallCheckpoint(test::TorchContainer::Zip)), 2);
}

TEST(Mutations, PicklesOfEveryProtocol)
{
    Mutator mutator(4);
    for (const std::string_view hex : test::kPickleSamples) {
        const std::string bytes = test::fromHex(hex);
        for (int i = 0; i < kMutationsPerFile; ++i)
            survivesPickle(mutator.mutated(bytes));
    }
}

TEST(Mutations, TorchLegacy)
{
    mutate(test::torchCheckpointBytes(smallCheckpoint(test::TorchContainer::Legacy)), 3);
}

} // namespace
} // namespace headscope::core
