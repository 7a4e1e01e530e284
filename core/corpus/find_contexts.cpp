// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/find_contexts.h"

#include "core/corpus/kept_contexts.h"
#include "core/corpus/pass_checks.h"
#include "core/corpus/run_window.h"
#include "core/corpus/window_pool.h"
#include "core/corpus/windows.h"
#include "core/error.h"
#include "core/trace/model_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <mutex>

namespace headscope::core {

namespace {

using Clock = std::chrono::steady_clock;
using Places = std::vector<std::size_t>; // of tokens in a window

constexpr double readingShare = 0.3; // of the whole, where windows are run after the corpus was read

ByteRange wholeCharacters(std::string_view text, ByteRange range)
{
    const auto inside = [text](std::size_t place) {
        return place > 0 && place < text.size() && (static_cast<unsigned char>(text[place]) & 0xC0) == 0x80;
    };
    constexpr int mostFollowing = 3;
    for (int i = 0; i < mostFollowing && !range.empty() && inside(range.begin); ++i)
        --range.begin;
    for (int i = 0; i < mostFollowing && !range.empty() && inside(range.end); ++i)
        ++range.end;
    return range;
}

class Search
{
public:
    Search(const Model& model, const ContextSettings& settings, const Progress& progress, const ContextHooks& hooks);
    Contexts run();

private:
    void check() const;
    bool isRow(const Window& window, std::size_t place) const;
    Places placesIn(const Window& window) const;
    std::uint64_t placesBehind(const Window& window) const;
    bool hasCounted(const Window& window) const;
    void read(const std::function<void(Window)>& take);
    void runKept(std::vector<Window> windows);
    void runAll();
    void runWindow(const Window& window);
    struct Decisions {                         // of one window
        std::vector<std::uint64_t> selections; // [experts]
        std::vector<std::pair<Rank, Context>> chosen;
        std::vector<std::pair<Rank, Context>> others;
    };
    void decide(const Window& window, const Trace& trace, const Places& places, std::size_t router, Decisions& into) const;
    Context context(const Window& window, const SiteRouting& site, std::size_t router, std::size_t place) const;
    Passage passage(const Window& window, std::size_t place, ByteRange keyword) const;
    bool becomes(const std::string& text, const Window& window, std::size_t place) const;
    void tell(double fraction, const std::string& stage);
    Contexts found() const;

    const Model& m_model;
    const ModelInfo& m_info;
    const ContextSettings& m_settings;
    const Progress& m_progress;
    const ContextHooks& m_hooks;
    std::vector<TokenId> m_ids; // sorted
    std::int64_t m_window = 0;
    int m_threads = 1;
    std::size_t m_experts = 0;
    std::vector<CorpusFile> m_files;
    WordNumbers m_words;
    Clock::time_point m_told{};

