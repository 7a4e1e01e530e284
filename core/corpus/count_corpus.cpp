// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/count_corpus.h"

#include "core/corpus/accumulator.h"
#include "core/corpus/partial_file.h"
#include "core/corpus/pass_checks.h"
#include "core/corpus/resume.h"
#include "core/corpus/run_window.h"
#include "core/corpus/scan.h"
#include "core/corpus/window_pool.h"
#include "core/error.h"
#include "core/export/trace_export.h"
#include "core/trace/document_run.h"
#include "core/trace/model_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>
#include <thread>

namespace headscope::core {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<Router> decidingRouters(const ModelInfo& info)
{
    std::vector<Router> routers;
    std::copy_if(info.routers.begin(), info.routers.end(), std::back_inserter(routers), [](const Router& router) { return !router.sharedWith; });
    return routers;
}

bool isSoftmax(const Router& router)
{
    return router.gate == GateKind::SoftmaxAll || router.gate == GateKind::SoftmaxChosen;
}

/// Tells how far a pass is, not too often.
class Reporter
{
public:
    Reporter(const CountHooks& hooks, CountProgress::Stage stage, std::uint64_t allTokens) : m_hooks(hooks)
    {
        m_progress.stage = stage;
        m_progress.allTokens = allTokens;
    }
    /// Tokens that were counted before this run began are not in its speed.
    void startAt(std::uint64_t tokens) { m_first = tokens; }
    void report(std::uint64_t tokens, double fraction)
    {
        if (!m_hooks.progress || secondsSince(m_last) < 0.1)
            return;
        m_last = Clock::now();
        const double seconds = secondsSince(m_start);
        m_progress.tokens = tokens;
        m_progress.fraction = fraction;
        m_progress.tokensPerSecond = seconds > 0 ? static_cast<double>(tokens - std::min(m_first, tokens)) / seconds : 0;
        m_progress.secondsLeft.reset();
        if (m_progress.tokensPerSecond > 0 && m_progress.allTokens >= tokens)
            m_progress.secondsLeft = static_cast<double>(m_progress.allTokens - tokens) / m_progress.tokensPerSecond;
        m_hooks.progress(m_progress);
    }

private:
    const CountHooks& m_hooks;
    CountProgress m_progress;
    std::uint64_t m_first = 0;
    Clock::time_point m_start = Clock::now();
    Clock::time_point m_last = m_start;
};

class Pass
{
public:
    Pass(const Model& model, const CountSettings& settings, const CountHooks& hooks);
    Counts run();

private:
    void check() const;
    CountBasis basis() const;
    WindowReader reader(const TagTable* tags, WordNumbers* words) const;
    void scan();
    void makeAccumulator();
    void findPart();
    void countWindow(const Window& window);
    void readDocuments(WindowPool& pool);
    void readDocument(WindowReader& windows, WindowPool& pool);
    void betweenWindows(WindowPool& pool);
    void idle();
    void save();
    [[noreturn]] void stop(WindowPool& pool);
    std::vector<std::string> notes(const Counts& counts) const;

