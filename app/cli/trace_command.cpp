// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/address_glob.h"
#include "app/cli/argument_parser.h"
#include "app/cli/command_line.h"
#include "app/cli/cost_text.h"
#include "app/cli/model_options.h"
#include "app/cli/output_file.h"
#include "app/cli/progress_line.h"
#include "app/cli/text_options.h"
#include "app/cli/trace_table.h"
#include "core/checkpoint/checkpoint.h"
#include "core/export/trace_json.h"
#include "core/export/trace_safetensors.h"

#include <CLI/Validators.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace headscope::app {

namespace {

constexpr std::size_t routersShown = 4;
constexpr std::int64_t worthSaying = std::int64_t{100} * 1000 * 1000; // bytes of maps

struct TraceLine {
    ModelOptions model;
    TextOptions text;
    TextOptions target;
    std::vector<std::string> attention;
    std::vector<std::string> routers;
    bool logits = false;
    int predictions = 0;
    std::string out;
    bool json = false;

    void add(CLI::App& app);
    void check(const CLI::App& app) const;
    bool exports() const { return json || !out.empty(); }
};

void TraceLine::add(CLI::App& app)
{
    model.add(app);
    text.add(app, TextOptions::Role::Text, TextOptions::Ids::Taken);
    target.add(app, TextOptions::Role::Target, TextOptions::Ids::Taken);
    model.addCompute(app);
    app.add_option("--attention", attention, "attention maps to write: all, none, or addresses as layers.0.self and layers.*.self")
        ->expected(1, -1)
        ->delimiter(',')
        ->type_name("ADDRESS");
    app.add_flag("--logits", logits, "also the output for every word of the vocabulary");
    app.add_option("--predictions", predictions, "also this many most probable next tokens")
        ->check(CLI::Validator(CLI::NonNegativeNumber).description(""))
        ->type_name("N");
    app.add_option("--router", routers, "routers to show in the table, as layers.0.self.v or layers.*.self.o.h0")
        ->expected(1, -1)
        ->delimiter(',')
        ->type_name("ADDRESS");
    app.add_option("--out", out, "write a trace file (docs/trace-file.md)")->type_name("FILE.safetensors");
    app.add_flag("--json", json, "print the trace as JSON (docs/trace-file.md)");
    app.footer("With neither --out nor --json it prints a table.");
}

void TraceLine::check(const CLI::App& app) const
{
    text.requireOne();
    target.requireAtMostOne();
    const bool toFile = app.count("--out") > 0;
    if (toFile && json)
        throw UsageError("Only one of --out and --json can be given.");
    if (toFile && out.empty())
        throw UsageError("--out needs the name of a file.");
    if (!routers.empty() && exports())
        throw UsageError("--router chooses what the table shows; --out and --json hold every router.");
    if (!exports() && (!attention.empty() || logits || predictions > 0))
        throw UsageError("The table shows no maps, logits or predictions; add --out FILE or --json.");
}

void refuseTarget(const core::ModelInfo& info)
{
    throw core::Error(fmt::format("{} is a {}, which reads one text; leave --target out, it is for models that turn one text into another.",
                                  core::modelName(info), info.variant));
}

core::TraceOptions optionsOf(const TraceLine& line, const std::vector<core::MapAddress>& maps, const core::ModelInfo& info)
{
    core::TraceOptions options;
    options.maps = !maps.empty();
    options.logits = line.logits;
    options.predictions = static_cast<int>(std::min<std::int64_t>(line.predictions, info.vocabulary));
    return options;
}

void sayMapSize(const CommandContext& context, const core::Trace& trace, const core::TraceExport& what)
{
    const std::int64_t bytes = core::attentionBytes(trace, what);
    if (bytes >= worthSaying)
        printNotes(context, {fmt::format("The attention maps of {} tokens take {:.1f} GB; --attention layers.0.self writes one layer's.",
                                         trace.tokens(), static_cast<double>(bytes) / 1e9)});
}

void printTable(const CommandContext& context, const core::Trace& trace, const std::vector<std::string>& patterns)
{
    const core::ModelInfo& info = *trace.model;
    const std::vector<core::RouterAddress> shown = patterns.empty() ? firstRouters(info, routersShown) : selectRouters(info, patterns);
    printTraceTable(context.out, trace, shown);
    if (patterns.empty() && shown.size() < info.routers.size())
        printNotes(context, {fmt::format("This is {} of {} routers; --router chooses others, --json and --out hold all.", shown.size(),
                                         info.routers.size())});
}

core::TraceExport exportOf(const TraceLine& line, const core::Model& model, std::vector<core::MapAddress> maps,
                           const core::Progress& progress)
{
    core::TraceExport what;
    what.program = fmt::format("Headscope {}", version());
    what.tokenizer = model.tokenizer();
    what.maps = std::move(maps);
    what.fingerprint = core::modelFingerprint(line.model.model(), line.model.openOptions(core::OpenFor::Running), progress);
    return what;
}

} // namespace

void runTrace(const Arguments& arguments, const CommandContext& context)
{
    ArgumentParser parser(context, "trace", "Run a text and keep what the routers decided.");
    TraceLine line;
    line.add(parser.app());
    if (parser.parse(arguments) == ArgumentParser::Outcome::HelpPrinted)
        return;
    line.check(parser.app());
    if (!line.out.empty())
        requireWritable(line.out, line.model.model());

    ProgressLine shown(context);
    const core::Progress progress = shown.progress();
    const auto model = core::openModel(line.model.model(), line.model.openOptions(core::OpenFor::Running), progress);
    if (line.target.given())
        refuseTarget(*model->info());
    std::vector<core::MapAddress> maps = selectMaps(*model->info(), line.attention);
    core::TokenizedText text = line.text.read(*model, context, progress);
    const core::TraceOptions options = optionsOf(line, maps, *model->info());
    if (const auto note = longRunNote(*model->info(), options, static_cast<std::int64_t>(text.tokens.size()))) {
        shown.wipe();
        printNotes(context, {*note});
    }
    const auto trace = model->trace(std::move(text), options, progress);
    if (!line.exports()) {
        shown.wipe();
        printTable(context, *trace, line.routers);
        return printNotes(context, model->info()->notes);
    }
    const core::TraceExport what = exportOf(line, *model, std::move(maps), progress);
    sayMapSize(context, *trace, what);
    if (line.json)
        core::writeTraceJson(context.out, *trace, what, progress);
    else
        core::writeTraceFile(line.out, *trace, what, progress);
    shown.wipe();
    printNotes(context, model->info()->notes);
}

} // namespace headscope::app
