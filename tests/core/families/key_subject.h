// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/checkpoint.h"
#include "core/families/arguments.h"
#include "core/families/model.h"
#include "tests/core/checkpoint/test_files.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::tests {

/// A fixture of tests/data, or a generated variant, whose weights and hyper-parameters are written apart, so that either can
/// be changed.
class KeySubject
{
public:
    /// A fixture, or a generated variant, by its name.
    explicit KeySubject(const std::string& name);

    /// "args.json" of a training code, "headscope.json" of a package.
    const std::string& parameterFile() const { return m_parameterFile; }
    const nlohmann::json& parameters() const { return m_parameters; }
    const core::ParameterTable& table() const { return *m_table; }
    const test::TemporaryFolder& folder() const { return m_folder; }
    std::filesystem::path checkpoint() const { return m_folder / "model.pth"; }

    void write(const nlohmann::json& parameters) const;
    /// The same file with one tensor of another shape.
    void writeWithShape(std::size_t tensor, const std::vector<std::int64_t>& shape) const;
    std::size_t tensors() const { return m_source.tensors.size(); }
    const core::TensorView& tensor(std::size_t index) const { return m_source.tensors[index]; }

    struct Outcome {
        std::string refusal; // empty: it opened
        std::vector<std::string> notes;
        std::vector<core::Setting> settings;
        std::string textPolicy;
        std::vector<float> logits;
    };
    enum class Depth : std::uint8_t { Described, Traced };
    Outcome open(Depth depth = Depth::Traced) const;
    core::Arguments arguments() const;

private:
    void writeWeights(std::size_t changed, const std::vector<std::int64_t>& shape) const;

    test::TemporaryFolder m_folder;
    core::Checkpoint m_source;
    std::string m_parameterFile;
    nlohmann::json m_parameters;
    const core::ParameterTable* m_table = nullptr;
};

/// The fixtures that can be opened, by name.
std::vector<std::string> openableFixtures();
/// Those of variants.h.
std::vector<std::string> variantNames();

} // namespace headscope::tests
