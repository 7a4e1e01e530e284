// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/cli/run_folder.h"

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/safetensors_writer.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace headscope::app::testing {

namespace {

namespace fs = std::filesystem;

const std::string text = "The café opens at 6:30.\nIs it far?\nThe mill is old, and it is far.\nNo one opens it.\n";

} // namespace

RunFolder::RunFolder()
{
    const fs::path from = fs::path(fixture("switchhead_xl")).parent_path();
    for (const char* folder : {"run", "nested/save/checkpoint", "series", "corpus"})
        fs::create_directories(path() / folder);
    makeShards();
    for (const char* name : {"args.json", "tokenizer.model"}) {
        fs::copy_file(from / name, path() / "run" / name);
        fs::copy_file(from / name, path() / "nested/save" / name);
    }
    fs::copy_file(from / "tokenizer.model", path() / "series/tokenizer.model");
    fs::copy_file(from / "model-100000.pth", path() / "nested/save/checkpoint/model-1.pth");
    for (const char* name : {"model-100.pth", "model-200.pth"})
        fs::copy_file(from / "model-100000.pth", path() / "series" / name);
    fs::copy_file(from / "args.json", file("sidecar.csv"));
    fs::copy_file(from / "tokenizer.model", file("tokenizer.csv"));
    for (const char* name : {"text.csv", "fit.csv", "corpus/a.csv"})
        m_folder.file(name, text);
    m_folder.file("corpus/b.csv", text + "The far mill opens.\n");
    m_folder.file("tags.csv", "0\t20\tfirst\n");
    m_folder.file("ids.csv", "1, 2, 3");
    for (const char* name : {"a.csv", "b.csv"}) {
        const std::string part = std::string(name) == "a.csv" ? "1/2" : "2/2";
        const Outcome made =
            run({"count", file("run"), file("text.csv"), "--documents", "line", "--part", part, "--out", file(name)});
        EXPECT_EQ(made.code, 0) << made.err;
    }
}

void RunFolder::makeShards() const
{
    const core::Checkpoint checkpoint = core::openCheckpoint(fixture("switchhead_xl"));
    nlohmann::json index;
    for (const int part : {0, 1}) {
        std::vector<core::SafetensorsTensor> tensors;
        std::vector<std::vector<std::byte>> bytes;
        bytes.reserve(checkpoint.tensors.size());
        const std::string name = "model-0000" + std::to_string(part + 1) + "-of-00002.safetensors";
        for (std::size_t i = static_cast<std::size_t>(part); i < checkpoint.tensors.size(); i += 2) {
            const core::TensorView& tensor = checkpoint.tensors[i];
            bytes.push_back(tensor.read());
            tensors.push_back({{tensor.name, tensor.dtype, tensor.shape}, bytes.back()});
            index["weight_map"][tensor.name] = name;
        }
        core::writeSafetensors(path() / "run" / name, tensors);
    }
    m_folder.file("run/model.safetensors.index.json", index.dump());
}

std::vector<std::string> RunFolder::names() const
{
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(path()))
        names.push_back(entry.path().lexically_relative(path()).string());
    std::ranges::sort(names);
    return names;
}

} // namespace headscope::app::testing
