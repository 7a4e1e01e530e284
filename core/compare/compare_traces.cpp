// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/comparison.h"

#include "core/compare/blocks.h"
#include "core/compare/default_matching.h"
#include "core/compare/losses.h"
#include "core/compare/orientation.h"
#include "core/compare/pairing.h"
#include "core/compare/site_comparison.h"
#include "core/compare/unit_intervals.h"
#include "core/error.h"
#include "core/trace/loss_note.h"
#include "core/trace/model_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

namespace headscope::core {
namespace {

constexpr double blank = std::numeric_limits<double>::quiet_NaN();

constexpr std::array matchingNames{
    std::pair{Matching::Identity, std::string_view("identity")},
    std::pair{Matching::Coselection, std::string_view("coselection")},
    std::pair{Matching::Weights, std::string_view("weights")},
};

/// Random numbers of their own for every purpose, so that asking for more of one leaves the others as they are.
enum class Purpose : std::uint64_t { Null = 1, Information = 3, NullOfFirst = 4 };
std::uint64_t seedFor(std::uint64_t seed, Purpose purpose, std::uint64_t at = 0)
{
    return seed ^ ((static_cast<std::uint64_t>(purpose) << 56) + (at << 24)); // heads are added below
}

/// The text on which routing is compared: losses are those of the last stream.
int alignedStream(const Trace& trace)
{
    return static_cast<int>(trace.streams.size()) - 1;
}

void requireWhole(const Trace& trace, std::string_view name)
{
    if (trace.streams.empty())
        throw Error(fmt::format("The trace of {} has no text.", name));
    for (const auto& site : trace.sites)
        if (site->tokens != trace.tokens(site->router.stream))
            throw Error(fmt::format("The trace of {} has no decision of {} for every token.", name,
                                    site->router.address.toString()));
}

/// The sites of a trace and, of another text, of the fit.
SiteDecisions decisionsOf(const Trace& trace, const Trace* fit, std::size_t site)
{
    SiteDecisions result;
    result.parts[0] = trace.sites[site];
    if (fit == nullptr)
        return result;
    const Router& router = trace.sites[site]->router;
    for (const auto& other : fit->sites)
        if (other->router.address == router.address && other->router.experts == router.experts &&
            other->router.chosen == router.chosen && other->heads == trace.sites[site]->heads)
            result.parts[1] = other;
    if (!result.parts[1])
        throw Error(
            fmt::format("The text that the matching is fitted on was traced by another model: it has no such router as {}.",
                        router.address.toString()));
    return result;
}

std::vector<MatrixRows> rowsOf(const RouterRows& rows, const RoutedSite& site, const std::vector<int>& heads)
{
    std::vector<MatrixRows> result;
    for (const int head : heads)
        result.push_back(rows ? rows(site.router(head)) : MatrixRows{});
    return result;
}

template <typename T>
void append(std::vector<T>& all, std::vector<T> more)
{
    std::move(more.begin(), more.end(), std::back_inserter(all));
}

/// Everything that the sites of a comparison have in common.
class TraceComparer
{
public:
    TraceComparer(const ComparedTraces& traces, const CompareSettings& settings, const CompareExtras& extras,
                  const Progress& progress)
        : m_traces(traces), m_settings(settings), m_extras(extras), m_progress(progress)
    {
        requireWhole(*traces.a, "A");
        requireWhole(*traces.b, "B");
    }

    Comparison run()
    {
        begin();
        layOut();
        pair();
        shuffle();
        judge();
        addUnits();
        addNotes();
        return std::move(m_result);
    }

private:
    void begin()
    {
        m_result.a = m_traces.a->model;
        m_result.b = m_traces.b->model;
        m_result.settings = m_settings;
        m_first = firstSide(m_traces, m_extras.fit);
        const auto choice = m_settings.matching
                                ? MatchingChoice{*m_settings.matching, fmt::format("The matching by {} was asked for.",
                                                                                   toString(*m_settings.matching))}
                                : defaultMatching(*m_result.a, *m_result.b);
        m_result.matching = choice.matching;
        m_result.whyMatching = choice.why;
        m_result.crossFitted = choice.matching == Matching::Coselection && !m_extras.fit;
        if (m_result.crossFitted && (m_settings.folds < 2 || m_settings.folds > 1000))
            throw Error(
                fmt::format("A matching is cross-fitted over 2 to 1000 parts of the text, not {}.", m_settings.folds));
    }

