// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/address_glob.h"
#include "app/cli/argument_parser.h"
#include "app/cli/command_line.h"
#include "app/cli/corpus_options.h"
#include "app/cli/model_options.h"
#include "app/cli/output_guard.h"
#include "app/cli/printable.h"
#include "app/cli/progress_line.h"
#include "app/cli/table.h"
#include "app/cli/table_output.h"
#include "core/corpus/counts_file.h"
#include "core/export/statistics_export.h"
#include "core/export/weights_export.h"
#include "core/families/model.h"

#include <CLI/Validators.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace headscope::app {

namespace {

constexpr std::size_t tokensShown = 5;
constexpr std::size_t tablesShown = 4;
constexpr std::size_t cellWidth = 18;

/// Options that say how to count. A file of counts knows.
constexpr std::array countingOptions{"--family",          "--tokenizer", "--text-policy", "--sidecar",    "--weights", "--device",
                                     "--dtype",           "--documents", "--window",      "--skip-first", "--tags",
                                     "--frequent-tokens", "--frequent",  "--groups",      "--threads",    "--batch",
                                     "--memory-blocks",   "--segment"};

struct SpecializeLine {
    ModelOptions model;
    CorpusOptions corpus;
    std::string counts;
    std::vector<std::string> routers;
    std::int64_t minimum = 10;
    std::int64_t minimumPair = 0;
    std::string sort = "pmi";
    std::int64_t top = 0;
    bool words = false;
    bool foldCase = false;
    std::string pool = "none";
    std::string weight = "auto";
    double alpha = 0;
    int bootstrap = core::BootstrapSettings{}.replicates;
    std::uint64_t seed = 1;
    std::string table = "pairs";
    std::string note;
    TableOutput out;