    mutable std::mutex m_lock; // of everything below
    Contexts m_found;          // but for its contexts
    Best m_chosen;
    Best m_others;
};

Search::Search(const Model& model, const ContextSettings& settings, const Progress& progress, const ContextHooks& hooks)
    : m_model(model), m_info(*model.info()), m_settings(settings), m_progress(progress), m_hooks(hooks), m_ids(settings.ids),
      m_words(WordNumbers::only(settings.words, settings.foldCase ? WordNumbers::Case::Folded : WordNumbers::Case::Kept)),
      m_chosen(settings.limit), m_others(settings.limit)
{
    m_window = windowLength(model, settings.window, settings.skipFirst);
    check();
    const auto router = std::ranges::find(m_info.routers, settings.routers.front(), &Router::address);
    m_experts = static_cast<std::size_t>(router->experts);
    m_found.selections.resize(m_experts);
    m_found.basis = basisOf(model, settings.fingerprint, settings.documents, m_window, settings.skipFirst);
    m_threads = threadsFor(m_info, settings.threads);
    std::ranges::sort(m_ids);
    m_files = findTexts(settings.corpus, settings.documents.jsonField);
}

void Search::check() const
{
    if (m_ids.empty() == m_settings.words.empty())
        throw Error("Give what is to be found: tokens, or words.");
    if (m_settings.routers.empty())
        throw Error("Give the router whose decisions are to be shown.");
    for (const TokenId id : m_ids)
        if (id < 0 || id >= m_model.tokenizer()->size())
            throw Error(fmt::format("There is no token {}; {} has {}.", id, m_model.tokenizer()->path().string(),
                                    m_model.tokenizer()->size()));
    for (const RouterAddress& address : m_settings.routers) {
        const auto router = std::ranges::find(m_info.routers, address, &Router::address);
        if (router == m_info.routers.end())
            throw Error(fmt::format("{} has no router {}; `headscope info` lists them.", m_info.path, address.toString()));
        if (router->experts != std::ranges::find(m_info.routers, m_settings.routers.front(), &Router::address)->experts)
            throw Error(fmt::format("{} and {} have different numbers of experts; they cannot be added up.",
                                    m_settings.routers.front().toString(), address.toString()));
        if (m_settings.expert && (*m_settings.expert < 0 || *m_settings.expert >= router->experts))
            throw Error(fmt::format("The router {} has no expert {}; they are 0 to {}.", address.toString(),
                                    *m_settings.expert, router->experts - 1));
    }
    if (m_settings.windows && (*m_settings.windows == 0 || *m_settings.windows > mostWindowsKept))
        throw Error(fmt::format("Of all windows that hold the token 1 to {} can be chosen, or all.", mostWindowsKept));
}

bool Search::isRow(const Window& window, std::size_t place) const
{
    return m_ids.empty() ? window.words[place] != noWord : std::ranges::binary_search(m_ids, window.ids[place]);
}

Places Search::placesIn(const Window& window) const
{
    Places places;
    for (auto place = static_cast<std::size_t>(m_settings.skipFirst); place < window.ids.size(); ++place)
        if (window.counts[place] && isRow(window, place))
            places.push_back(place);
    return places;
}

/// In what stands behind the document.
std::uint64_t Search::placesBehind(const Window& window) const
{
    std::uint64_t behind = 0;
    for (auto place = static_cast<std::size_t>(m_settings.skipFirst); place < window.ids.size(); ++place)
        behind += !window.counts[place] && !window.special[place] && isRow(window, place) ? 1 : 0;
    return behind;
}

/// Whether any token of a window counts: a document without any is none.
bool Search::hasCounted(const Window& window) const
{
    for (auto place = static_cast<std::size_t>(m_settings.skipFirst); place < window.ids.size(); ++place)
        if (window.counts[place])
            return true;
    return false;
}

/// Reads the corpus to its end and gives away the windows that hold the row.
void Search::read(const std::function<void(Window)>& take)
{
    std::uint64_t all = 0; // bytes of the files; of packed ones more will come out
    for (const CorpusFile& file : m_files)
        all += file.size;
    const double share = m_settings.windows ? readingShare : 1;
    const WindowOptions options{.policy = m_info.textPolicy,
                                .length = m_window,
                                .words = m_ids.empty() ? &m_words : nullptr,
                                .textAround = contextBytes + 4};
    WindowReader reader(DocumentReader(m_files, m_settings.documents), m_model.tokenizer(), options,
                        m_progress.quiet());
    std::uint64_t bytes = 0;
    std::uint64_t positions = 0;
    EarlierWindows earlier(m_info, m_window);
    while (reader.nextDocument()) {
        earlier.beginDocument();
        bool isBlank = true;
        while (auto window = reader.next()) {
            isBlank = isBlank && !hasCounted(*window);
            tell(all == 0 ? 0
                          : share * std::min(1.0, static_cast<double>(bytes + reader.bytes()) / static_cast<double>(all)),
                 fmt::format("reading the corpus, found {} times", positions));
            const Places places = placesIn(*window);
            positions += places.size();
            {
                const std::lock_guard lock(m_lock);
                m_found.windows += places.empty() ? 0 : 1;
                m_found.corpus.positions += places.size();
                m_found.behind += placesBehind(*window);
            }
            if (!places.empty())
                window->memory.before = earlier.before();
            earlier.add(*window);
            if (!places.empty())
                take(std::move(*window));
        }
        bytes += reader.bytes();
        const std::lock_guard lock(m_lock);
        CorpusSize& corpus = m_found.corpus;
        corpus.hash = corpus.hash + reader.hash();
        corpus.documents += isBlank ? 0 : 1;
        corpus.blankDocuments += isBlank ? 1 : 0;
        corpus.bytes += reader.bytes();
        corpus.tokens += reader.tokens();
    }
}

void Search::tell(double fraction, const std::string& stage)
{
    constexpr auto interval = std::chrono::milliseconds(20);
    m_progress.checkpoint();
    if (Clock::now() - m_told >= interval) {
        m_progress.at(fraction, stage);
        m_told = Clock::now();
    }
    if (m_hooks.partial && m_hooks.wanted && m_hooks.wanted())
        m_hooks.partial(found());
}

void Search::runKept(std::vector<Window> windows)
{
    const auto say = [&] {
        const std::uint64_t done = [this] {
            const std::lock_guard lock(m_lock);
            return m_found.windowsRun;
        }();
        tell(readingShare + (1 - readingShare) * static_cast<double>(done) / static_cast<double>(windows.size()),
             fmt::format("running windows, {} of {}", done, windows.size()));
    };
    const auto threads = static_cast<std::size_t>(m_threads);
    WindowPool pool(
        threads, threads, [this](const Window& window) { runWindow(window); }, say); // few at a time: it gives way soon
    RememberedWindows memory(m_model, m_window);
    for (Window& window : windows)
        memory.push(std::move(window), [&](Window next) {
            pool.push(std::move(next));
            say();
        });
    pool.drain();
}

void Search::runAll()
{
    const int batch = m_settings.batch > 0 ? m_settings.batch : 4 * m_threads;
    WindowPool pool(
        static_cast<std::size_t>(m_threads), static_cast<std::size_t>(batch),
        [this](const Window& window) { runWindow(window); }, [this] { m_progress.checkpoint(); });
    RememberedWindows memory(m_model, m_window);
    read([&](Window window) { memory.push(std::move(window), [&](Window next) { pool.push(std::move(next)); }); });
    pool.drain();
}

void Search::runWindow(const Window& window)
{
    if (const auto most = std::ranges::max_element(window.ids); *most >= m_info.vocabulary)
        throw Error(fmt::format("The tokenizer gives the id {}, but this checkpoint has only {} embedding rows; give "
                                "the tokenizer it was trained with.",
                                *most, m_info.vocabulary));
    const auto trace = core::runWindow(m_model, window, {.maps = false, .routerLogits = true, .loss = false},
                                       m_progress.quiet());
    if (!window.memory.counts)
        return;
    const Places places = placesIn(window);
    Decisions decisions{.selections = std::vector<std::uint64_t>(m_experts), .chosen = {}, .others = {}};
    for (std::size_t router = 0; router < m_settings.routers.size(); ++router)
        decide(window, *trace, places, router, decisions);

    const std::lock_guard lock(m_lock);
    for (auto& [rank, context] : decisions.chosen)
        m_chosen.add(rank, std::move(context));
    for (auto& [rank, context] : decisions.others)
        m_others.add(rank, std::move(context));
    ++m_found.windowsRun;
    m_found.positionsRun += places.size();
    m_found.decisions += places.size() * m_settings.routers.size();
    for (std::size_t expert = 0; expert < m_experts; ++expert)
        m_found.selections[expert] += decisions.selections[expert];
}

/// Adds what one router decided.
void Search::decide(const Window& window, const Trace& trace, const Places& places, std::size_t router,
                    Decisions& into) const
{
    const RouterAddress& address = m_settings.routers[router];
    const SiteRouting& site = *trace.site(address);
    const int head = site.headOf(address);
    for (const std::size_t place : places) {
        const std::size_t slot = site.slot(static_cast<std::int64_t>(place), head, 0);
        Rank rank{
            .gate = site.gates[slot], .document = window.document, .window = window.index, .place = place, .router = router};
        bool isChosen = !m_settings.expert;
        for (std::size_t i = slot; i < slot + static_cast<std::size_t>(site.router.chosen); ++i) {
            ++into.selections[static_cast<std::size_t>(site.experts[i])];
            if (!std::isfinite(site.gates[i]))
                throw Error(fmt::format("{} gave a gate of {}; the weights of this checkpoint are damaged or overflow.",
                                        address.toString(), site.gates[i]));
            if (site.experts[i] == m_settings.expert) {
                isChosen = true;
                rank.gate = site.gates[i];
            }
        }
        const bool wanted = [&] {
            const std::lock_guard lock(m_lock);
            return (isChosen ? m_chosen : m_others).wants(rank);
        }();
        if (wanted)
            (isChosen ? into.chosen : into.others).emplace_back(rank, context(window, site, router, place));
    }
}

Context Search::context(const Window& window, const SiteRouting& site, std::size_t router, std::size_t place) const
{
    const WindowText& text = window.text;
    const std::string_view bytes = text.bytes;
    const RouterAddress& address = m_settings.routers[router];
    const int head = site.headOf(address);
    const auto token = static_cast<std::int64_t>(place);
    const ByteRange keyword =
        wholeCharacters(bytes, {text.spans[place].begin - text.begin, text.spans[place].end - text.begin});

    Context made;
    made.document = window.document;
    made.path = m_files[text.file].path.string();
    made.documentBegin = text.documentBegin;
    made.bytes = {keyword.begin + text.begin, keyword.end + text.begin};
    made.window = window.index;
    made.position = token;
    made.id = window.ids[place];
    made.piece = m_model.tokenizer()->piece(made.id);
    made.router = address;
    for (int i = 0; i < site.router.chosen; ++i) {
        const std::size_t slot = site.slot(token, head, i);
        made.experts.push_back({site.experts[slot], site.gates[slot]});
    }
    made.margin = site.margins[site.margin(token, head)];
    const DoubtThreshold threshold = m_settings.marginPercentiles.empty()
                                         ? doubtThreshold(site, head)
                                         : DoubtThreshold{m_settings.marginPercentiles.at(router)};
    made.doubtful = doubtful(site, token, head, threshold);
    made.before = lastCharacters(bytes.substr(0, keyword.begin), contextCharacters);
    made.keyword = bytes.substr(keyword.begin, keyword.size());
    made.after = firstCharacters(bytes.substr(keyword.end), contextCharacters);
    const std::size_t windowBegin = text.spans.front().begin - text.begin;
    const std::size_t beforeBegin = keyword.begin - made.before.size();
    made.passage = passage(window, place, keyword);
    if (windowBegin > beforeBegin && !made.passage.remembers)
        made.unseen = std::min(windowBegin - beforeBegin, made.before.size());
    return made;
}

/// `keyword`: in the window's text.
Passage Search::passage(const Window& window, std::size_t place, ByteRange keyword) const
{
    const WindowText& text = window.text;
    const std::string_view bytes = text.bytes;
    std::size_t begin = std::min<std::size_t>(text.spans.front().begin - text.begin, keyword.begin);
    if (window.index == 0 && text.begin == 0)
        begin = 0;
    std::size_t end = keyword.end + firstCharacters(bytes.substr(keyword.end), contextCharacters).size();
    if (!m_info.visibility.causal) {
        end = std::max<std::size_t>(end, text.spans.back().end - text.begin);
    } else if (end < bytes.size()) { // between words, so that no word is cut
        const std::size_t space = bytes.substr(0, end).find_last_of(" \t\r\n");
        if (space != std::string_view::npos && space > keyword.end)
            end = space;
    }
    const auto from = [&](std::size_t first) {
        Passage made{.text = std::string(bytes.substr(first, end - first)),
                     .keyword = {keyword.begin - first, keyword.end - first}};
        made.sameTokens = becomes(made.text, window, place);
        made.remembers = window.memory.document && window.index > 0;
        return made;
    };
    Passage made = from(begin);
    if (!made.sameTokens && begin < keyword.begin &&
        bytes[begin] == ' ') // where a text's beginning stands for the space before its first word
        if (Passage other = from(begin + 1); other.sameTokens)
            return other;
    return made;
}

/// Whether a text alone becomes the tokens of the window that the decision at `place` depends on.
bool Search::becomes(const std::string& text, const Window& window, std::size_t place) const
{
    const std::vector<TokenId> ids =
        m_model.tokenizer()->encode(text, m_info.textPolicy, m_progress.quiet()).ids();
    if (!m_info.visibility.causal)
        return ids == window.ids;
    return ids.size() > place &&
           std::equal(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(place) + 1, window.ids.begin());
}

Contexts Search::found() const
{
    const std::lock_guard lock(m_lock);
    Contexts all = m_found;
    all.chosen = m_chosen.all();
    all.others = m_others.all();
    return all;
}

Contexts Search::run()
{
    m_progress.at(0, "reading the corpus");
    if (!m_settings.windows) {
        runAll();
    } else {
        SpreadWindows spread(*m_settings.windows);
        read([&](Window window) { spread.add(std::move(window)); });
        if (std::vector<Window> windows = spread.take(); !windows.empty())
            runKept(std::move(windows));
    }
    m_progress.checkpoint();
    return found();
}

} // namespace

Contexts findContexts(const Model& model, const ContextSettings& settings, const Progress& progress,
                      const ContextHooks& hooks)
{
    return Search(model, settings, progress, hooks).run();
}

} // namespace headscope::core