    /// Units, folds and blocks.
    void layOut()
    {
        const int streamA = alignedStream(*m_traces.a);
        const int streamB = alignedStream(*m_traces.b);
        const TokenizedText& textA = m_traces.a->text(streamA);
        const TokenizedText& textB = m_traces.b->text(streamB);
        m_result.alignment = alignTokens(textA, textB);
        const auto& units = m_result.alignment.units;
        m_units.a = unitTokens(textA, units, &AlignedUnit::a, 0);
        m_units.b = unitTokens(textB, units, &AlignedUnit::b, 0);
        const int folds = m_result.crossFitted ? m_settings.folds : 1;
        m_units.folds = static_cast<std::size_t>(folds);
        m_stretches = unitBlocks(units.size(), folds);
        m_units.fold = foldOfUnits(m_stretches, folds);
        m_idsA = textA.ids();
        m_idsB = textB.ids();
        if (!m_extras.fit)
            return;
        requireWhole(*m_extras.fit->a, "A on the text that the matching is fitted on");
        requireWhole(*m_extras.fit->b, "B on the text that the matching is fitted on");
        const TokenizedText& fitA = m_extras.fit->a->text(alignedStream(*m_extras.fit->a));
        const TokenizedText& fitB = m_extras.fit->b->text(alignedStream(*m_extras.fit->b));
        const Alignment alignment = alignTokens(fitA, fitB);
        m_units.fitA = unitTokens(fitA, alignment.units, &AlignedUnit::a, textA.tokens.size());
        m_units.fitB = unitTokens(fitB, alignment.units, &AlignedUnit::b, textB.tokens.size());
        append(m_idsA, fitA.ids());
        append(m_idsB, fitB.ids());
    }

    void pair()
    {
        const RoutedModel a = routedModel(*m_traces.a);
        const RoutedModel b = routedModel(*m_traces.b);
        Pairing pairing = pairRouters(a, b, m_settings.pairs);
        m_result.onlyA = std::move(pairing.onlyA);
        m_result.onlyB = std::move(pairing.onlyB);
        const Trace* const fitA = m_extras.fit ? m_extras.fit->a.get() : nullptr;
        const Trace* const fitB = m_extras.fit ? m_extras.fit->b.get() : nullptr;
        if (m_first == ComparedSide::B) // numbered in order of the forward pass of the one that goes first
            std::ranges::stable_sort(pairing.pairs, {}, &SitePair::siteB);
        std::vector<SiteComparison> all;
        for (const SitePair& sites : pairing.pairs) {
            m_progress.checkpoint();
            ComparedSites compared;
            compared.a = a.sites[sites.siteA];
            compared.b = b.sites[sites.siteB];
            compared.headsA = sites.headsA;
            compared.headsB = sites.headsB;
            if (compared.a.stream != alignedStream(*m_traces.a) || compared.b.stream != alignedStream(*m_traces.b)) {
                leaveOut(compared);
                continue;
            }
            compared.decisionsA = decisionsOf(*m_traces.a, fitA, sites.siteA);
            compared.decisionsB = decisionsOf(*m_traces.b, fitB, sites.siteB);
            if (m_result.matching == Matching::Weights) {
                compared.rowsA = rowsOf(m_extras.rowsA, compared.a, compared.headsA);
                compared.rowsB = rowsOf(m_extras.rowsB, compared.b, compared.headsB);
            }
            all.emplace_back(m_units, std::move(compared), m_result.matching, m_first);
        }
        joinBlocks(std::move(all));
    }

    /// Sites of the same two blocks and heads decide together which head is which.
    void joinBlocks(std::vector<SiteComparison> all)
    {
        const auto block = [](const SiteComparison& one) {
            const ComparedSites& sites = one.sites();
            return std::tuple(sites.a.address.mapAddress(), sites.b.address.mapAddress(), sites.headsA, sites.headsB);
        };
        while (!all.empty()) {
            const auto rest = std::stable_partition(
                all.begin(), all.end(), [&, first = block(all.front())](const auto& one) { return block(one) == first; });
            m_blocks.emplace_back(
                std::vector<SiteComparison>(std::make_move_iterator(all.begin()), std::make_move_iterator(rest)),
                m_result.matching);
            all.erase(all.begin(), rest);
        }
    }

    void leaveOut(const ComparedSites& sites)
    {
        for (const int head : sites.headsA)
            m_result.onlyA.push_back({sites.a.router(head), "The text that it routes is not the one that is compared."});
        for (const int head : sites.headsB)
            m_result.onlyB.push_back({sites.b.router(head), "The text that it routes is not the one that is compared."});
    }

