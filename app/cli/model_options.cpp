// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/model_options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>

namespace headscope::app {

void MemoryOptions::add(CLI::App& app, const std::string& suffix)
{
    app.add_option("--memory-blocks" + suffix, blocks,
                   "segments of memory that a token sees, instead of those of the run's own evaluation")
        ->check(CLI::Validator(CLI::NonNegativeNumber).description(""))
        ->type_name("N");
    app.add_option("--segment" + suffix, segment, "tokens of a segment, instead of those of the run's own evaluation")
        ->check(CLI::Validator(CLI::PositiveNumber).description(""))
        ->type_name("N");
}

void ModelOptions::add(CLI::App& app, const std::string& positional, const std::string& suffix)
{
    app.add_option(positional, m_model, "the checkpoint, a file or a folder")->required()->type_name("");
    app.add_option("--family" + suffix, m_family, "its family, where the files alone do not tell")->type_name("NAME");
    app.add_option("--tokenizer" + suffix, m_tokenizer, "its tokenizer, where it does not lie beside it")->type_name("FILE");
    app.add_option("--text-policy" + suffix, m_textPolicy, "how a text is cut before it is encoded, against the family's convention")
        ->check(CLI::IsMember({"whole", "lines"}).description(""))
        ->type_name("whole|lines");
    app.add_option("--document-separator" + suffix, m_documentSeparator, "what stands behind every document of a corpus, against the family's convention")
        ->type_name("TEXT");
    app.add_option("--sidecar" + suffix, m_sidecar, "JSON file with hyper-parameters, in the place of a headscope.json beside it")->type_name("FILE");
    app.add_option("--weights" + suffix, m_weights, "which weights, where the file holds several sets (model, ema)")->type_name("NAME");
}

void ModelOptions::addCompute(CLI::App& app)
{
    m_device = "auto";
    app.add_option("--device", m_device, "where to compute")->type_name("auto|cpu|cuda[:N]");
    app.add_option("--dtype", m_dtype, "number type to compute in")
        ->check(CLI::IsMember({"float32", "bfloat16"}).description(""))
        ->type_name("float32|bfloat16");
    m_memory.add(app);
}

void ModelOptions::computeAs(const ModelOptions& other)
{
    m_device = other.m_device;
    m_dtype = other.m_dtype;
    m_memory = other.m_memory;
}

void ModelOptions::takeTokenizer(const std::string& file)
{
    if (m_tokenizer.empty())
        m_tokenizer = file;
}

std::shared_ptr<const core::Model> ModelOptions::open(core::OpenFor purpose, const OutputGuard& outputs,
                                                      const core::Progress& progress,
                                                      const std::filesystem::path& path) const
{
    auto model = core::openModel(path.empty() ? std::filesystem::path(m_model) : path, openOptions(purpose), progress);
    outputs.check();
    return model;
}

std::string ModelOptions::fingerprint(const core::Progress& progress) const
{
    return core::modelFingerprint(m_model, openOptions(core::OpenFor::Describing), progress);
}

core::OpenOptions ModelOptions::openOptions(core::OpenFor purpose) const
{
    core::OpenOptions options;
    options.purpose = purpose;
    options.device = m_device;
    options.dtype = m_dtype == "bfloat16" ? core::ComputeType::BFloat16 : core::ComputeType::Float32;
    options.family = m_family;
    options.tokenizer = m_tokenizer;
    options.sidecar = m_sidecar;
    options.weights = m_weights;
    if (!m_textPolicy.empty())
        options.textSplit = core::textSplitFromString(m_textPolicy);
    options.documentSeparator = m_documentSeparator;
    const MemoryOptions memory = m_ownMemory.over(m_memory);
    options.memoryBlocks = memory.blocks;
    options.segment = memory.segment;
    return options;
}

} // namespace headscope::app