    void add(CLI::App& app);
    void check(const CLI::App& app) const;
    void checkInput(const CLI::App& app) const;
    core::StatisticsExport settings(const core::Counts& counts) const;
};

CLI::Validator quiet(const CLI::Validator& validator)
{
    return CLI::Validator(validator).description("");
}

void SpecializeLine::add(CLI::App& app)
{
    model.add(app);
    app.get_option("MODEL")->required(false);
    corpus.add(app, CorpusOptions::Corpus::Optional);
    app.get_option("--words")->description("words instead of pieces of the vocabulary");
    model.addCompute(app);
    app.add_option("--counts", counts, "instead of MODEL and CORPUS: counts, as `count` writes them")->type_name("FILE");
    app.add_option("--router", routers, "routers, as layers.0.self.v or layers.*.self.o.h0")
        ->expected(1, -1)
        ->delimiter(',')
        ->type_name("ADDRESS");
    app.add_option("--min-count", minimum, "leave out tokens that occur less often")
        ->check(quiet(CLI::NonNegativeNumber))
        ->type_name("N");
    app.add_option("--min-pair-count", minimumPair, "leave out pairs that occur less often")
        ->check(quiet(CLI::NonNegativeNumber))
        ->type_name("N");
    app.add_option("--sort", sort, "column that orders the tokens of an expert, as pmi, npmi, n_te, g2, q")
        ->type_name("COLUMN");
    app.add_option("--top", top, "only this many tokens of each expert; 0 is all (ten in .md, .tex and of experts)")
        ->check(quiet(CLI::NonNegativeNumber))
        ->type_name("N");
    app.add_flag("--fold-case", foldCase, "upper and lower case are one");
    app.add_option("--pool", pool, "add routers up: heads of a site, repeats of the same weights, or layers")
        ->check(quiet(CLI::IsMember({"none", "heads", "repeats", "layers"})))
        ->type_name("none|heads|repeats|layers");
    app.add_option("--weight", weight, "count every choice 1, or with its gate; auto: gates where every expert is chosen")
        ->check(quiet(CLI::IsMember({"auto", "selections", "gates"})))
        ->type_name("auto|selections|gates");
    app.add_option("--alpha", alpha, "added to every pair before probabilities are formed")
        ->check(quiet(CLI::Range(0.0, 1e9)))
        ->type_name("X");
    app.add_option("--bootstrap", bootstrap, "0 leaves the intervals of PMI out; they are computed and not drawn, so that any other number is the same")
        ->check(quiet(CLI::Range(0, 100'000)))
        ->type_name("N");
    app.add_option("--seed", seed, "of these draws")->type_name("N");
    app.add_option("--table", table, "what the rows are; likes and alike read weights alone: MODEL without CORPUS")
        ->check(quiet(CLI::IsMember({"pairs", "experts", "routers", "tags", "together", "likes", "alike"})))
        ->type_name("pairs|experts|routers|tags|together|likes|alike");
    app.add_option("--note", note, "a word about the corpus, as \"held out\", for the exported file")->type_name("TEXT");
    out.add(app, "write a file: .csv, .tsv, .json, .md or .tex");
    app.footer("MODEL CORPUS… counts anew each time; `count` keeps the counts. Without --out it prints the first tables "
               "with few tokens. docs/routing.md says what the numbers mean.");
}

void SpecializeLine::checkInput(const CLI::App& app) const
{
    if (core::weightsTable(table)) {
        if (model.model().empty() || corpus.given() || !counts.empty())
            throw UsageError(
                fmt::format("--table {} reads weights alone: give MODEL, and neither CORPUS nor --counts.", table));
        return;
    }
    if (counts.empty()) {
        if (model.model().empty() || !corpus.given())
            throw UsageError("Give a checkpoint and a corpus, or counts with --counts.");
        return;
    }
    if (!model.model().empty())
        throw UsageError("--counts stands in the place of MODEL and CORPUS; give one or the other.");
    for (const char* option : countingOptions) {
        if (app.count(option) > 0)
            throw UsageError(
                fmt::format("{} says how to count, and --counts holds what was counted; count again with it.", option));
    }
}

void SpecializeLine::check(const CLI::App& app) const
{
    checkInput(app);
    if (!core::pairColumn(sort)) {
        std::string names;
        for (int column = 0; column < core::pairColumns; ++column)
            names += fmt::format("{}{}", column == 0 ? "" : ", ", core::info(static_cast<core::PairColumn>(column)).name);
        throw UsageError(fmt::format("--sort takes one of {}; {} is none of them.", names, printable(sort)));
    }
    out.check(app);
    if (!out.given() && table != "pairs")
        throw UsageError("--table needs --out; without it tables of top tokens are printed.");
}

core::StatisticsExport SpecializeLine::settings(const core::Counts& of) const
{
    core::StatisticsExport what;
    what.program = fmt::format("Headscope {}", version());
    what.note = note;
    what.unit = words ? core::RowUnit::Words : core::RowUnit::Pieces;
    what.letters = foldCase ? core::LetterCase::Folded : core::LetterCase::Kept;
    for (const core::Pooling pooling : {core::Pooling::Heads, core::Pooling::Repeats, core::Pooling::Layers}) {
        if (pool == core::toString(pooling))
            what.pooling = pooling;
    }
    if (weight != "auto")
        what.pairs.weighting = weight == "gates" ? core::Weighting::Gates : core::Weighting::Selections;
    what.pairs.minimum = minimum;
    what.pairs.minimumPair = minimumPair;
    what.pairs.alpha = alpha;
    what.pairs.bootstrap.replicates = bootstrap;
    what.pairs.bootstrap.seed = seed;
    what.sort = *core::pairColumn(sort);
    what.top = static_cast<std::size_t>(top);
    std::vector<core::RouterAddress> addresses;
    for (const core::RouterCounts& router : of.routers)
        addresses.push_back(router.router.address);
    const std::vector<core::RouterAddress> chosen = routers.empty() ? addresses : selectRouters(addresses, routers);
    for (std::size_t i = 0; i < addresses.size(); ++i) {
        if (std::find(chosen.begin(), chosen.end(), addresses[i]) != chosen.end())
            what.routers.push_back(i);
    }
    return what;
}

/// A column for every expert, on a terminal.
void printTable(const CommandContext& context, const core::RouterTable& table, const core::StatisticsExport& what,
                const core::Progress& progress)
{
    const core::PairTable statistics = core::pairStatistics(table, what.pairs, progress);
    const auto lists = core::topLists(table, statistics, what.sort, what.top);
    std::vector<Table::Column> titles;
    std::size_t rows = 0;
    for (std::size_t e = 0; e < lists.size(); ++e) {
        const double share =
            static_cast<double>(table.selections[e]) / (static_cast<double>(table.positions) * table.chosen);
        titles.push_back({table.positions > 0 ? fmt::format("{} ({:.0f} %)", e, 100 * share) : fmt::format("{}", e)});
        rows = std::max(rows, lists[e].size());
    }
    Table shown(std::move(titles));
    for (std::size_t row = 0; row < rows; ++row) {
        std::vector<std::string> cells;
        for (const auto& list : lists) {
            if (row >= list.size()) {
                cells.emplace_back();
                continue;
            }
            const double number = core::value(table, list[row], what.sort);
            cells.push_back(shortened(printable((*table.rows)[list[row].row].text), cellWidth) +
                            (std::isnan(number) ? std::string() : fmt::format(" {:.3g}", number)));
        }
        shown.add(std::move(cells));
    }
    context.out << fmt::format("{}: {} of {} experts, {} positions; expert (load), tokens with {}\n", table.router,
                               table.chosen, table.experts, table.positions, core::info(what.sort).name);
    shown.print(context.out, "  ");
    context.out << '\n';
}

void printTables(const CommandContext& context, const core::Counts& counts, core::StatisticsExport what, bool routersGiven,
                 bool topGiven, ProgressLine& line)
{
    if (!topGiven)
        what.top = tokensShown;
    const std::size_t all = core::tablePlans(counts, what.routers, what.pooling).size();
    if (!routersGiven && what.pooling == core::Pooling::None && what.routers.size() > tablesShown)
        what.routers.resize(tablesShown);
    if (what.sort != core::PairColumn::PmiLow && what.sort != core::PairColumn::PmiHigh)
        what.pairs.bootstrap.replicates = 0;
    std::size_t printed = 0;
    core::forEachTable(counts, what, line.progress(), [&](const core::RouterTable& table, const core::TablePlan&) {
        line.wipe();
        printTable(context, table, what, {{}, context.stop, context.asked});
        ++printed;
    });
    if (printed < all)
        printNotes(context,
                   {fmt::format("These are {} of {} routers; --router chooses others, --out writes all.", printed, all)});
}

} // namespace

namespace {

/// What needs no corpus.
void writeFromWeights(const SpecializeLine& line, const OutputGuard& outputs, const CommandContext& context,
                      const core::Progress& progress)
{
    const auto model = line.model.open(core::OpenFor::Running, outputs, progress);
    core::WeightsExport what;
    what.program = fmt::format("Headscope {}", version());
    what.fingerprint = line.model.fingerprint(progress);
    what.top = static_cast<std::size_t>(line.top);
    what.routers = selectRouters(*model->info(), line.routers.empty() ? std::vector<std::string>{"all"} : line.routers);
    line.out.write([&](std::ostream& out, core::TableFormat format) {
        core::writeWeights(out, format, *core::weightsTable(line.table), *model, what, progress);
    });
    printNotes(context, model->info()->notes);
}

} // namespace

void runSpecialize(const Arguments& arguments, const CommandContext& context)
{
    ArgumentParser parser(context, "specialize", "Which tokens belong to which expert, over a corpus.");
    SpecializeLine line;
    line.add(parser.app());
    if (parser.parse(arguments) == ArgumentParser::Outcome::HelpPrinted)
        return;
    line.check(parser.app());
    line.words = parser.app().count("--words") > 0;
    const OutputGuard outputs({{"--out", line.out.path()}});

    ProgressLine shown(context);
    const core::Progress progress = shown.progress();
    if (core::weightsTable(line.table))
        return writeFromWeights(line, outputs, context, progress);
    const core::Counts counts = line.counts.empty() ? countFor(line.model, line.corpus, {}, outputs, shown, context)
                                                    : core::readCounts(line.counts, progress);
    const core::StatisticsExport what = line.settings(counts);
    if (!line.out.given())
        return printTables(context, counts, what, parser.app().count("--router") > 0, parser.app().count("--top") > 0,
                           shown);
    line.out.write([&](std::ostream& out, core::TableFormat format) {
        core::writeStatistics(out, format, *core::statisticsTable(line.table), counts, what, progress);
    });
    shown.wipe();
}

} // namespace headscope::app
