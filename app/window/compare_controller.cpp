// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/compare_controller.h"

#include "core/compare/next_token_divergence.h"
#include "core/trace/model_info.h"
#include "core/trace/next_token.h"
#include "core/trace/weight_view.h"

#include <QCoreApplication>

#include <chrono>
#include <map>

namespace headscope::app {

using namespace std::chrono_literals;

namespace {

using SharedComparison = std::shared_ptr<const core::Comparison>;

/// The rows of a model's routers, kept as long as the comparison runs. Empty where its weights cannot be looked at.
core::RouterRows rowsOf(const std::shared_ptr<const core::Model>& model, const core::Progress& progress)
{
    const core::WeightViews* weights = model ? core::weightViews(*model) : nullptr;
    if (!weights)
        return {};
    auto views = std::make_shared<std::map<core::RouterAddress, core::WeightView>>();
    return [model, weights, views, progress](const core::RouterAddress& router) {
        auto found = views->find(router);
        if (found == views->end())
            found = views->emplace(router, weights->weightView(router, progress)).first;
        return core::MatrixRows{found->second.routerRows, static_cast<std::size_t>(found->second.width)};
    };
}

/// KL(A‖B) behind every token; empty where the vocabularies differ, or it would take more than about a second.
std::vector<float> divergence(const core::ComparedTraces& traces, const core::Model& a, const core::Model& b,
                              const core::Progress& progress)
{
    constexpr double most = 3e10; // multiply-accumulates
    const core::NextTokenHead* headA = core::nextTokenHead(a);
    const core::NextTokenHead* headB = core::nextTokenHead(b);
    if (!headA || !headB || traces.a->lastLayer.empty() || traces.b->lastLayer.empty() || !core::sameVocabulary(a, b) ||
        traces.a->text().ids() != traces.b->text().ids())
        return {};
    const std::int64_t perToken = a.info()->headProducts + b.info()->headProducts;
    if (static_cast<double>(traces.a->tokens()) * static_cast<double>(perToken) > most)
        return {};
    return core::nextTokenDivergence({*headA, *traces.a}, {*headB, *traces.b}, progress);
}

struct CompareWork {
    Comparer compare;
    core::ComparedTraces traces;
    core::CompareSettings settings;
    std::shared_ptr<const core::Model> modelA; // nullptr: only the traces are looked at
    std::shared_ptr<const core::Model> modelB;
    bool divergences = false;

