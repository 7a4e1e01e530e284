// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/families/key_subject.h"

#include "tests/core/checkpoint/torch_file_writer.h"
#include "tests/core/families/expected_trace.h"
#include "tests/core/families/variants.h"

#include <algorithm>
#include <numeric>

namespace headscope::tests {
namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);
constexpr std::int64_t segment = 12;
constexpr std::int64_t tokens = 45; // more than three segments

/// The checkpoint of a fixture, or of a variant written into `folder`; and its family.
std::pair<std::filesystem::path, std::string> sourceOf(const std::string& name, const test::TemporaryFolder& folder)
{
    const auto all = variants();
    const auto variant = std::find_if(all.begin(), all.end(), [&name](const Variant& one) { return one.name() == name; });
    if (variant != all.end()) {
        test::writeTorchCheckpoint(folder / "source.pth", plainCheckpoint(*variant));
        return {folder / "source.pth", "moe_attention"};
    }
    const auto fixture = Fixture::read(std::filesystem::path(HEADSCOPE_TEST_DATA) / "fixtures" / name);
    return {fixture.checkpoint, fixture.family};
}

} // namespace

KeySubject::KeySubject(const std::string& name)
{
    const auto [path, family] = sourceOf(name, m_folder);
    m_source = core::openCheckpoint(path);
    m_parameterFile =
        m_source.parameterSources.front().author == core::ParameterSource::Author::User ? "headscope.json" : "args.json";
    m_parameters = m_source.hyperParameters;
    const auto tables = core::parameterTables();
    m_table = *std::find_if(tables.begin(), tables.end(),
                            [&family = family](const auto* table) { return table->family == family; });
    if (m_parameters.contains("lm.unroll"))
        m_parameters["lm.unroll"] = segment;
    writeWeights(none, {});
    write(m_parameters);
}

void KeySubject::write(const nlohmann::json& parameters) const
{
    test::writeFile(m_folder / m_parameterFile, parameters.dump());
}

void KeySubject::writeWithShape(std::size_t tensor, const std::vector<std::int64_t>& shape) const
{
    writeWeights(tensor, shape);
}

void KeySubject::writeWeights(std::size_t changed, const std::vector<std::int64_t>& shape) const
{
    test::TorchCheckpoint file;
    file.layout = test::TorchLayout::StateDict;
    for (std::size_t i = 0; i < m_source.tensors.size(); ++i) {
        const auto& tensor = m_source.tensors[i];
        const auto values = tensor.readFloats();
        test::TorchTensor written{.name = tensor.name, .shape = tensor.shape, .values = {values.begin(), values.end()}};
        if (i == changed) {
            written.shape = shape;
            const auto count = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
            written.values.resize(static_cast<std::size_t>(count), 0.25);
        }
        const auto tied = std::find_if(m_source.tensors.begin(), m_source.tensors.begin() + static_cast<std::ptrdiff_t>(i),
                                       [&tensor](const auto& other) { return other.sharesStorageWith(tensor); });
        if (changed == none && tied != m_source.tensors.begin() + static_cast<std::ptrdiff_t>(i)) {
            written.values.clear();
            written.storageOf = tied->name;
        }
        file.tensors.push_back(std::move(written));
    }
    test::writeTorchCheckpoint(checkpoint(), file);
}

KeySubject::Outcome KeySubject::open(Depth depth) const
{
    Outcome outcome;
    core::OpenOptions options;
    options.device = "cpu";
    options.purpose = depth == Depth::Traced ? core::OpenFor::Running : core::OpenFor::Describing;
    try {
        const auto model = core::openModel(checkpoint(), options);
        outcome.notes = model->info()->notes;
        outcome.settings = model->info()->settings;
        outcome.textPolicy =
            std::string(core::toString(model->info()->textPolicy.split)) + "|" + model->info()->textPolicy.documentSeparator;
        if (depth == Depth::Traced) {
            std::vector<core::TokenId> ids;
            for (std::int64_t i = 0; i < tokens; ++i)
                ids.push_back(static_cast<core::TokenId>((i * 7919 + i * i + 13) % model->info()->vocabulary));
            outcome.logits = model->trace(model->tokensFromIds(ids), {.logits = true})->logits;
        }
    } catch (const core::Error& error) {
        outcome.refusal = error.what();
    }
    return outcome;
}

core::Arguments KeySubject::arguments() const
{
    return {core::openCheckpoint(checkpoint()), *m_table};
}

std::vector<std::string> openableFixtures()
{
    std::vector<std::string> names;
    for (const auto& folder : fixtureFolders())
        if (folder.parent_path().filename() == "fixtures")
            names.push_back(folder.filename().string());
    return names;
}

std::vector<std::string> variantNames()
{
    std::vector<std::string> names;
    for (const auto& variant : variants())
        names.push_back(variant.name());
    return names;
}

} // namespace headscope::tests
