// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/address_glob.h"
#include "app/cli/argument_parser.h"
#include "app/cli/command_line.h"
#include "app/cli/compare_counts.h"
#include "app/cli/compare_tables.h"
#include "app/cli/cost_text.h"
#include "app/cli/model_options.h"
#include "app/cli/output_file.h"
#include "app/cli/printable.h"
#include "app/cli/progress_line.h"
#include "app/cli/read_bytes.h"
#include "app/cli/text_options.h"
#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/message_text.h"
#include "core/compare/comparison.h"
#include "core/compare/next_token_divergence.h"
#include "core/export/atomic_stream.h"
#include "core/export/comparison_report.h"
#include "core/export/trace_export.h"
#include "core/families/model.h"
#include "core/trace/next_token.h"
#include "core/trace/weight_view.h"

#include <CLI/Validators.hpp>
#include <fmt/format.h>

#include <map>
#include <optional>

namespace headscope::app {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t stripsOfAReport = 4; // pairs of routers, unless they are chosen

struct CompareLine {
    ModelOptions a;
    ModelOptions b;
    TextOptions text;
    std::string matching = "auto";
    std::string fit;
    std::vector<std::string> pairs;
    std::vector<std::string> routers;
    core::CompareSettings settings;
    std::int64_t length = 0;
    std::int64_t memory = 0;
    std::string table = "routers";
    bool attention = false;
    std::string out;
    std::string report;
    CompareCountsLine counts;

