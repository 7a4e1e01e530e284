// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/compare_counts_controller.h"

#include "app/cli/command_line.h"
#include "core/export/atomic_stream.h"
#include "core/export/counts_comparison_export.h"

#include <fmt/format.h>

#include <algorithm>

namespace headscope::app {

namespace {

core::PairSettings pairSettings()
{
    core::PairSettings settings;
    settings.bootstrap.replicates = 0; // intervals of PMI are not shown
    return settings;
}

} // namespace

CompareCountsController::CompareCountsController(Workspace& workspace, widgets::CompareView& view,
                                                 widgets::CompareCorpus& corpus, QObject* parent)
    : QObject(parent), m_workspace(workspace), m_view(view), m_corpus(corpus)
{
    connect(&m_corpus, &widgets::CompareCorpus::shown, this, &CompareCountsController::refresh);
    connect(&m_view, &widgets::CompareView::pairShown, this, &CompareCountsController::refresh);
    connect(&m_view, &widgets::CompareView::matchingChosen, this, &CompareCountsController::refresh);
    connect(&workspace.checkpoints(), &CheckpointListItemModel::currentChanged, this, &CompareCountsController::refresh);
    connect(&workspace.checkpoints(), &CheckpointListItemModel::secondChanged, this, &CompareCountsController::refresh);
}

CompareCountsController::~CompareCountsController() = default;

void CompareCountsController::setSource(CountsOf source)
{
    m_source = std::move(source);
    refresh();
}

std::optional<CompareCountsController::Wanted> CompareCountsController::wanted() const
{
    const CheckpointSlots slotted = m_workspace.checkpoints().inSlots();
    const auto pair = m_view.pair();
    if (!m_source || !slotted.a || !slotted.b || !pair)
        return std::nullopt;
    const core::RouterComparison& at = m_view.models().comparison->routers[*pair];
    Wanted wanted{m_source(slotted.a), m_source(slotted.b), at.a, at.b, m_view.matching()};
    if (wanted.matching == core::Matching::Weights)
        wanted.matching.reset(); // counts have no weights
    return wanted.a && wanted.b ? std::optional(wanted) : std::nullopt;
}

void CompareCountsController::forget()
{
    m_job.cancel();
    m_computing.reset();
    m_shown.reset();
    m_tokens.reset();
    m_corpus.setTokens(nullptr);
}

void CompareCountsController::refresh()
{
    const std::optional<Wanted> next = wanted();
    if (!next) {
        forget();
        return m_corpus.setMessage(tr(
            "Count a corpus by A and by B on the Specialisation page, or open their counts there (each while it is A), to "
            "see here what matched experts specialise in."));
    }
    if (!m_corpus.isVisible() || next == m_shown || next == m_computing)
        return;
    if (m_job.pending()) { // the next one begins when it has ended
        m_computing.reset();
        m_job.cancel();
        return;
    }
    m_computing = next;
    if (!m_tokens)
        m_corpus.setMessage(tr("The counts of A and B are being compared…"));
    auto known = m_shown && m_shown->sameCounts(*next) && m_tokens ? m_tokens->comparison : nullptr;
    m_job = m_workspace.checkpoints().current()->queue().submit(
        Priority::Overview,
        [what = *next, known](const core::Progress& progress) -> SharedTokens {
            auto result = std::make_shared<widgets::ComparedTokens>();
            core::CompareSettings settings;
            settings.matching = what.matching;
            result->comparison = known ? known
                                       : std::make_shared<const core::CountsComparison>(
                                             core::compareCounts(*what.a, *what.b, settings, {}, progress));
            const auto& routers = result->comparison->routers;
            auto found = std::ranges::find_if(routers, [&](const core::CountedRouterComparison& pair) {
                return pair.a == what.routerA && pair.b == what.routerB;
            });
            if (found == routers.end()) // heads may correspond otherwise over the corpus than in the text
                found = std::ranges::find(routers, what.routerA, &core::CountedRouterComparison::a);
            if (found == routers.end())
                throw core::Error(fmt::format("{} of A has no counterpart in the counts of B.", what.routerA.toString()));
            result->router = static_cast<std::size_t>(found - routers.begin());
            result->tokens = core::tokenDifferences(*what.a, *what.b, *found, pairSettings(), progress);
            return result;
        },
        this, [this](Outcome<SharedTokens> outcome) { arrived(std::move(outcome)); });
}

void CompareCountsController::arrived(Outcome<SharedTokens> outcome)
{
    const std::optional<Wanted> done = std::exchange(m_computing, std::nullopt);
    if (!done || done != wanted())
        return refresh();
    m_shown = done;
    if (auto* tokens = std::get_if<SharedTokens>(&outcome)) {
        m_tokens = std::move(*tokens);
        m_corpus.setTokens(m_tokens);
    } else if (const auto* failure = std::get_if<Failure>(&outcome)) {
        m_tokens.reset();
        m_corpus.setTokens(nullptr);
        m_corpus.setMessage(QString::fromStdString(failure->sentence));
    }
}

void CompareCountsController::exportTable(const std::filesystem::path& path)
{
    const auto format = core::tableFormat(path.extension().string());
    if (!format)
        return Q_EMIT failed(
            tr("A table is written into a file whose name ends in .csv, .tsv, .json, .md or .tex; %1 does not.")
                .arg(QString::fromStdString(path.filename().string())));
    if (!m_tokens || !m_shown || m_writing.pending())
        return;
    m_writing = m_workspace.compute().files().submit(
        Priority::Overview,
        [path, format, what = *m_shown, tokens = m_tokens](const core::Progress& progress) {
            core::AtomicStream file(path);
            const core::CountsComparisonExport written{.a = *what.a,
                                                       .b = *what.b,
                                                       .comparison = *tokens->comparison,
                                                       .program = fmt::format("Headscope {}", version()),
                                                       .routers = {tokens->router},
                                                       .pairs = pairSettings()};
            core::writeCountsComparison(file.stream(), *format, core::CountsComparisonTable::Tokens, written, progress);
            file.commit();
            return true;
        },
        this,
        [this, path](const Outcome<bool>& outcome) {
            if (const auto* failure = std::get_if<Failure>(&outcome))
                Q_EMIT failed(QString::fromStdString(failure->sentence));
            else if (std::holds_alternative<bool>(outcome))
                Q_EMIT written(path);
        });
}

} // namespace headscope::app