    const Model& m_model;
    const ModelInfo& m_info;
    const CountSettings& m_settings;
    const CountHooks& m_hooks;
    std::int64_t m_window = 0;
    std::vector<CorpusFile> m_files;
    TagTable m_tags;
    CorpusScan m_scan;
    CorpusIdentity m_identity;
    std::uint64_t m_firstDocument = 0; // of the part
    std::uint64_t m_lastDocument = 0;  // one past the end
    std::shared_ptr<WordNumbers> m_words = std::make_shared<WordNumbers>();
    std::unique_ptr<Accumulator> m_accumulator;
    TraceOptions m_trace;
    PassPosition m_begin;    // where this run begins
    PassPosition m_position; // where it is
    std::atomic<std::uint64_t> m_tokensDone = 0;
    std::uint64_t m_tokensOfPart = 0;
    std::optional<Reporter> m_reporter;
    Clock::time_point m_lastSave = Clock::now();
    std::optional<PartialFile> m_partial;
};

Pass::Pass(const Model& model, const CountSettings& settings, const CountHooks& hooks)
    : m_model(model), m_info(*model.info()), m_settings(settings), m_hooks(hooks)
{
    m_window = windowLength(model, settings.window, settings.skipFirst);
    check();
    const auto routers = decidingRouters(m_info);
    m_trace = {.maps = false, .routerLogits = std::any_of(routers.begin(), routers.end(), isSoftmax), .loss = false};
    m_files = findTexts(settings.corpus, settings.documents.jsonField);
    if (!settings.tags.empty())
        m_tags = TagTable::read(settings.tags, m_files);
    if (!settings.partial.empty())
        m_partial.emplace(settings.partial, settings.resume ? PartialFile::Start::Resume : PartialFile::Start::Anew);
}

void Pass::check() const
{
    if (m_settings.groups < 1 || m_settings.groups > maxGroups)
        throw Error(fmt::format("There can be 1 to {} bootstrap groups, not {}.", maxGroups, m_settings.groups));
    if (m_settings.parts < 1 || m_settings.parts > maxParts || m_settings.part < 1 || m_settings.part > m_settings.parts)
        throw Error(fmt::format("There is no part {} of {}.", m_settings.part, m_settings.parts));
}

CountBasis Pass::basis() const
{
    CountBasis basis = basisOf(m_model, m_settings.fingerprint, m_settings.documents, m_window, m_settings.skipFirst);
    basis.groups = m_settings.groups;
    basis.words = m_settings.words;
    basis.tags = m_tags.names();
    basis.frequent = m_settings.frequent ? *m_settings.frequent : mostFrequent(m_scan.positions, m_settings.frequentTokens);
    return basis;
}

WindowReader Pass::reader(const TagTable* tags, WordNumbers* words) const
{
    const WindowOptions options{.policy = m_info.textPolicy, .length = m_window, .tags = tags, .words = words};
    return {DocumentReader(m_files, m_settings.documents), m_model.tokenizer(), options, {.report = {}, .stop = m_hooks.stop, .asked = m_hooks.asked}};
}

void Pass::scan()
{
    std::uint64_t all = 0; // bytes of the files; of packed ones more will come out
    for (const CorpusFile& file : m_files)
        all += file.size;
    Reporter reporter(m_hooks, CountProgress::Stage::Reading, 0);
    m_scan = scanCorpus(reader(nullptr, nullptr), m_settings.groups, m_settings.skipFirst, [&](std::uint64_t bytes, std::uint64_t tokens) {
        reporter.report(tokens, all == 0 ? 0 : std::min(1.0, static_cast<double>(bytes) / static_cast<double>(all)));
    });
    if (m_scan.positions.empty())
        throw Error("The corpus has no token that would be counted; give a text, or leave out fewer positions.");
    if (m_scan.positions.begin()->first < 0 || m_scan.positions.rbegin()->first >= m_info.vocabulary)
        throw Error(fmt::format("The tokenizer gives the id {}, but this checkpoint has only {} embedding rows; give the tokenizer it was trained with.",
                                m_scan.positions.rbegin()->first, m_info.vocabulary));
    for (const auto& [id, count] : m_scan.positions)
        if (count > std::numeric_limits<std::uint32_t>::max())
            throw Error("One token occurs more than 4294967295 times; count the corpus in parts.");
}

void Pass::findPart()
{
    const std::uint64_t documents = m_scan.groups.size();
    const auto parts = static_cast<std::uint64_t>(m_settings.parts);
    const auto part = static_cast<std::uint64_t>(m_settings.part);
    m_firstDocument = documents * (part - 1) / parts;
    m_lastDocument = documents * part / parts;
    for (std::uint64_t document = m_firstDocument; document < m_lastDocument; ++document)
        m_tokensOfPart += m_scan.tokensOf[document];
    m_identity = {.hash = m_scan.hash, .tagsDigest = m_tags.digest(), .parts = {}};
    if (m_settings.parts > 1)
        m_identity.parts = {m_settings.parts, {m_settings.part}};
}

void Pass::makeAccumulator()
{
    AccumulatorStart start;
    start.basis = basis();
    start.parts = m_identity.parts;
    start.routers = decidingRouters(m_info);
    for (const auto& [id, count] : m_scan.positions) {
        start.ids.push_back(id);
        start.pieces.push_back(m_model.tokenizer()->piece(id));
    }
    m_accumulator = std::make_unique<Accumulator>(std::move(start), m_words);
    m_begin = {.document = m_firstDocument, .windows = 0};
    if (m_settings.resume)
        m_begin = loadPartial(m_settings.partial, *m_accumulator, m_identity);
    m_position = m_begin;
}

void Pass::countWindow(const Window& window)
{
    // With a place to save to, what is begun is finished and saved.
    const Progress progress{.report = {}, .stop = m_settings.partial.empty() ? m_hooks.stop : std::stop_token(), .asked = m_hooks.asked};
    const auto trace = runWindow(m_model, window, m_trace, progress);
    if (window.memory.counts)
        m_accumulator->add(window, *trace, m_scan.groups.at(window.document));
    m_tokensDone += window.ids.size();
}

void Pass::idle()
{
    const std::uint64_t done = m_tokensDone;
    m_reporter->report(done, m_tokensOfPart == 0 ? 1 : static_cast<double>(done) / static_cast<double>(m_tokensOfPart));
    if (m_settings.partial.empty() && m_hooks.stop.stop_requested())
        throw Cancelled();
}

void Pass::save()
{
    if (m_settings.partial.empty())
        return;
    savePartial(m_settings.partial, *m_accumulator, m_identity, m_position);
    m_partial->saved();
    m_lastSave = Clock::now();
}

void Pass::stop(WindowPool& pool)
{
    pool.drain();
    save();
    throw Cancelled();
}

void Pass::betweenWindows(WindowPool& pool)
{
    idle();
    if (m_hooks.stop.stop_requested())
        stop(pool);
    if (!m_settings.partial.empty() && secondsSince(m_lastSave) > m_settings.secondsBetweenSaves) {
        pool.drain();
        save();
    }
    if (m_hooks.partial && m_hooks.wantsPartial && m_hooks.wantsPartial()) {
        pool.drain();
        m_hooks.partial(m_accumulator->counts());
    }
    while (m_hooks.pause && m_hooks.pause()) {
        if (m_hooks.stop.stop_requested())
            stop(pool);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

void Pass::readDocument(WindowReader& windows, WindowPool& pool)
{
    const std::uint64_t document = windows.document();
    const std::uint64_t counted = document == m_begin.document ? m_begin.windows : 0;
    m_position = {.document = document, .windows = counted};
    // What was counted before an interruption is run again as far as the next window remembers it.
    const std::uint64_t begin = firstWindowNeeded(m_info, m_window, counted);
    const auto run = beginDocument(m_model);
    std::uint64_t number = 0;
    while (auto window = windows.next()) {
        ++number;
        if (window->index < begin) {
            m_tokensDone += window->ids.size();
            continue;
        }
        const bool counts = window->index >= counted;
        window->memory = {run, static_cast<std::int64_t>(window->index - begin) * m_window, counts, {}};
        pool.push(std::move(*window));
        m_position.windows += counts ? 1 : 0;
        betweenWindows(pool);
    }
    if (windows.tokens() != m_scan.tokensOf.at(document))
        throw Error("The corpus changed while it was counted; count again when it is complete.");
    m_accumulator->endDocument({.document = document,
                                .windows = number,
                                .group = m_scan.groups.at(document),
                                .hash = windows.hash(),
                                .bytes = windows.bytes(),
                                .tokens = windows.tokens(),
                                .isBlank = m_scan.facts.at(document).isBlank,
                                .isEqual = m_scan.facts.at(document).isEqual,
                                .invalidBytes = m_scan.facts.at(document).invalidBytes});
    m_position = {.document = document + 1, .windows = 0};
}

void Pass::readDocuments(WindowPool& pool)
{
    WindowReader windows = reader(m_settings.tags.empty() ? nullptr : &m_tags, m_settings.words ? m_words.get() : nullptr);
    for (std::uint64_t document = 0; document < m_lastDocument; ++document) {
        if (!windows.nextDocument())
            throw Error("The corpus changed while it was counted; count again when it is complete.");
        if (document < m_firstDocument)
            continue;
        if (document < m_begin.document)
            m_tokensDone += m_scan.tokensOf[document];
        else
            readDocument(windows, pool);
        if (m_hooks.stop.stop_requested())
            stop(pool);
    }
    pool.drain();
}

Counts Pass::run()
{
    scan();
    findPart();
    makeAccumulator();
    const int threads = threadsFor(m_info, m_settings.threads);
    const int batch = m_settings.batch > 0 ? m_settings.batch : 4 * threads;
    m_reporter.emplace(m_hooks, CountProgress::Stage::Counting, m_tokensOfPart);
    std::uint64_t before = m_begin.windows * static_cast<std::uint64_t>(m_window);
    for (std::uint64_t document = m_firstDocument; document < m_begin.document; ++document)
        before += m_scan.tokensOf.at(document);
    m_reporter->startAt(before);
    m_lastSave = Clock::now();
    {
        WindowPool pool(static_cast<std::size_t>(threads), static_cast<std::size_t>(batch), [this](const Window& window) { countWindow(window); },
                        [this] { idle(); });
        try {
            readDocuments(pool);
        } catch (const Cancelled&) {
            // The reader noticed the request first; nothing is lost.
            if (!m_settings.partial.empty() && m_hooks.stop.stop_requested())
                stop(pool);
            throw;
        }
    }
    Counts counts = m_accumulator->counts();
    if (m_hooks.notes)
        m_hooks.notes(notes(counts));
    return counts;
}

std::vector<std::string> Pass::notes(const Counts& counts) const
{
    std::vector<std::string> notes = notesOn(std::span<const CorpusFile>(m_files));
    const std::vector<std::string> more = notesOn(counts.streams.front().corpus);
    notes.insert(notes.end(), more.begin(), more.end());
    if (const auto beyond = m_tags.noteOnSizes(m_files, m_scan.fileSizes))
        notes.push_back(*beyond);
    return notes;
}

} // namespace

std::optional<std::int64_t> trainingLength(const ModelInfo& info)
{
    if (info.visibility.segment > 0)
        return info.visibility.segment;
    return std::nullopt;
}

Counts countCorpus(const Model& model, const CountSettings& settings, const CountHooks& hooks)
{
    return Pass(model, settings, hooks).run();
}

} // namespace headscope::core
