// SPDX-License-Identifier: GPL-3.0-or-later
// The commands on the fixtures; that the values are right is what the tests of the model code compare.
#include "core/checkpoint/checkpoint.h"
#include "tests/app/cli/driver.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace headscope::app::testing {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

class EveryFixture : public ::testing::TestWithParam<const char*>
{
protected:
    std::string model() const { return fixture(GetParam()); }
    fs::path folder() const { return fs::path(model()).parent_path(); }
    json parsed(const char* name) const { return json::parse(contents(folder() / name)); }
    std::string ids() const
    {
        const json tokens = parsed("expected_tokens.json");
        std::string list;
        for (const json& id : tokens["ids"])
            list += std::to_string(id.get<int>()) + ',';
        return list;
    }
    int count() const { return static_cast<int>(parsed("expected_tokens.json")["ids"].size()); }
};

TEST_P(EveryFixture, TokenizeGivesTheExpectedTokens)
{
    const Outcome outcome = run({"tokenize", model(), "--file", folder() / "text.txt", "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const json read = json::parse(outcome.out);
    const json expected = parsed("expected_tokens.json");
    for (const char* name : {"ids", "pieces", "spans"})
        EXPECT_EQ(read[name], expected[name]) << name;
}

TEST_P(EveryFixture, TheTraceFileHasEveryExpectedTensor)
{
    const OwnFolder own;
    for (const Arguments& text : {Arguments{"--file", folder() / "text.txt"}, Arguments{"--ids", ids()}}) {
        Arguments line{"trace", model(), "--device", "cpu", "--attention", "all", "--logits", "--out", own.file("trace.safetensors")};
        line.insert(line.end(), text.begin(), text.end());
        const Outcome outcome = run(line);
        ASSERT_EQ(outcome.code, 0) << outcome.err;
        EXPECT_EQ(outcome.out, "");
        const core::Checkpoint expected = core::openCheckpoint(folder() / "expected.safetensors");
        const core::Checkpoint written = core::openCheckpoint(own.file("trace.safetensors"));
        for (const core::TensorView& tensor : expected.tensors) {
            const core::TensorView* const found = written.find(tensor.name);
            ASSERT_NE(found, nullptr) << tensor.name;
            EXPECT_EQ(found->describe(), tensor.describe()) << tensor.name;
            EXPECT_THAT(found->readFloats(), ::testing::Pointwise(::testing::FloatNear(1e-4F), tensor.readFloats())) << tensor.name;
        }
    }
}

TEST_P(EveryFixture, JsonAndFileSayTheSame)
{
    const OwnFolder own;
    const Arguments line{"trace", model(), "--ids", ids(), "--attention", "layers.1.self", "--predictions", "3"};
    const auto with = [&line](Arguments more) {
        more.insert(more.begin(), line.begin(), line.end());
        return run(more);
    };
    ASSERT_EQ(with({"--out", own.file("a")}).code, 0);
    ASSERT_EQ(with({"--out", own.file("b")}).code, 0);
    EXPECT_EQ(contents(own.file("a")), contents(own.file("b")));
    const Outcome printed = with({"--json"});
    ASSERT_EQ(printed.code, 0);
    const json read = json::parse(printed.out);
    EXPECT_EQ(read["fingerprint"].get<std::string>().size(), 64U);
    const core::Checkpoint file = core::openCheckpoint(own.file("a"));
    EXPECT_EQ(file.find("layers.0.self.attention"), nullptr);
    EXPECT_EQ(read["attention"].size(), 1U);
    EXPECT_FLOAT_EQ(read["attention"][0]["values"][1][3][2].get<float>(),
                    file.find("layers.1.self.attention")->readFloats().at(static_cast<std::size_t>((count() + 3) * count() + 2)));
    EXPECT_FLOAT_EQ(read["loss"][5].get<float>(), file.find("x.loss")->readFloats().at(5));
    EXPECT_EQ(read["predictions"]["ids"][4].size(), 3U);
    EXPECT_FALSE(read.contains("logits"));
    for (const json& site : read["routers"])
        EXPECT_NE(file.find(site["address"].get<std::string>() + ".experts"), nullptr);
}

TEST_P(EveryFixture, InfoSaysWhatItIs)
{
    const Outcome outcome = run({"info", model(), "--json"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const json read = json::parse(outcome.out);
    const json manifest = parsed("fixture.json");
    EXPECT_EQ(read["family"], manifest["family"]);
    EXPECT_EQ(read["vocabulary"], manifest["vocab"]);
    EXPECT_EQ(read["layers"], manifest["config"]["transformer.encoder_n_layers"]);
    EXPECT_EQ(read["maps"].size(), 2U);
    EXPECT_GT(read["parameters"].get<int>(), 1000);
    EXPECT_GT(read["io"]["bytesRead"].get<int>(), 0);
    EXPECT_FALSE(read["tokenizer"].is_null());
    const Outcome text = run({"info", model()});
    EXPECT_EQ(text.code, 0);
    EXPECT_THAT(text.out, AllOf(HasSubstr("parameters"), HasSubstr("Routers"), HasSubstr("Hyper-parameters")));
}

TEST_P(EveryFixture, TheTableHasALinePerToken)
{
    const Outcome outcome = run({"trace", model(), "--ids", ids()});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_GE(std::count(outcome.out.begin(), outcome.out.end(), '\n'), count());
}

INSTANTIATE_TEST_SUITE_P(Fixtures, EveryFixture,
                         ::testing::Values("switchhead_xl", "moa_mode_moa", "moa_mode_my", "dense_xl", "switchall_xl"),
                         [](const auto& param) { return std::string(param.param); });

TEST(Trace, CancelledBeforeItBegan)
{
    std::stop_source source;
    source.request_stop();
    const OwnFolder own;
    const Outcome outcome = run({"trace", fixture("switchhead_xl"), "--ids", "1", "--out", own.file("x")}, {}, source.get_token());
    EXPECT_EQ(outcome.code, 130);
    EXPECT_EQ(outcome.out + outcome.err, "");
    EXPECT_TRUE(fs::is_empty(own.path()));
}

TEST(Trace, RoutersOfTheTableCanBeChosen)
{
    const std::string model = fixture("switchhead_xl");
    const Outcome outcome = run({"trace", model, "--ids", "1,2", "--router", "layers.*.self.v.h1"});
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("layers.0.self.v.h1"), HasSubstr("layers.1.self.v.h1"), ::testing::Not(HasSubstr("self.o"))));
    EXPECT_THAT(run({"trace", model, "--ids", "1,2"}).err, HasSubstr("4 of 8 routers"));
}

} // namespace
} // namespace headscope::app::testing
