// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/argument_parser.h"
#include "app/cli/command_line.h"
#include "app/cli/model_options.h"
#include "app/cli/output_file.h"
#include "app/cli/printable.h"
#include "app/cli/progress_line.h"
#include "app/cli/table.h"
#include "app/cli/text_options.h"
#include "core/checkpoint/series_folder.h"
#include "core/compare/series.h"
#include "core/export/atomic_stream.h"
#include "core/export/series_export.h"
#include "core/families/model.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

namespace headscope::app {

namespace {

std::string number(double value)
{
    return std::isnan(value) ? std::string("–") : fmt::format("{:.3f}", value);
}

void printSeries(const CommandContext& context, const core::Series& series)
{
    using Align = Table::Align;
    Table table({{"step", Align::Right},
                 {"saturation", Align::Right},
                 {"chance", Align::Right},
                 {"next", Align::Right},
                 {"load entropy", Align::Right},
                 {"bits per byte", Align::Right}});
    for (std::size_t i = 0; i < series.members.size(); ++i)
        table.add({std::to_string(series.members[i].step), number(series.saturation[i]), number(series.chance[i]),
                   number(series.next[i]), number(series.entropy[i]), number(series.bitsPerByte[i])});
    context.out << fmt::format("Means over {} routers; saturation: share of the choices that the last step makes too\n",
                               series.routers.size());
    table.print(context.out);
}

} // namespace

void runSeries(const Arguments& arguments, const CommandContext& context)
{
    ArgumentParser parser(context, "series", "The checkpoints of one run on the same text.");
    ModelOptions model;
    TextOptions text;
    std::string out;
    model.add(parser.app(), "FOLDER");
    parser.app().get_option("FOLDER")->description("the folder with the checkpoints: model-400.pth, model-800.pth, …");
    text.add(parser.app(), TextOptions::Role::Text, TextOptions::Ids::Refused);
    model.addCompute(parser.app());
    parser.app().add_option("--out", out, "write every router: .csv, .tsv, .json, .md or .tex")->type_name("FILE");
    parser.app().footer("Without --out it prints the means over all routers.");
    if (parser.parse(arguments) == ArgumentParser::Outcome::HelpPrinted)
        return;
    text.requireOne();
    const auto format = core::tableFormat(std::filesystem::path(out).extension().string());
    if (parser.app().count("--out") > 0 && !format)
        throw UsageError(
            fmt::format("--out needs a name that ends in .csv, .tsv, .json, .md or .tex; {} does not.", printable(out)));
    if (!out.empty())
        requireWritable(out, model.model());

    const auto files = core::findSeries(model.model());
    std::vector<core::SeriesMember> members;
    for (const core::SeriesFile& file : files) {
        if (!out.empty())
            requireWritable(out, file.path);
        members.push_back({file.step, file.path.filename().string()});
    }
    const core::OpenOptions options = model.openOptions(core::OpenFor::Running);
    ProgressLine line(context);
    const auto open = [&](std::size_t member, const core::Progress& progress) {
        return core::openModel(files[member].path, options, progress);
    };
    const auto steps = core::runSeries(members, text.bytes(context), open, {.arrived = {}, .progress = line.progress()});
    const core::Series series = core::compareSteps(steps);
    line.wipe();
    if (out.empty())
        return printSeries(context, series);
    core::AtomicStream file(out);
    core::writeSeries(file.stream(), *format, series, fmt::format("Headscope {}", version()));
    file.commit();
}

} // namespace headscope::app
