// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/families/expected_trace.h"

#include "core/attention/maps.h"
#include "core/checkpoint/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>

namespace headscope::tests {
namespace {

std::string readText(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

struct Values {
    std::vector<std::int64_t> shape;
    std::vector<float> values;
};

/// The trace's values under the name of an expected tensor; nullopt when it has none.
std::optional<Values> valuesOf(const core::Trace& trace, const std::string& name)
{
    if (name == "tokens.ids") {
        const auto ids = trace.text().ids();
        return Values{{trace.tokens()}, {ids.begin(), ids.end()}};
    }
    if (name == "logits")
        return Values{{trace.tokens(), trace.model->vocabulary}, trace.logits};
    const auto dot = name.rfind('.');
    const auto stem = name.substr(0, dot);
    const auto kind = name.substr(dot + 1);
    if (kind == "attention") {
        const auto address = core::MapAddress::parse(stem);
        const auto* block = address ? trace.block(*address) : nullptr;
        if (!block)
            return std::nullopt;
        Values all{{block->maps, block->rows, block->columns}, {}};
        for (const auto& map : core::mapsOf(*block)) {
            const auto whole = core::wholeMap(trace, map);
            all.values.insert(all.values.end(), whole.values.begin(), whole.values.end());
        }
        return all;
    }
    const auto address = core::RouterAddress::parse(stem);
    const auto* site = address ? trace.site(*address) : nullptr;
    if (!site)
        return std::nullopt;
    if (kind == "logits")
        return Values{{site->tokens, site->heads, site->router.experts}, site->logits};
    if (kind == "gates")
        return Values{{site->tokens, site->heads, site->router.chosen}, site->gates};
    return Values{{site->tokens, site->heads, site->router.chosen}, {site->experts.begin(), site->experts.end()}};
}

std::string compare(const core::TensorView& expected, const Values& actual, const Tolerance& tolerance)
{
    if (expected.shape != actual.shape)
        return fmt::format("{} has another shape than {}", expected.name, expected.describe());
    const auto wanted = expected.readFloats();
    if (wanted.size() != actual.values.size())
        return fmt::format("{} has {} values, expected {}", expected.name, actual.values.size(), wanted.size());
    const bool choices = expected.dtype == core::DType::I64;
    const double allowed = choices ? 0 : expected.name.ends_with("attention") ? tolerance.attention : expected.name.ends_with("gates") ? tolerance.gates : tolerance.logits;
    double worst = 0;
    std::size_t off = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const double error = std::abs(static_cast<double>(wanted[i]) - actual.values[i]);
        if (!(error <= allowed))
            ++off;
        worst = std::max(worst, std::isnan(error) ? INFINITY : error);
    }
    const auto permitted = choices ? tolerance.otherChoices * static_cast<double>(wanted.size()) : 0.0;
    if (static_cast<double>(off) <= permitted)
        return {};
    return fmt::format("{}: {} of {} values differ, by up to {}", expected.name, off, wanted.size(), worst);
}

} // namespace

Fixture Fixture::read(const std::filesystem::path& folder)
{
    const auto manifest = nlohmann::json::parse(readText(folder / "fixture.json"));
    Fixture fixture;
    fixture.folder = folder;
    fixture.family = manifest.at("family");
    fixture.checkpoint = folder / manifest.at("checkpoint").get<std::string>();
    if (manifest.at("tokenizer").is_string())
        fixture.tokenizer = folder / manifest.at("tokenizer").get<std::string>();
    if (std::filesystem::exists(folder / "text.txt"))
        fixture.text = readText(folder / "text.txt");
    const auto expected = core::openCheckpoint(folder / "expected.safetensors");
    for (const auto id : expected.find("tokens.ids")->readFloats())
        fixture.ids.push_back(static_cast<core::TokenId>(id));
    return fixture;
}

std::shared_ptr<const core::Model> Fixture::open(core::OpenOptions options) const
{
    options.device = options.device == "auto" ? "cpu" : options.device;
    options.tokenizer = tokenizer;
    return core::openModel(checkpoint, options);
}

std::vector<std::string> differences(const Fixture& fixture, const core::Trace& trace, const Tolerance& tolerance)
{
    std::vector<std::string> lines;
    const auto expected = core::openCheckpoint(fixture.folder / "expected.safetensors");
    for (const auto& tensor : expected.tensors) {
        const auto actual = valuesOf(trace, tensor.name);
        const auto line = actual ? compare(tensor, *actual, tolerance) : fmt::format("{} is missing", tensor.name);
        if (!line.empty())
            lines.push_back(line);
    }
    return lines;
}

std::vector<std::filesystem::path> fixtureFolders()
{
    std::vector<std::filesystem::path> folders;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(HEADSCOPE_TEST_DATA))
        if (entry.path().filename() == "fixture.json")
            folders.push_back(entry.path().parent_path());
    std::sort(folders.begin(), folders.end());
    return folders;
}

std::vector<std::filesystem::path> fixtureFoldersWithText()
{
    auto folders = fixtureFolders();
    std::erase_if(folders, [](const std::filesystem::path& folder) { return !std::filesystem::exists(folder / "text.txt"); });
    return folders;
}

} // namespace headscope::tests