    SharedComparison operator()(const core::Progress& progress)
    {
        core::CompareExtras extras;
        if (settings.matching == core::Matching::Weights) {
            extras.rowsA = rowsOf(modelA, progress);
            extras.rowsB = rowsOf(modelB, progress);
        }
        if (divergences)
            extras.divergence = divergence(traces, *modelA, *modelB, progress);
        return std::make_shared<const core::Comparison>(compare(traces, settings, extras, progress));
    }
};

} // namespace

CompareController::CompareController(Workspace& workspace, widgets::CompareView& view, Comparer comparer, QObject* parent)
    : QObject(parent), m_workspace(workspace), m_view(view), m_comparer(std::move(comparer))
{
    m_pause.setSingleShot(true);
    m_pause.setInterval(150ms);
    m_dim.setSingleShot(true);
    m_dim.setInterval(150ms);
    connect(&m_pause, &QTimer::timeout, this, [this] {
        if (const auto next = wanted())
            start(*next, Depth::Quick);
    });
    connect(&m_dim, &QTimer::timeout, this, [this] { m_view.setStale(true); });
    connect(&m_workspace, &Workspace::stateChanged, this, &CompareController::stateChanged);
    connect(&m_workspace, &Workspace::secondTraceFailed, this, [this](CheckpointSession* session, const QString& sentence) {
        m_problem = tr("%1 (B) could not run on this text. %2").arg(session->name(), sentence);
        stateChanged();
    });
    connect(&m_workspace, &Workspace::traceFailed, this, [this](CheckpointSession* session, const QString& sentence) {
        m_problem = tr("%1 (A) could not run on this text. %2").arg(session->name(), sentence);
        stateChanged();
    });
    connect(&m_workspace, &Workspace::textChanged, this, [this] { m_problem.clear(); });
    const auto another = [this] {
        m_problem.clear();
        stateChanged();
    };
    connect(&m_workspace, &Workspace::secondTraceChanged, this, another);
    connect(&m_workspace.checkpoints(), &CheckpointListItemModel::currentChanged, this, another);
    connect(&m_workspace.checkpoints(), &CheckpointListItemModel::secondChanged, this, another);
    connect(&m_view, &widgets::CompareView::matchingChosen, this, &CompareController::setMatching);
    stateChanged();
}

CompareController::~CompareController() = default;

void CompareController::setMatching(std::optional<core::Matching> matching)
{
    m_view.setMatching(matching);
    if (m_matching == matching)
        return;
    m_matching = matching;
    m_failed.reset();
    refresh();
}

/// Why there is nothing to compare, whatever was shown before; empty when there is, or will be.
QString CompareController::whyNothing() const
{
    const CheckpointSlots slotted = m_workspace.checkpoints().inSlots();
    if (!slotted.a)
        return tr("Open a checkpoint, and a second one to compare it with.");
    if (!slotted.b)
        return tr("Two checkpoints can be compared here on the same text: put one into B, the button beside A above.");
    return m_problem;
}

std::optional<CompareController::Wanted> CompareController::wanted() const
{
    if (!whyNothing().isEmpty() || !m_workspace.current() || !m_workspace.secondCurrent())
        return std::nullopt;
    return Wanted{{m_workspace.trace(), m_workspace.secondTrace()}, m_matching};
}

/// Lets go of what was compared; a large trace is not freed here, but in the background.
void CompareController::clear()
{
    m_pause.stop();
    m_dim.stop();
    m_job.cancel();
    m_computing.reset();
    m_shown.reset();
    m_failed.reset();
    const widgets::ComparedModels former = m_view.models();
    if (!former.comparison)
        return;
    m_view.setModels({});
    for (const std::shared_ptr<const void>& part :
         {std::shared_ptr<const void>(former.comparison), std::shared_ptr<const void>(former.traces.a),
          std::shared_ptr<const void>(former.traces.b)})
        m_workspace.compute().dispose(part);
    Q_EMIT shown();
}

void CompareController::stateChanged()
{
    if (const QString sentence = whyNothing(); !sentence.isEmpty()) {
        clear();
        const CheckpointSlots slotted = m_workspace.checkpoints().inSlots();
        m_view.setProgress({});
        return m_view.setMessage(sentence, slotted.a && !slotted.b);
    }
    if (!m_view.models().valid())
        m_view.setMessage(tr("A and B are being compared…"), false);
    refresh();
}

void CompareController::refresh()
{
    const std::optional<Wanted> next = wanted();
    if (next && next == m_shown) {
        m_dim.stop();
        m_view.setStale(false);
    } else if (m_shown && !m_dim.isActive()) {
        m_dim.start();
    }
    if (m_computing && next != m_computing) { // B's trace of the next text would wait for it
        m_computing.reset();
        m_job.cancel();
    }
    if (!next || !m_view.isVisible()) {
        m_pause.stop();
        return;
    }
    if (next == m_failed || next == m_computing || (next == m_shown && m_depth == Depth::Full) || m_job.pending())
        return; // the next one begins when the one that runs has ended
    if (next == m_shown)
        return start(*next, Depth::Full);
    m_pause.start();
}

void CompareController::start(const Wanted& wanted, Depth depth)
{
    if (m_job.pending())
        return;
    const CheckpointSlots slotted = m_workspace.checkpoints().inSlots();
    m_computing = wanted;
    m_depth = depth;
    CompareWork work{m_comparer, wanted.traces, {}, nullptr, nullptr, depth == Depth::Full};
    work.settings.matching = wanted.matching;
    if (wanted.matching == core::Matching::Weights || work.divergences) {
        work.modelA = slotted.a->model();
        work.modelB = slotted.b->model();
    }
    if (depth == Depth::Quick)
        work.settings.nullReplicates = work.settings.bootstrapReplicates = 0;
    else
        m_view.setProgress(tr("null and intervals are being drawn…"));
    m_job = slotted.a->queue().submit(Priority::ComparedText, std::move(work), this,
                                      [this](Outcome<SharedComparison> outcome) { arrived(std::move(outcome)); });
}

void CompareController::arrived(Outcome<SharedComparison> outcome)
{
    const std::optional<Wanted> done = std::exchange(m_computing, std::nullopt);
    const std::optional<Wanted> next = wanted();
    m_view.setProgress({});
    if (!done || done != next) { // of a former text
        m_depth = Depth::Quick;
        return refresh();
    }
    if (auto* comparison = std::get_if<SharedComparison>(&outcome)) {
        m_shown = done;
        m_dim.stop();
        m_view.setStale(false);
        const CheckpointSlots slotted = m_workspace.checkpoints().inSlots();
        m_view.setModels({std::move(*comparison), done->traces, slotted.a->name(), slotted.b->name()});
        Q_EMIT shown();
    } else if (const auto* failure = std::get_if<Failure>(&outcome)) {
        m_failed = done;
        const QString sentence = QString::fromStdString(failure->sentence);
        if (!m_view.models().valid())
            m_view.setMessage(sentence, false);
        Q_EMIT failed(sentence);
        return;
    }
    refresh();
}

bool CompareController::idle() const
{
    return !m_pause.isActive() && !m_job.pending();
}

} // namespace headscope::app