    /// The null permutes the types of either side, in turn: which one would matter, where one of the two has few types of
    /// choices.
    void shuffle()
    {
        const auto typesOf = [](const std::vector<TokenId>& ids, const UnitTokens& judged,
                                const std::optional<UnitTokens>& fit) {
            std::vector<std::size_t> used = judged.token;
            if (fit)
                used.insert(used.end(), fit->token.begin(), fit->token.end());
            return TypeShuffle(ids, used);
        };
        const TypeShuffle ofA = typesOf(m_idsA, m_units.a, m_units.fitA);
        const TypeShuffle ofB = typesOf(m_idsB, m_units.b, m_units.fitB);
        SeededRandom ofFirst(seedFor(m_settings.seed, Purpose::NullOfFirst));
        SeededRandom ofSecond(seedFor(m_settings.seed, Purpose::Null));
        for (int replicate = 0; replicate < m_settings.nullReplicates && !m_blocks.empty(); ++replicate) {
            m_progress.at(static_cast<double>(replicate) / m_settings.nullReplicates, "comparing");
            const bool second = replicate % 2 == 0;
            const ComparedSide side = second == (m_first == ComparedSide::A) ? ComparedSide::B : ComparedSide::A;
            const auto source = (side == ComparedSide::A ? ofA : ofB).draw(second ? ofSecond : ofFirst);
            for (BlockComparison& block : m_blocks)
                block.judgeShuffled(side, source);
        }
    }

    void judge()
    {
        const auto intervals = m_settings.bootstrapReplicates > 0 ? WithIntervals::Yes : WithIntervals::No;
        std::uint64_t number = 0;
        for (const BlockComparison& block : m_blocks)
            for (const SiteComparison& site : block.sites()) {
                m_progress.checkpoint();
                append(m_result.routers, site.routers(intervals, seedFor(m_settings.seed, Purpose::Information, number++)));
                append(m_result.onlyA, site.leftA());
                append(m_result.onlyB, site.leftB());
            }
        sortRouters();
        m_result.units = compareUnits(m_traces, m_result.alignment, alignedStream(*m_traces.a));
        m_result.loss = compareLosses(m_result.units, intervals);
    }

    /// In order of A's forward pass.
    void sortRouters()
    {
        const auto placeOf = [this](const RouterComparison& router) {
            const auto& sites = m_traces.a->sites;
            return std::find_if(sites.begin(), sites.end(),
                                [whole = router.a.wholeSite()](const auto& site) { return site->router.address == whole; });
        };
        std::stable_sort(m_result.routers.begin(), m_result.routers.end(),
                         [&placeOf](const RouterComparison& one, const RouterComparison& other) {
                             const auto first = placeOf(one);
                             const auto second = placeOf(other);
                             return first != second ? first < second : one.a.head < other.a.head;
                         });
    }

    /// Means over the routers that have a choice, and what is known of every token.
    void addUnits()
    {
        double sum = 0, count = 0;
        std::vector<double> sums(m_result.units.size(), 0), counts(m_result.units.size(), 0);
        std::vector<const RouterComparison*> ascending; // so that the sums do not depend on the order of A
        for (const RouterComparison& router : m_result.routers)
            ascending.push_back(&router);
        std::ranges::stable_sort(ascending, [](const RouterComparison* one, const RouterComparison* other) {
            return !std::isnan(one->agreement) && (std::isnan(other->agreement) || one->agreement < other->agreement);
        });
        for (const RouterComparison* const of : ascending) {
            const RouterComparison& router = *of;
            if (std::isnan(router.agreement) || (router.chosenA == router.expertsA && router.chosenB == router.expertsB))
                continue;
            sum += router.agreement;
            ++count;
            for (std::size_t unit = 0; unit < sums.size(); ++unit)
                if (!std::isnan(router.unitAgreement[unit])) {
                    sums[unit] += static_cast<double>(router.unitAgreement[unit]);
                    ++counts[unit];
                }
        }
        m_result.agreement = count > 0 ? sum / count : blank;
        for (std::size_t unit = 0; unit < sums.size(); ++unit)
            m_result.units[unit].agreement = counts[unit] > 0 ? sums[unit] / counts[unit] : blank;
        if (m_extras.divergence.empty() || !m_result.alignment.sameTokens)
            return;
        if (m_extras.divergence.size() != m_traces.a->text(alignedStream(*m_traces.a)).tokens.size())
            throw Error("The divergences between next tokens are those of another text.");
        for (std::size_t unit = 0; unit < m_result.units.size(); ++unit)
            m_result.units[unit].divergence =
                static_cast<double>(m_extras.divergence[m_result.alignment.units[unit].a.last - 1]);
    }

