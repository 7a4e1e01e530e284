// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/argument_parser.h"
#include "app/cli/info_text.h"
#include "app/cli/model_options.h"
#include "app/cli/progress_line.h"
#include "core/export/info_json.h"

namespace headscope::app {

void runInfo(const Arguments& arguments, const CommandContext& context)
{
    ArgumentParser parser(context, "info", "What a checkpoint is.");
    ModelOptions model;
    bool json = false;
    model.add(parser.app());
    parser.app().add_flag("--json", json, "as JSON (docs/command-line.md)");
    if (parser.parse(arguments) == ArgumentParser::Outcome::HelpPrinted)
        return;

    ProgressLine line(context);
    const auto opened = core::openModel(model.model(), model.openOptions(core::OpenFor::Describing), line.progress());
    line.wipe();
    const core::ModelInfo& info = *opened->info();
    if (json)
        core::writeInfoJson(context.out, info, opened->tokenizer().get());
    else
        printInfo(context.out, info);
    printNotes(context, info.notes);
}

} // namespace headscope::app