    void add(CLI::App& app);
    bool ofCounts() const { return !counts.a.empty() || !counts.b.empty(); }
    void check(const CLI::App& app, const CommandContext& context);

private:
    void checkOut(const CLI::App& app) const;
    void checkCounts(const CLI::App& app);
    void checkTexts(const CLI::App& app, const CommandContext& context);
};

void CompareLine::add(CLI::App& app)
{
    a.add(app, "A", "-a");
    b.add(app, "B", "-b");
    app.get_option("A")->required(false)->description("a checkpoint, a file or a folder");
    app.get_option("B")->required(false)->description("the one it is compared with");
    app.add_option("--counts-a", counts.a, "instead of A, B and a text: counts of A over a corpus, as `count` writes them")
        ->type_name("FILE");
    app.add_option("--counts-b", counts.b, "and of B")->type_name("FILE");
    app.add_option("--min-count", counts.minimum, "with counts: leave out tokens that occur less often")
        ->check(CLI::Validator(CLI::NonNegativeNumber).description(""))
        ->type_name("N");
    text.add(app, TextOptions::Role::Text, TextOptions::Ids::Refused);
    a.addCompute(app);
    app.add_option("--match", matching, "how experts of A find those of B; auto: identity within one run, else coselection")
        ->check(CLI::IsMember({"auto", "identity", "coselection", "weights"}).description(""))
        ->type_name("auto|identity|coselection|weights");
    app.add_option("--fit", fit, "a text to fit the matching on, instead of cross-fitting it over parts of the text")
        ->type_name("FILE");
    app.add_option("--pair", pairs, "routers to pair by hand, as layers.0.self.qo=layers.1.self.o.h0")->type_name("A=B");
    app.add_option("--folds", settings.folds, "parts that the matching is cross-fitted over")
        ->check(CLI::Range(2, 1000).description(""))
        ->type_name("N");
    app.add_option("--null", settings.nullReplicates, "draws of the null; 0 leaves it out")
        ->check(CLI::Range(0, 100'000).description(""))
        ->type_name("N");
    app.add_option("--bootstrap", settings.bootstrapReplicates, "draws of the intervals; 0 leaves them out")
        ->check(CLI::Range(0, 100'000).description(""))
        ->type_name("N");
    app.add_option("--seed", settings.seed, "of all draws")->type_name("N");
    app.add_option("--length", length, "tokens of the sequence that costs are counted for, instead of those of training")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40).description(""))
        ->type_name("T");
    app.add_option("--memory", memory, "tokens before it that are attended to; with --length")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 40).description(""))
        ->type_name("M");
    app.add_option("--table", table, "what the rows of a table are; .json holds everything")
        ->check(CLI::IsMember({"routers", "tokens", "experts", "attention", "cost"}).description(""))
        ->type_name("routers|tokens|experts|attention|cost");
    app.add_flag("--attention", attention, "compare the maps of matched heads and experts too");
    app.add_option("--out", out, "write a file: .json (docs/compare-file.md), .csv, .tsv, .md or .tex")->type_name("FILE");
    app.add_option("--report", report, "write a report with settings, tables and both strips: .md or .pdf")
        ->type_name("FILE");
    app.add_option("--router", routers, "routers of A: those whose strips the report shows, or whose counts are compared")
        ->expected(1, -1)
        ->delimiter(',')
        ->type_name("ADDRESS");
    app.footer("Without --out and --report it prints a table. docs/routing.md says what the numbers mean.");
}

/// "A=B"
std::pair<core::RouterAddress, core::RouterAddress> pairOf(const std::string& text)
{
    const std::size_t sign = text.find('=');
    const auto a = core::RouterAddress::parse(text.substr(0, sign));
    const auto b = sign == std::string::npos ? std::nullopt : core::RouterAddress::parse(text.substr(sign + 1));
    if (!a || !b)
        throw UsageError(fmt::format(
            "--pair takes two addresses of routers, as layers.0.self.qo=layers.1.self.o; {} is none.", printable(text)));
    return {*a, *b};
}

void CompareLine::checkOut(const CLI::App& app) const
{
    if (app.count("--out") > 0 && !core::tableFormat(fs::path(out).extension().string()))
        throw UsageError(
            fmt::format("--out needs a name that ends in .json, .csv, .tsv, .md or .tex; {} does not.", printable(out)));
}

void CompareLine::checkCounts(const CLI::App& app)
{
    if (counts.a.empty() || counts.b.empty())
        throw UsageError("--counts-a and --counts-b go together: give the counts of both.");
    if (!a.model().empty() || text.given())
        throw UsageError("--counts-a and --counts-b stand in the place of A, B and a text; give one or the other.");
    for (const char* option :
         {"--fit", "--report", "--length", "--memory", "--null", "--bootstrap", "--folds", "--attention"}) {
        if (app.count(option) > 0)
            throw UsageError(fmt::format("{} belongs to a comparison over a text; counts know only sums.", option));
    }
    if (matching == "weights")
        throw UsageError("Counts know no weights: match by coselection or identity.");
    if (table != "routers" && table != "tokens")
        throw UsageError("Of counts there are the tables routers and tokens.");
    counts.settings = settings;
    counts.routers = routers;
    counts.tokens = table == "tokens";
    counts.out = out;
    if (!out.empty()) {
        requireWritable(out, counts.a, "counts file");
        requireWritable(out, counts.b, "counts file");
    }
}

void CompareLine::checkTexts(const CLI::App& app, const CommandContext& context)
{
    if (a.model().empty() || b.model().empty())
        throw UsageError("Give two checkpoints, or the counts of two with --counts-a and --counts-b.");
    text.requireOne();
    if (app.count("--min-count") > 0)
        throw UsageError("--min-count belongs to a comparison of counts.");
    if (app.count("--memory") > 0 && app.count("--length") == 0)
        throw UsageError("--memory belongs to --length: give the length of the sequence too.");
    if (table == "attention" && !attention)
        throw UsageError("--table attention needs --attention, which compares the maps.");
    if (attention && out.empty())
        throw UsageError("--attention goes into a file: give --out too.");
    if (app.count("--table") > 0 && (app.count("--out") == 0 || fs::path(out).extension() == ".json"))
        throw UsageError("--table chooses what --out writes as .csv, .tsv, .md or .tex; .json holds all tables.");
    const std::string extension = fs::path(report).extension().string();
    if (app.count("--report") > 0 && extension != ".md" && extension != ".pdf")
        throw UsageError(fmt::format("--report needs a name that ends in .md or .pdf; {} does not.", printable(report)));
    if (extension == ".pdf" && !context.writePdf)
        throw UsageError("This program cannot draw: `headscope compare` writes PDF, and both write .md.");
    if (!routers.empty() && report.empty())
        throw UsageError("--router chooses the strips of --report; give that too.");
    for (const std::string* file : {&out, &report}) {
        if (file->empty())
            continue;
        requireWritable(*file, a.model());
        requireWritable(*file, b.model());
    }
}

void CompareLine::check(const CLI::App& app, const CommandContext& context)
{
    b.computeAs(a);
    settings.matching = core::matchingFromString(matching); // none for auto
    for (const std::string& pair : pairs)
        settings.pairs.push_back(pairOf(pair));
    checkOut(app);
    if (ofCounts())
        checkCounts(app);
    else
        checkTexts(app, context);
}

struct Side {
    std::shared_ptr<const core::Model> model;
    std::string fingerprint;
};

Side open(const ModelOptions& options, bool exports, const core::Progress& progress)
{
    Side side;
    side.model = core::openModel(options.model(), options.openOptions(core::OpenFor::Running), progress);
    if (exports)
        side.fingerprint = core::modelFingerprint(options.model(), options.openOptions(core::OpenFor::Running), progress);
    return side;
}

enum class Maps : std::uint8_t { No, Yes };

/// Says before it begins when it is going to take long.
std::shared_ptr<const core::Trace> traced(const core::Model& model, const std::string& text,
                                          const core::TraceOptions& options, ProgressLine& line,
                                          const CommandContext& context)
{
    const core::Progress progress = line.progress();
    core::TokenizedText tokens = model.tokenize(text, progress);
    if (const auto note = longRunNote(*model.info(), options, static_cast<std::int64_t>(tokens.tokens.size()))) {
        line.wipe();
        printNotes(context, {*note});
    }
    return model.trace(std::move(tokens), options, progress);
}

core::ComparedTraces traces(const Side& a, const Side& b, const std::string& text, Maps maps, ProgressLine& line,
                            const CommandContext& context)
{
    core::TraceOptions options;
    options.maps = maps == Maps::Yes;
    options.routerLogits = false;
    options.lastLayer = true; // for the divergence of next tokens
    return {traced(*a.model, text, options, line, context), traced(*b.model, text, options, line, context)};
}

/// Router matrices are read when they are asked for, once.
core::RouterRows rowsOf(const std::shared_ptr<const core::Model>& model, const core::Progress& progress)
{
    auto views = std::make_shared<std::map<core::RouterAddress, core::WeightView>>();
    return [model, views, progress](const core::RouterAddress& address) -> core::MatrixRows {
        const core::WeightViews* const weights = core::weightViews(*model);
        if (weights == nullptr)
            return {};
        auto found = views->find(address);
        if (found == views->end())
            found = views->emplace(address, weights->weightView(address, progress)).first;
        return {found->second.routerRows, static_cast<std::size_t>(found->second.width)};
    };
}

/// KL(A‖B) behind every token; empty where the vocabularies differ.
std::vector<float> divergence(const Side& a, const Side& b, const core::ComparedTraces& compared,
                              const core::Progress& progress)
{
    const core::NextTokenHead* const headA = core::nextTokenHead(*a.model);
    const core::NextTokenHead* const headB = core::nextTokenHead(*b.model);
    if (headA == nullptr || headB == nullptr || !core::sameVocabulary(*a.model, *b.model) ||
        compared.a->text().ids() != compared.b->text().ids())
        return {};
    return core::nextTokenDivergence({*headA, *compared.a}, {*headB, *compared.b}, progress);
}

/// Into `what`; returns which blocks could not be compared.
std::vector<std::string> compareMaps(const core::Comparison& comparison, core::ComparisonExport& what,
                                     const core::Progress& progress)
{
    const core::MapPairs pairs = core::mapPairs(comparison, *what.traces.a, *what.traces.b);
    for (const core::MapPair& maps : pairs.pairs)
        what.attention.push_back({maps, core::compareAttention(what.traces, comparison.alignment, maps, progress)});
    return pairs.notes;
}

std::vector<std::size_t> stripsOf(const CompareLine& line, const core::Comparison& comparison)
{
    std::vector<std::size_t> strips;
    std::vector<core::RouterAddress> wanted;
    if (!line.routers.empty()) {
        std::vector<core::RouterAddress> paired;
        for (const core::RouterComparison& pair : comparison.routers)
            paired.push_back(pair.a);
        wanted = selectRouters(paired, line.routers);
    }
    for (std::size_t i = 0; i < comparison.routers.size(); ++i) {
        const bool chosen = line.routers.empty() ? strips.size() < stripsOfAReport
                                                 : std::ranges::find(wanted, comparison.routers[i].a) != wanted.end();
        if (chosen)
            strips.push_back(i);
    }
    return strips;
}

void writeTable(const CompareLine& line, const core::Comparison& comparison, const core::ComparisonExport& what)
{
    core::AtomicStream file(line.out);
    const core::TableFormat format = *core::tableFormat(fs::path(line.out).extension().string());
    if (format == core::TableFormat::Json)
        core::writeComparisonJson(file.stream(), comparison, what);
    else
        core::writeComparisonTable(file.stream(), format, *core::comparisonTable(line.table), comparison, what);
    file.commit();
}

void writeReport(const CompareLine& line, const core::Comparison& comparison, const core::ComparisonExport& what,
                 const CommandContext& context)
{
    const core::Report report = core::comparisonReport(comparison, what, stripsOf(line, comparison));
    if (fs::path(line.report).extension() == ".pdf")
        return context.writePdf(line.report, report);
    core::AtomicStream file(line.report);
    file.stream() << core::reportMarkdown(report);
    file.commit();
}

} // namespace

