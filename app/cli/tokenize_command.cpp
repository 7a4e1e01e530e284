// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/argument_parser.h"
#include "app/cli/model_options.h"
#include "app/cli/printable.h"
#include "app/cli/progress_line.h"
#include "app/cli/table.h"
#include "app/cli/text_options.h"
#include "core/export/tokens_json.h"

#include <fmt/format.h>

#include <ostream>

namespace headscope::app {

namespace {

void printJson(std::ostream& out, const core::TokenizedText& text, const core::Model& model)
{
    core::JsonWriter json(out);
    json.beginObject();
    core::writeTokenMembers(json, text);
    json.key("tokenizer");
    core::writeTokenizer(json, model.tokenizer().get());
    json.key("textPolicy");
    core::writeTextPolicy(json, model.info()->textPolicy);
    json.endObject();
}

void printTable(std::ostream& out, const core::TokenizedText& text)
{
    using Align = Table::Align;
    Table table({{"#", Align::Right}, {"id", Align::Right}, {"bytes", Align::Right}, {"piece"}, {""}});
    for (std::size_t i = 0; i < text.tokens.size(); ++i) {
        const core::Token& token = text.tokens[i];
        table.add({std::to_string(i), std::to_string(token.id), fmt::format("{}–{}", token.span.begin, token.span.end),
                   printable(token.piece), token.special ? "special" : ""});
    }
    table.print(out);
}

} // namespace

void runTokenize(const Arguments& arguments, const CommandContext& context)
{
    ArgumentParser parser(context, "tokenize", "A text as the checkpoint's tokenizer cuts it.");
    ModelOptions model;
    TextOptions text;
    bool json = false;
    model.add(parser.app());
    text.add(parser.app(), TextOptions::Role::Text, TextOptions::Ids::Refused);
    parser.app().add_flag("--json", json, "as JSON (docs/command-line.md)");
    if (parser.parse(arguments) == ArgumentParser::Outcome::HelpPrinted)
        return;
    text.requireOne();

    ProgressLine line(context);
    const auto opened = core::openModel(model.model(), model.openOptions(core::OpenFor::Describing), line.progress());
    const core::TokenizedText tokens = text.read(*opened, context, line.progress());
    line.wipe();
    if (json)
        printJson(context.out, tokens, *opened);
    else
        printTable(context.out, tokens);
}

} // namespace headscope::app