    void addNotes()
    {
        auto& notes = m_result.notes;
        const auto units = m_result.alignment.units.size();
        const auto few = std::count_if(m_result.routers.begin(), m_result.routers.end(),
                                       [](const auto& router) { return router.tooLittleText; });
        if (few > 0)
            notes.push_back(fmt::format(
                "There is too little text to match the experts of {} of {} pairs of routers (fewer than 50 choices for each "
                "expert): give a longer text, or one to fit the matching on.",
                few, m_result.routers.size()));
        if (m_settings.bootstrapReplicates > 0 && units < fewestIntervalUnits)
            notes.push_back(
                fmt::format("The text has {} units, too few for intervals: there must be {}.", units, fewestIntervalUnits));
        addVerdicts();
        if (!m_result.alignment.sameTokens)
            notes.push_back(
                fmt::format("The tokens differ: {} tokens of A and {} of B were compared over {} stretches of bytes.",
                            m_units.a.token.size(), m_units.b.token.size(), units));
        if (m_result.routers.empty())
            notes.emplace_back("No router of A has a counterpart in B.");
        if (m_result.loss.bytes == 0)
            notes.emplace_back(m_traces.a->loss.empty() || m_traces.b->loss.empty()
                                   ? "Losses were not computed."
                                   : "No bytes have a loss in both models.");
        for (const auto& [which, trace] : {std::pair("A", m_traces.a.get()), std::pair("B", m_traces.b.get())})
            if (const auto note = lossNote(*trace))
                notes.push_back(fmt::format("{}: {}", which, *note));
    }

    /// What of intervals and verdicts is not to be trusted.
    void addVerdicts()
    {
        auto& notes = m_result.notes;
        const auto doubtful = std::ranges::count_if(m_result.routers, &RouterComparison::intervalDoubtful);
        if (doubtful > 0)
            notes.push_back(
                fmt::format("Neighbouring units agree alike over so long stretches that the intervals of {} of {} "
                            "pairs of routers may be too short: give a longer text.",
                            doubtful, m_result.routers.size()));
        if (m_result.loss.differenceDoubtful)
            notes.emplace_back(
                "Neighbouring units differ alike in their losses over so long stretches that the interval of the "
                "difference may be too short: give a longer text.");
        const auto atEdge = std::ranges::count(m_result.routers, NullVerdict::AtEdge, &RouterComparison::verdict);
        if (atEdge > 0)
            notes.push_back(
                fmt::format("{} of {} pairs of routers are at the edge of their null: another seed may put them on "
                            "the other side.",
                            atEdge, m_result.routers.size()));
    }

    const ComparedTraces& m_traces;
    const CompareSettings& m_settings;
    const CompareExtras& m_extras;
    const Progress& m_progress;
    Comparison m_result;
    ComparedUnits m_units;
    std::vector<std::size_t> m_stretches; // the first unit of each
    std::vector<TokenId> m_idsA, m_idsB;
    ComparedSide m_first = ComparedSide::A;
    std::vector<BlockComparison> m_blocks;
};

} // namespace

std::string_view toString(Matching matching)
{
    for (const auto& [value, name] : matchingNames)
        if (value == matching)
            return name;
    return "?";
}

std::optional<Matching> matchingFromString(std::string_view name)
{
    for (const auto& [value, known] : matchingNames)
        if (known == name)
            return value;
    return std::nullopt;
}

const RouterComparison* Comparison::ofA(const RouterAddress& address) const
{
    const auto found = std::find_if(routers.begin(), routers.end(),
                                    [&address](const RouterComparison& router) { return router.a == address; });
    return found == routers.end() ? nullptr : &*found;
}

const RouterComparison* Comparison::ofB(const RouterAddress& address) const
{
    const auto found = std::find_if(routers.begin(), routers.end(),
                                    [&address](const RouterComparison& router) { return router.b == address; });
    return found == routers.end() ? nullptr : &*found;
}

Comparison compareTraces(const ComparedTraces& traces, const CompareSettings& settings, const CompareExtras& extras,
                         const Progress& progress)
{
    return TraceComparer(traces, settings, extras, progress).run();
}

} // namespace headscope::core