void runCompare(const Arguments& arguments, const CommandContext& context)
{
    ArgumentParser parser(context, "compare", "Two checkpoints on the same text.");
    CompareLine line;
    line.add(parser.app());
    if (parser.parse(arguments) == ArgumentParser::Outcome::HelpPrinted)
        return;
    line.check(parser.app(), context);
    if (line.ofCounts())
        return compareCountsFiles(line.counts, context);

    ProgressLine shown(context);
    const core::Progress progress = shown.progress();
    const bool exports = !line.out.empty() || !line.report.empty();
    const std::string text = line.text.bytes(context);
    const Side a = open(line.a, exports, progress);
    const Side b = open(line.b, exports, progress);
    core::ComparisonExport what{.program = fmt::format("Headscope {}", version()),
                                .fingerprintA = a.fingerprint,
                                .fingerprintB = b.fingerprint,
                                .traces = traces(a, b, text, line.attention ? Maps::Yes : Maps::No, shown, context),
                                .fittedOn = {},
                                .attention = {},
                                .length = {}};
    if (line.length > 0)
        what.length = core::SequenceLength{.tokens = line.length, .memory = line.memory};
    core::CompareExtras extras;
    if (!line.fit.empty()) {
        extras.fit = traces(a, b, readBytes(line.fit, context.stop), Maps::No, shown, context);
        what.fittedOn = fs::path(line.fit).filename().string();
    }
    if (line.settings.matching == core::Matching::Weights) {
        extras.rowsA = rowsOf(a.model, progress);
        extras.rowsB = rowsOf(b.model, progress);
    }
    extras.divergence = divergence(a, b, what.traces, progress);
    const core::Comparison comparison = core::compareTraces(what.traces, line.settings, extras, progress);
    std::vector<std::string> mapNotes;
    if (line.attention)
        mapNotes = compareMaps(comparison, what, progress);
    if (!line.out.empty())
        writeTable(line, comparison, what);
    if (!line.report.empty())
        writeReport(line, comparison, what, context);
    shown.wipe();
    if (!exports)
        printComparison(context, comparison);
    std::vector<std::string> notes = a.model->info()->notes;
    notes.insert(notes.end(), b.model->info()->notes.begin(), b.model->info()->notes.end());
    notes.insert(notes.end(), mapNotes.begin(), mapNotes.end());
    printNotes(context, notes);
}

} // namespace headscope::app
