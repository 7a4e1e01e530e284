// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/argument_parser.h"
#include "app/cli/command_line.h"
#include "app/cli/model_options.h"
#include "app/cli/output_guard.h"
#include "app/cli/printable.h"
#include "app/cli/progress_line.h"
#include "app/cli/table.h"
#include "app/cli/table_output.h"
#include "app/cli/text_options.h"
#include "core/checkpoint/files_in_use.h"
#include "core/checkpoint/series_folder.h"
#include "core/compare/series.h"
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
    TableOutput out;
    model.add(parser.app(), "FOLDER");
    parser.app().get_option("FOLDER")->description("the folder with the checkpoints: model-400.pth, model-800.pth, …");
    text.add(parser.app(), TextOptions::Role::Text, TextOptions::Ids::Refused);
    model.addCompute(parser.app());
    out.add(parser.app(), "write every router: .csv, .tsv, .json, .md or .tex");
    parser.app().footer("Without --out it prints the means over all routers.");
    if (parser.parse(arguments) == ArgumentParser::Outcome::HelpPrinted)
        return;
    text.requireOne();
    out.check(parser.app());
    const OutputGuard outputs({{"--out", out.path()}});

    const auto files = core::findSeries(model.model());
    std::vector<core::SeriesMember> members;
    for (const core::SeriesFile& file : files) {
        core::noteRead(file.path);
        members.push_back({file.step, file.path.filename().string()});
    }
    outputs.check();
    ProgressLine line(context);
    const auto open = [&](std::size_t member, const core::Progress& progress) {
        return model.open(core::OpenFor::Running, outputs, progress, files[member].path);
    };
    const auto steps = core::runSeries(members, text.bytes(context), open, {.arrived = {}, .progress = line.progress()});
    const core::Series series = core::compareSteps(steps);
    line.wipe();
    if (!out.given())
        return printSeries(context, series);
    out.write([&](std::ostream& to, core::TableFormat format) {
        core::writeSeries(to, format, series, fmt::format("Headscope {}", version()));
    });
}

} // namespace headscope::app
