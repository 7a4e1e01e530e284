// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/window/fake_model.h"

#include "core/tokenizer/tokenizer.h"
#include "core/trace/trace_cost.h"
#include "tests/widgets/sample_trace.h"

#include <chrono>
#include <thread>

namespace headscope::samples {

using namespace std::chrono_literals;

namespace {

using TraceMaker = std::shared_ptr<const core::Trace> (*)(std::string_view, Maps);

/// The stand-in of the samples, as a tokenizer.
class SampleTokenizer : public core::Tokenizer
{
public:
    core::TokenizedText encode(std::string_view text, const core::TextPolicy&, const core::Progress& progress) const override
    {
        progress.checkpoint();
        return tokenize(text);
    }
    std::int64_t size() const override { return std::int64_t{1} << 24; }
    std::string piece(core::TokenId id) const override { return std::to_string(id); }
    bool isSpecial(core::TokenId) const override { return false; }
    std::string description() const override { return "stand-in"; }
    std::filesystem::path path() const override { return {}; }
};

class FakeModel : public core::Model
{
public:
    FakeModel(std::shared_ptr<const core::ModelInfo> info, std::shared_ptr<const core::Tokenizer> tokenizer, TraceMaker make,
              std::shared_ptr<FakeControl> control)
        : Model(std::move(info), std::move(tokenizer)), m_make(make), m_control(std::move(control))
    {
        ++m_control->alive;
    }
    ~FakeModel() override { --m_control->alive; }

    std::shared_ptr<const core::Trace> trace(std::vector<core::Stream> streams, const core::TraceOptions& options,
                                             const core::Progress& progress) const override
    {
        ++m_control->begun;
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(m_control->millisecondsEach);
        while (m_control->held || std::chrono::steady_clock::now() < end) {
            if (progress.stop.stop_requested()) {
                ++m_control->cancelled;
                throw core::Cancelled();
            }
            progress.at(0.5, "tracing");
            std::this_thread::sleep_for(1ms);
        }
        const core::TokenizedText& text = streams.at(0).text;
        if (text.text.find("unreadable") != std::string::npos)
            throw core::Error("The word at byte 0 cannot be read: write another one.");
        const Maps maps = options.maps && text.tokens.size() < 500 ? Maps::Kept : Maps::Left; // the samples' maps take tokens² to make
        auto made = std::make_shared<core::Trace>(*m_make(text.text, maps));
        made->model = info();
        made->options = options;
        made->options.prefix.reset();
        return made;
    }

private:
    TraceMaker m_make;
    std::shared_ptr<FakeControl> m_control;
};

void requireParameters(const std::filesystem::path& path, const core::OpenOptions& options)
{
    if (options.parameters.empty())
        throw core::MissingParameters(path.string() + ": the tensors do not tell n_heads, moe_k, position_encoding, n_layers.",
                                      {{"n_heads", "the attention heads: 1, 2, 4", {"1", "2", "4"}},
                                       {"moe_k", "the experts a token chooses, from 1 to the experts per head", {}, 1, 8},
                                       {"position_encoding", "\"rope\"", {"rope"}},
                                       {"n_layers", "a multiple of the 3 layer modules", {}, 3, 4096, 3}});
    for (const auto& [key, value] : options.parameters)
        if (key == "n_heads" && value == "4")
            throw core::Error(path.string() + ": 4 heads do not divide the rows.");
}

std::shared_ptr<const core::Model> open(const std::filesystem::path& path, const core::OpenOptions& options,
                                        const core::Progress& progress, const std::shared_ptr<FakeControl>& control)
{
    progress.at(0.25, "reading the weights");
    while (control->holdOpening) {
        progress.checkpoint();
        std::this_thread::sleep_for(1ms);
    }
    const std::string name = path.filename().string();
    if (name.starts_with("bare"))
        requireParameters(path, options);
    const TraceMaker make = name.starts_with("bare")        ? switchHead
                            : name.starts_with("switchhead")  ? switchHead
                            : name.starts_with("moa")       ? moa
                            : name.starts_with("dense")     ? dense
                            : name.starts_with("switchall") ? switchAll
                                                            : nullptr;
    if (!make || path.extension() != ".fake")
        throw core::Error(path.string() + ": this is no checkpoint; open the file that training saved.");
    auto info = std::make_shared<core::ModelInfo>(*make("", Maps::Kept)->model);
    info->path = path.string();
    info->device = "cpu";
    if (name.find("-slow.") != std::string::npos) {
        info->layerProducts = static_cast<std::int64_t>(core::assumedSpeed("cpu") / 4);
        for (core::MapGroup& group : info->maps) {
            group.keyHeads = group.maps;
            group.width = group.valueWidth = 2048;
        }
    }
    const bool idsOnly = name.find("-ids.") != std::string::npos && options.tokenizer.empty();
    return std::make_shared<FakeModel>(std::move(info), idsOnly ? nullptr : std::make_shared<SampleTokenizer>(), make,
                                       control);
}

} // namespace

app::ModelOpener fakeOpener(std::shared_ptr<FakeControl> control)
{
    return [control = std::move(control)](const std::filesystem::path& path, const core::OpenOptions& options,
                                          const core::Progress& progress) { return open(path, options, progress, control); };
}

} // namespace headscope::samples
