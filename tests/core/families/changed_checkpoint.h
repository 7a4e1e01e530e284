// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/checkpoint.h"
#include "core/families/model.h"
#include "tests/core/checkpoint/torch_file_writer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace headscope::tests {

/// A fixture of the moe_attention family, written anew with some of its arguments or tensors changed.
class ChangedCheckpoint : public ::testing::Test
{
protected:
    explicit ChangedCheckpoint(std::string_view fixture = "switchhead_xl") : m_fixture(fixture) {}

    void SetUp() override
    {
        folder = std::filesystem::path(::testing::TempDir()) / ::testing::UnitTest::GetInstance()->current_test_info()->name();
        std::filesystem::create_directories(folder);
        const auto source = core::openCheckpoint(std::filesystem::path(HEADSCOPE_TEST_DATA) / "fixtures" / m_fixture / "model-100000.pth");
        for (const auto& tensor : source.tensors) {
            const auto values = tensor.readFloats();
            file.tensors.push_back({.name = tensor.name, .shape = tensor.shape, .values = {values.begin(), values.end()}});
        }
        for (const auto& [key, value] : source.hyperParameters.items())
            file.args.emplace_back(key, argument(value));
    }
    void TearDown() override { std::filesystem::remove_all(folder); }

    static test::TorchArg argument(const nlohmann::json& value)
    {
        if (value.is_number_integer())
            return value.get<std::int64_t>();
        if (value.is_number())
            return value.get<double>();
        if (value.is_string())
            return value.get<std::string>();
        return std::monostate{};
    }
    void set(const std::string& key, test::TorchArg value)
    {
        std::erase_if(file.args, [&key](const auto& entry) { return entry.first == key; });
        file.args.emplace_back(key, std::move(value));
    }
    std::shared_ptr<const core::Model> open() const
    {
        test::writeTorchCheckpoint(folder / "model.pth", file);
        core::OpenOptions options;
        options.device = "cpu";
        return core::openModel(folder / "model.pth", options);
    }
    /// The sentence with which the checkpoint is refused; empty when it opens.
    std::string refusal() const
    {
        try {
            open();
        } catch (const core::Error& error) {
            return error.what();
        }
        return {};
    }

    std::filesystem::path folder;
    test::TorchCheckpoint file;

private:
    std::string m_fixture;
};

} // namespace headscope::tests
