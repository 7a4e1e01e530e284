// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/address_glob.h"
#include "app/cli/argument_parser.h"
#include "app/cli/command_line.h"
#include "app/cli/contexts_table.h"
#include "app/cli/corpus_options.h"
#include "app/cli/model_options.h"
#include "app/cli/output_file.h"
#include "app/cli/printable.h"
#include "app/cli/progress_line.h"
#include "core/checkpoint/checkpoint.h"
#include "core/corpus/find_contexts.h"
#include "core/export/atomic_stream.h"
#include "core/tokenizer/displayed.h"
#include "core/tokenizer/fold_case.h"

#include <CLI/Validators.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace headscope::app {

namespace {

struct ContextsLine {
    ModelOptions model;
    CorpusOptions corpus;
    std::string router;
    std::string token;
    core::TokenId id = -1;
    std::string word;
    int expert = -1;
    std::int64_t limit = 20;
    std::string windows = "400";
    bool foldCase = false;
    std::string note;
    std::string out;

    void add(CLI::App& app);
    void check(const CLI::App& app) const;
    std::optional<std::size_t> windowsRun() const;
    core::ContextSettings settings(const core::Model& model, const CommandContext& context) const;
    core::ContextsExport written(const core::ContextSettings& settings) const;
};

CLI::Validator notNegative()
{
    return CLI::Validator(CLI::NonNegativeNumber).description("");
}

void ContextsLine::add(CLI::App& app)
{
    model.add(app);
    corpus.addReading(app, CorpusOptions::Corpus::Required);
    model.addCompute(app);
    app.add_option("--router", router, "whose decisions are shown; a pattern of several adds them up")
        ->required()
        ->type_name("ADDRESS");
    auto* const tokenOption =
        app.add_option("--token", token, "the token as the vocabulary spells it (a space may stand for ▁)")
            ->type_name("PIECE");
    auto* const idOption = app.add_option("--id", id, "the token by its id")->check(notNegative())->type_name("N");
    app.add_option("--word", word, "a word of the text; each of its tokens is a position")
        ->excludes(tokenOption)
        ->excludes(idOption)
        ->type_name("WORD");
    tokenOption->excludes(idOption);
    app.add_option("--expert", expert, "where it was chosen, and counter-examples; without it all occurrences together")
        ->check(notNegative())
        ->type_name("E");
    app.add_option("--limit", limit, "contexts that are kept, and as many counter-examples")
        ->check(notNegative())
        ->type_name("N");
    app.add_option("--windows", windows, "run so many of the windows that hold the token, spread evenly over the corpus")
        ->type_name("N|all");
    app.add_flag("--fold-case", foldCase, "upper and lower case are one");
    app.add_option("--note", note, "a word about the corpus, as \"held out\", for the exported file")->type_name("TEXT");
    app.add_option("--out", out, "write a file: .csv, .tsv, .json, .md or .tex")->type_name("FILE");
    app.footer(
        "Without --out it prints the keyword in the middle of its context, a line each. docs/specialisation.md says more.");
}

std::optional<std::size_t> ContextsLine::windowsRun() const
{
    if (windows == "all")
        return std::nullopt;
    std::size_t number = 0;
    const auto [end, problem] = std::from_chars(windows.data(), windows.data() + windows.size(), number);
    if (problem != std::errc() || end != windows.data() + windows.size() || number == 0 || number > core::mostWindowsKept)
        throw UsageError(fmt::format("--windows takes a number from 1 to {}, or all; {} is none of them.",
                                     core::mostWindowsKept, printable(windows)));
    return number;
}

void ContextsLine::check(const CLI::App& app) const
{
    if (app.count("--token") + app.count("--id") + app.count("--word") == 0)
        throw UsageError("Give what is to be found: --token PIECE, --id N or --word WORD.");
    if (app.count("--out") > 0 && !core::tableFormat(std::filesystem::path(out).extension().string()))
        throw UsageError(
            fmt::format("--out needs a name that ends in .csv, .tsv, .json, .md or .tex; {} does not.", printable(out)));
    windowsRun();
}

/// As it is spelled, as it is displayed, or with a space for the mark of a word's beginning.
bool spells(const std::string& given, const std::string& piece)
{
    return given == piece || core::displayed(given) == core::displayed(piece);
}

std::vector<core::TokenId> idsOf(const core::Tokenizer& tokenizer, const std::string& given)
{
    std::vector<core::TokenId> ids;
    for (core::TokenId id = 0; id < tokenizer.size(); ++id)
        if (const std::string piece = tokenizer.piece(id); piece == given)
            return {id};
        else if (spells(given, piece))
            ids.push_back(id);
    if (ids.empty())
        throw core::Error(fmt::format("There is no token {} in {}; `headscope tokenize` shows how a text is cut.",
                                      printable(given), tokenizer.path().string()));
    return ids;
}

std::vector<core::TokenId> withOtherCase(const core::Tokenizer& tokenizer, const std::vector<core::TokenId>& ids)
{
    std::vector<core::TokenId> all;
    std::vector<std::string> folded;
    for (const core::TokenId id : ids)
        folded.push_back(core::foldCase(tokenizer.piece(id)));
    for (core::TokenId id = 0; id < tokenizer.size(); ++id)
        if (std::ranges::find(folded, core::foldCase(tokenizer.piece(id))) != folded.end())
            all.push_back(id);
    return all;
}

core::ContextSettings ContextsLine::settings(const core::Model& opened, const CommandContext& context) const
{
    const core::CountSettings reading = corpus.settings(*opened.info(), context);
    core::ContextSettings what;
    what.corpus = reading.corpus;
    what.documents = reading.documents;
    what.window = reading.window;
    what.skipFirst = reading.skipFirst;
    what.threads = reading.threads;
    what.batch = reading.batch;
    what.routers = selectRouters(*opened.info(), {router});
    if (expert >= 0)
        what.expert = expert;
    what.limit = static_cast<std::size_t>(limit);
    what.windows = windowsRun();
    what.foldCase = foldCase;
    if (!word.empty()) {
        what.words = {word};
        return what;
    }
    const auto& tokenizer = opened.tokenizer();
    if (!tokenizer)
        throw core::Error(fmt::format("{} has no tokenizer beside it: give one with --tokenizer.", model.model()));
    what.ids = id >= 0 ? std::vector{id} : idsOf(*tokenizer, token);
    if (foldCase && what.ids.front() < tokenizer->size())
        what.ids = withOtherCase(*tokenizer, what.ids);
    return what;
}

core::ContextsExport ContextsLine::written(const core::ContextSettings& settings) const
{
    core::ContextsExport what;
    what.program = fmt::format("Headscope {}", version());
    what.note = note;
    what.row = !word.empty() ? "word " + word : id >= 0 ? fmt::format("token {}", id) : "token " + token;
    if (foldCase)
        what.row += ", upper and lower case as one";
    what.routers = settings.routers.size() == 1 ? settings.routers.front().toString()
                                                : fmt::format("{} ({} routers added up)", router, settings.routers.size());
    what.expert = settings.expert;
    what.limit = settings.limit;
    return what;
}

} // namespace

