// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/corpus_options.h"

#include "app/cli/printable.h"
#include "app/cli/read_bytes.h"
#include "core/families/model.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace headscope::app {

namespace {

CLI::Validator notNegative()
{
    return CLI::Validator(CLI::NonNegativeNumber).description("");
}

CLI::Validator positive()
{
    return CLI::Validator(CLI::PositiveNumber).description("");
}

std::string timeLeft(double seconds)
{
    constexpr double minute = 60;
    constexpr double hour = 60 * minute;
    if (seconds < 100)
        return fmt::format("{:.0f} s left", std::ceil(seconds));
    return seconds < 100 * minute ? fmt::format("{:.0f} min left", std::ceil(seconds / minute)) : fmt::format("{:.1f} h left", seconds / hour);
}

void show(const core::Progress& progress, const core::CountProgress& now)
{
    if (progress.report)
        progress.report(now.fraction, countingText(now));
}

struct Part {
    int part = 1;
    int parts = 1;
};

Part partOf(const std::string& text)
{
    const auto wrong = [&text] { return UsageError(fmt::format("--part {} is none; give it as 2/5, the second of five parts.", printable(text))); };
    Part result;
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos)
        throw wrong();
    const auto number = [&](std::size_t begin, std::size_t end) {
        int value = 0;
        const auto [stopped, problem] = std::from_chars(text.data() + begin, text.data() + end, value);
        if (problem != std::errc() || stopped != text.data() + end)
            throw wrong();
        return value;
    };
    result.part = number(0, slash);
    result.parts = number(slash + 1, text.size());
    if (result.parts < 1 || result.part < 1 || result.part > result.parts)
        throw wrong();
    return result;
}

} // namespace

std::string countingText(const core::CountProgress& now)
{
    const bool reading = now.stage == core::CountProgress::Stage::Reading;
    std::string stage = reading ? fmt::format("reading the corpus, {} tokens", now.tokens)
                                : fmt::format("counting, {:.0f} tokens/s", now.tokensPerSecond);
    if (now.secondsLeft && !reading)
        stage += ", " + timeLeft(*now.secondsLeft);
    return stage;
}

void CorpusOptions::addReading(CLI::App& app, Corpus corpus)
{
    app.add_option("CORPUS", m_corpus, "text files (also .gz, .zst, and .jsonl with --json-field) and folders of them")->required(corpus == Corpus::Required)->expected(1, -1)->type_name("");
    app.add_option("--documents", m_documents, "how files are cut into documents: file, blank (lines), line, literal:STRING")->type_name("HOW");
    app.add_option("--json-field", m_jsonField, "of lines of JSON (.jsonl) the field that is the text; each line is a document")->type_name("NAME");
    app.add_option("--window", m_window, "tokens run together, instead of a segment")->check(positive())->type_name("N");
    app.add_option("--skip-first", m_skipFirst, "leave the first positions of every window out")->check(notNegative())->type_name("N");
    app.add_option("--threads", m_threads, "windows run at the same time")->check(positive())->type_name("N");
    app.add_option("--batch", m_batch, "windows in memory at the same time")->check(positive())->type_name("B");
}

void CorpusOptions::add(CLI::App& app, Corpus corpus)
{
    addReading(app, corpus);
    app.add_option("--tags", m_tags, "names of stretches: lines of [document,] begin, end, tag with tabs between")->type_name("FILE.tsv");
    app.add_flag("--words", m_words, "count words too");
    app.add_option("--frequent-tokens", m_frequentTokens, "how many frequent tokens are counted by what stands before and by position")
        ->check(notNegative())
        ->type_name("M");
    app.add_option("--frequent", m_frequent, "a file with the ids of these tokens, instead of the most frequent of the corpus")->type_name("FILE");
    app.add_option("--groups", m_groups, "groups of documents for the intervals")->check(positive())->type_name("G");
}

void CorpusOptions::addParts(CLI::App& app)
{
    app.add_option("--part", m_part, "count only the i-th of n parts of the documents (headscope merge adds them up)")->type_name("i/n");
    app.add_flag("--resume", m_resume, "go on with what an interrupted count left beside --out, in FILE.counts.partial");
}

core::CountSettings CorpusOptions::settings(const core::ModelInfo& info, const CommandContext& context) const
{
    core::CountSettings settings;
    settings.corpus.assign(m_corpus.begin(), m_corpus.end());
    const auto split = core::documentSplitFromString(m_documents);
    if (!split)
        throw UsageError(fmt::format("--documents {} is none; it is file, blank, line or literal:STRING.", printable(m_documents)));
    settings.documents = *split;
    settings.documents.jsonField = m_jsonField;
    settings.tags = m_tags;
    settings.window = m_window;
    settings.skipFirst = m_skipFirst;
    settings.words = m_words;
    settings.groups = m_groups;
    settings.frequentTokens = static_cast<std::size_t>(m_frequentTokens);
    if (!m_frequent.empty())
        settings.frequent = core::makeIdListTokenizer(info.vocabulary)->encode(readBytes(m_frequent, context.stop), {}).ids();
    if (!m_part.empty()) {
        const Part part = partOf(m_part);
        settings.part = part.part;
        settings.parts = part.parts;
    }
    settings.threads = m_threads;
    settings.batch = m_batch;
    settings.resume = m_resume;
    return settings;
}

void makeProductsRepeatable()
{
    // Products of one shape then round alike whatever memory they lie in.
    setenv("MKL_CBWR", "AUTO,STRICT", 0);
}

core::Counts countFor(const ModelOptions& model, const CorpusOptions& corpus, const std::filesystem::path& partial,
                      const OutputGuard& outputs, ProgressLine& line, const CommandContext& context)
{
    makeProductsRepeatable();
    const core::Progress progress = line.progress();
    const auto opened = model.open(core::OpenFor::Running, outputs, progress);
    core::CountSettings settings = corpus.settings(*opened->info(), context);
    settings.partial = partial;
    settings.fingerprint = model.fingerprint(progress);
    core::CountHooks hooks;
    hooks.stop = context.stop;
    hooks.asked = context.asked;
    hooks.progress = [&progress](const core::CountProgress& now) { show(progress, now); };
    std::vector<std::string> notes;
    hooks.notes = [&notes](std::vector<std::string> found) { notes = std::move(found); };
    core::Counts counts = core::countCorpus(*opened, settings, hooks);
    line.wipe();
    printNotes(context, notes);
    printNotes(context, opened->info()->notes);
    return counts;
}

} // namespace headscope::app
