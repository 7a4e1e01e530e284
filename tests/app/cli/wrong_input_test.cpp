// SPDX-License-Identifier: GPL-3.0-or-later
// Well-formed lines whose input is wrong: exit 1 and one sentence that names what it concerns.
#include "app/cli/command_line.h"
#include "tests/app/cli/driver.h"

#include <gmock/gmock.h>

#include <unistd.h>

#include <sstream>

namespace headscope::app::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string model = fixture("switchhead_xl");

TEST(WrongInput, Models)
{
    const OwnFolder folder;
    EXPECT_THAT(refusal({"info", folder.file("absent.pth")}), HasSubstr("absent.pth"));
    EXPECT_THAT(refusal({"info", folder.path()}), HasSubstr(folder.path().filename().string()));
    EXPECT_THAT(refusal({"info", folder.file("page.pth", "<!DOCTYPE html><html></html>")}), HasSubstr("page.pth"));
    EXPECT_THAT(refusal({"info", folder.file("empty.pth", "")}), HasSubstr("empty.pth"));
    EXPECT_EQ(run({"info", ""}).code, 2);
}

TEST(WrongInput, WhatIsNotSupportedIsNamed)
{
    EXPECT_THAT(refusal({"info", model, "--family", "nonesuch"}), HasSubstr("nonesuch"));
    EXPECT_THAT(refusal({"trace", model, "--ids", "1", "--json", "--target", "a"}), HasSubstr("--target"));
    EXPECT_THAT(refusal({"trace", model, "--ids", "1", "--json", "--target-ids", "1"}), HasSubstr("--target"));
    EXPECT_THAT(refusal({"trace", model, "--ids", "1", "--json", "--target-file", "absent"}), HasSubstr("--target"));
    EXPECT_THAT(refusal({"trace", model, "--ids", "1", "--json", "--device", "abacus"}), HasSubstr("abacus"));
    EXPECT_THAT(refusal({"trace", model, "--ids", "1", "--json", "--device", "cuda:99"}), HasSubstr("cuda:99"));
}

TEST(WrongInput, Texts)
{
    const OwnFolder folder;
    EXPECT_THAT(refusal({"tokenize", model, "--file", folder.file("absent.txt")}), HasSubstr("absent.txt"));
    EXPECT_THAT(refusal({"tokenize", model, "--file", folder.path()}), HasSubstr("is a folder"));
    if (geteuid() != 0) {
        const std::string closed = folder.file("closed.txt", "text");
        fs::permissions(closed, fs::perms::none);
        EXPECT_THAT(refusal({"tokenize", model, "--file", closed}), HasSubstr("closed.txt"));
    }
}

TEST(WrongInput, Tokenizers)
{
    const OwnFolder folder;
    fs::copy(model, folder.file("model.pth"));
    fs::copy(fs::path(model).parent_path() / "args.json", folder.file("args.json"));
    EXPECT_THAT(refusal({"tokenize", folder.file("model.pth"), "--text", "a"}), HasSubstr("tokenizer"));
    EXPECT_THAT(refusal({"tokenize", model, "--text", "a", "--tokenizer", folder.file("absent.model")}), HasSubstr("absent.model"));
    EXPECT_THAT(refusal({"tokenize", model, "--text", "a", "--tokenizer", folder.file("no.model", "nothing")}), HasSubstr("no.model"));
}

TEST(WrongInput, Ids)
{
    EXPECT_THAT(refusal({"trace", model, "--ids", "1,192", "--json"}), AllOf(HasSubstr("192"), Not(HasSubstr("191 "))));
    EXPECT_THAT(refusal({"trace", model, "--ids", "-5", "--json"}), HasSubstr("-5"));
    EXPECT_THAT(refusal({"trace", model, "--ids", "99999999999999999999", "--json"}), HasSubstr("99999999999999999999"));
}

TEST(WrongInput, Addresses)
{
    EXPECT_THAT(refusal({"trace", model, "--ids", "1", "--json", "--attention", "layers.7.self"}),
                AllOf(HasSubstr("layers.7.self"), HasSubstr("layers.0.self, layers.1.self")));
    EXPECT_THAT(refusal({"trace", model, "--ids", "1", "--json", "--attention", "all", "nothing"}), HasSubstr("nothing"));
    EXPECT_THAT(refusal({"trace", model, "--ids", "1", "--router", "layers.0.self.q"}), HasSubstr("layers.0.self.v"));
    EXPECT_THAT(refusal({"trace", fixture("dense_xl"), "--ids", "1", "--router", "all*"}), HasSubstr("no routers"));
}

TEST(WrongInput, PlacesToWrite)
{
    const OwnFolder folder;
    const auto outTo = [](const std::string& out) { return refusal({"trace", model, "--ids", "1", "--out", out}); };
    EXPECT_THAT(outTo(folder.file("missing/x.safetensors")), HasSubstr("missing"));
    EXPECT_THAT(outTo(folder.path()), HasSubstr("is a folder"));
    EXPECT_THAT(outTo(folder.file("file", "") + "/x.safetensors"), HasSubstr("is not a folder"));
    EXPECT_THAT(outTo("/proc/x.safetensors"), HasSubstr("/proc"));
    const std::string checkpoint = folder.file("model.pth", contents(model));
    EXPECT_THAT(refusal({"trace", checkpoint, "--ids", "1", "--out", checkpoint}), HasSubstr("overwrite"));
    EXPECT_EQ(contents(checkpoint), contents(model));
    if (geteuid() != 0) {
        fs::create_directory(folder.path() / "closed");
        fs::permissions(folder.path() / "closed", fs::perms::owner_read | fs::perms::owner_exec);
        EXPECT_THAT(outTo(folder.file("closed/x.safetensors")), HasSubstr("closed"));
    }
}

TEST(WrongInput, StandardOutputThatIsFull)
{
    std::ostream nowhere(nullptr);
    std::ostringstream err;
    const CommandContext context{.out = nowhere, .err = err, .stop = {}, .readStandardInput = {}};
    EXPECT_EQ(runCommands({"--version"}, context), 1);
    EXPECT_THAT(err.str(), HasSubstr("standard output"));
}

} // namespace
} // namespace headscope::app::testing
