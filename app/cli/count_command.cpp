// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/argument_parser.h"
#include "app/cli/corpus_options.h"
#include "app/cli/model_options.h"
#include "app/cli/output_guard.h"
#include "app/cli/printable.h"
#include "app/cli/progress_line.h"
#include "core/corpus/counts_file.h"
#include "core/corpus/merge_counts.h"
#include "core/corpus/partial_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <ostream>

namespace headscope::app {

namespace {

namespace fs = std::filesystem;

/// Where an unfinished count is kept: beside the file, or nowhere beside what is none (a pipe).
fs::path partialOf(const fs::path& out)
{
    std::error_code ignored;
    if (const auto status = fs::status(out, ignored);
        fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status))
        return {};
    fs::path partial = out;
    partial += ".partial";
    return partial;
}

std::string partsOf(const core::CountedParts& parts)
{
    if (parts.of == 1)
        return {};
    std::string list;
    for (const int part : parts.parts)
        list += fmt::format("{}{}", list.empty() ? "" : ", ", part);
    return fmt::format("; {} {} of {}", parts.parts.size() == 1 ? "part" : "parts", list, parts.of);
}

void printSummary(const CommandContext& context, const fs::path& out, const core::Counts& counts)
{
    const core::CorpusSize& corpus = counts.streams.front().corpus;
    const core::EvaluationMode& mode = counts.basis.evaluation;
    context.out << fmt::format("{}: {} of {} tokens of {} {} ({} bytes) counted, {} routers, window {}{}{}\n",
                               printable(out.string()), corpus.positions, corpus.tokens, corpus.documents,
                               corpus.documents == 1 ? "document" : "documents", corpus.bytes, counts.routers.size(),
                               counts.basis.window, mode.segment > 0 ? "; " + core::toString(mode) : "",
                               partsOf(counts.parts));
}

} // namespace

void runCount(const Arguments& arguments, const CommandContext& context)
{
    ArgumentParser parser(context, "count", "Run a corpus and count which expert every router gives every token.");
    ModelOptions model;
    CorpusOptions corpus;
    std::string out;
    model.add(parser.app());
    corpus.add(parser.app(), CorpusOptions::Corpus::Required);
    corpus.addParts(parser.app());
    model.addCompute(parser.app());
    parser.app().add_option("--out", out, "the file of counts to write (docs/counts-file.md)")->required()->type_name("FILE.counts");
    if (parser.parse(arguments) == ArgumentParser::Outcome::HelpPrinted)
        return;
    const fs::path partial = partialOf(out);
    if (corpus.resumes() && partial.empty())
        throw UsageError(fmt::format("--resume goes on with what is kept beside a file; {} is none.", printable(out)));
    const OutputGuard outputs({{"--out", out}, {"What is kept of an unfinished count,", partial}});
    if (!partial.empty())
        core::PartialFile::require(partial,
                                   corpus.resumes() ? core::PartialFile::Start::Resume : core::PartialFile::Start::Anew);

    ProgressLine line(context);
    core::Counts counts;
    try {
        counts = countFor(model, corpus, partial, outputs, line, context);
    } catch (const core::Cancelled&) {
        line.wipe();
        if (!partial.empty() && fs::exists(partial))
            printNotes(context, {fmt::format("{} keeps what has been counted; the same command with --resume goes on with it.", partial.string())});
        throw;
    }
    core::writeCounts(out, counts, line.progress());
    if (!partial.empty())
        core::PartialFile::remove(partial);
    line.wipe();
    printSummary(context, out, counts);
}

void runMerge(const Arguments& arguments, const CommandContext& context)
{
    ArgumentParser parser(context, "merge", "Add up counts: the parts of a corpus, or several corpora.");
    std::vector<std::string> files;
    std::string out;
    parser.app().add_option("COUNTS", files, "files that headscope count wrote")->required()->expected(1, -1)->type_name("");
    parser.app().add_option("--out", out, "the file of counts to write")->required()->type_name("FILE.counts");
    if (parser.parse(arguments) == ArgumentParser::Outcome::HelpPrinted)
        return;
    const OutputGuard outputs({{"--out", out}});

    ProgressLine line(context);
    const core::Progress progress = line.progress();
    std::vector<core::NamedCounts> counts;
    for (const std::string& file : files)
        counts.push_back({file, core::readCounts(file, progress)});
    const core::Counts merged = core::mergeCounts(counts, progress);
    core::writeCounts(out, merged, progress);
    line.wipe();
    printSummary(context, out, merged);
}

} // namespace headscope::app