void runContexts(const Arguments& arguments, const CommandContext& context)
{
    ArgumentParser parser(context, "contexts",
                          "Where a token stands in a corpus: keyword in context, sorted by an expert's gate.");
    ContextsLine line;
    line.add(parser.app());
    if (parser.parse(arguments) == ArgumentParser::Outcome::HelpPrinted)
        return;
    line.check(parser.app());
    if (!line.out.empty())
        requireWritable(line.out, line.model.model());

    makeProductsRepeatable();
    ProgressLine shown(context);
    const core::Progress progress = shown.progress();
    const auto opened = core::openModel(line.model.model(), line.model.openOptions(core::OpenFor::Running), progress);
    core::ContextSettings settings = line.settings(*opened, context);
    if (!line.out.empty())
        settings.fingerprint = core::modelFingerprint(line.model.model(), line.model.openOptions(core::OpenFor::Running), progress);
    const core::Contexts contexts = core::findContexts(*opened, settings, progress);
    shown.wipe();
    printNotes(context, opened->info()->notes);
    const core::ContextsExport what = line.written(settings);
    if (line.out.empty())
        return printContexts(context.out, contexts, what);
    core::AtomicStream file(line.out);
    core::writeContexts(file.stream(), *core::tableFormat(std::filesystem::path(line.out).extension().string()), contexts,
                        what);
    file.commit();
    context.out << fmt::format("{}: {}\n", printable(line.out), contextsSummary(contexts, settings.expert));
}

} // namespace headscope::app
