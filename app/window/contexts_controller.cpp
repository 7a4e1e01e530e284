// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/contexts_controller.h"

#include "app/cli/command_line.h"
#include "core/error.h"
#include "core/export/atomic_stream.h"
#include "core/export/contexts_export.h"
#include "core/tokenizer/fold_case.h"

#include <QCoreApplication>
#include <QStringList>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace headscope::app {

using namespace std::chrono_literals;

namespace {

using Clock = std::chrono::steady_clock;
using Found = std::shared_ptr<const core::Contexts>;

QString tr(const char* text)
{
    return QCoreApplication::translate("ContextsController", text);
}

/// What a search finds is shown as it is found, but not more often than it can be read.
constexpr auto betweenPartials = 300ms;

struct ContextsWork {
    std::shared_ptr<const core::Model> model;
    core::ContextSettings settings;
    std::function<void(Found)> partial; // from the working thread

    Found operator()(const core::Progress& progress) const
    {
        Clock::time_point last = Clock::now();
        core::ContextHooks hooks;
        hooks.wanted = [&last] { return Clock::now() - last >= betweenPartials; };
        hooks.partial = [&](core::Contexts contexts) {
            last = Clock::now();
            if (contexts.windowsRun > 0)
                partial(std::make_shared<const core::Contexts>(std::move(contexts)));
        };
        return std::make_shared<const core::Contexts>(core::findContexts(*model, settings, progress, hooks));
    }
};

} // namespace

core::ContextSettings contextSettings(const ContextsQuestion& question)
{
    const core::RouterTable& table = question.statistics->table;
    const widgets::StatisticsChoice& choice = question.statistics->choice;
    const core::RowName& name = table.rows->at(question.pair.row);
    core::ContextSettings settings;
    settings.corpus = question.corpus.corpus;
    settings.documents = question.corpus.documents;
    settings.window = question.corpus.window;
    settings.skipFirst = question.corpus.skipFirst;
    settings.expert = question.pair.expert;
    settings.fingerprint = question.counts->basis.fingerprint;
    for (const std::string& member : table.members)
        if (const auto address = core::RouterAddress::parse(member)) {
            const core::RouterCounts* counted = question.counts->find(*address);
            settings.routers.push_back(*address);
            settings.marginPercentiles.push_back(counted ? core::marginPercentile(counted->margins, 0.01).value_or(0) : 0);
        }
    settings.foldCase = choice.letters == core::LetterCase::Folded;
    if (choice.unit == core::RowUnit::Words) {
        settings.words = {name.text};
    } else if (name.id) {
        settings.ids = {*name.id};
    } else { // pieces that differ in case only
        const core::TokenTable& tokens = question.counts->streams.front().tokens;
        for (std::size_t row = 0; row < tokens.size(); ++row)
            if (core::foldCase(tokens.pieces[row]) == name.text)
                settings.ids.push_back(tokens.ids[row]);
    }
    if (settings.routers.empty() || (settings.ids.empty() && settings.words.empty()))
        throw core::Error("The counts do not have this row any more; choose it again.");
    return settings;
}

QString differenceFrom(const core::Counts& counts, widgets::Completeness completeness, const core::Contexts& contexts)
{
    QStringList differences;
    if (counts.basis.window != contexts.basis.window)
        differences
            << tr("windows of %1 tokens, %2 when it was counted").arg(contexts.basis.window).arg(counts.basis.window);
    if (counts.basis.documents != contexts.basis.documents)
        differences << tr("documents by \"%1\", by \"%2\" when it was counted")
                           .arg(QString::fromStdString(contexts.basis.documents),
                                QString::fromStdString(counts.basis.documents));
    if (counts.basis.skipFirst != contexts.basis.skipFirst)
        differences << tr("%1 first positions left out, %2 when it was counted")
                           .arg(contexts.basis.skipFirst)
                           .arg(counts.basis.skipFirst);
    if (!core::differenceOf(counts.basis.evaluation, contexts.basis.evaluation).empty())
        differences << tr("%1; %2 when it was counted")
                           .arg(QString::fromStdString(core::toString(contexts.basis.evaluation)),
                                counts.basis.evaluation.segment > 0
                                    ? QString::fromStdString(core::toString(counts.basis.evaluation))
                                    : tr("windows by themselves"));
    const core::CorpusSize& corpus = counts.streams.front().corpus;
    const bool wholeCorpus = completeness == widgets::Completeness::Whole && counts.parts.of == 1;
    if (differences.isEmpty() && wholeCorpus && corpus.hash != contexts.corpus.hash)
        differences << tr("other texts than those that were counted");
    if (differences.isEmpty() && counts.parts.of != 1)
        differences << tr("all of the corpus, of which a part was counted");
    return differences.isEmpty() ? QString()
                                 : tr("Not what the tables are of: %1.").arg(differences.join(QStringLiteral("; ")));
}

ContextsController::ContextsController(Workspace& workspace, widgets::ContextsView& view, QObject* parent)
    : QObject(parent), m_workspace(workspace), m_view(view)
{
    connect(&m_view, &widgets::ContextsView::stopAsked, this, &ContextsController::stop);
    connect(&m_workspace.checkpoints(), &CheckpointListItemModel::currentChanged, this, &ContextsController::clear);
}

ContextsController::~ContextsController() = default;

void ContextsController::stop()
{
    m_next.reset();
    m_job.cancel();
}

void ContextsController::clear()
{
    stop();
    if (m_run)
        m_run->isWanted = false;
    m_former = {};
    show({});
}

void ContextsController::show(Shown shown)
{
    m_shown = std::move(shown);
    m_view.setContexts(m_shown.contexts, m_shown.row, m_shown.expert);
    m_view.setNote(m_shown.note);
}

void ContextsController::exportTable(const std::filesystem::path& path)
{
    if (!m_shown.contexts || m_writing.pending())
        return;
    const auto format = core::tableFormat(path.extension().string());
    if (!format)
        return Q_EMIT notWritten(
            tr("A table is written into a file whose name ends in .csv, .tsv, .json, .md or .tex; %1 does not.")
                .arg(QString::fromStdString(path.filename().string())));
    const core::ContextsExport what{.program = fmt::format("Headscope {}", version()),
                                    .note = m_shown.note.toStdString(),
                                    .row = m_shown.name,
                                    .routers = m_shown.routers,
                                    .expert = m_shown.expert,
                                    .limit = core::ContextSettings{}.limit};
    m_writing = m_workspace.compute().files().submit(
        Priority::Overview,
        [path, format, what, contexts = m_shown.contexts](const core::Progress&) {
            core::AtomicStream file(path);
            core::writeContexts(file.stream(), *format, *contexts, what);
            file.commit();
            return true;
        },
        this,
        [this, path](const Outcome<bool>& outcome) {
            if (const auto* failure = std::get_if<Failure>(&outcome))
                Q_EMIT notWritten(QString::fromStdString(failure->sentence));
            else if (std::holds_alternative<bool>(outcome))
                Q_EMIT written(path);
        });
}

void ContextsController::find(ContextsQuestion question)
{
    if (!m_run)
        return start(std::move(question));
    m_next = std::move(question);
    m_job.cancel();
}

void ContextsController::start(ContextsQuestion question)
{
    CheckpointSession* by = m_workspace.checkpoints().current();
    if (!by || !by->model())
        return;
    core::ContextSettings settings;
    try {
        settings = contextSettings(question);
    } catch (const core::Error& error) {
        return Q_EMIT failed(QString::fromStdString(error.what()));
    }
    settings.batch = static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); // few at a time: it gives way soon
    const int number = ++m_runs;
    const QString row = widgets::rowText(*question.statistics, question.pair.row);
    const core::RouterTable& table = question.statistics->table;
    const std::string pooled =
        table.members.size() == 1 ? std::string() : fmt::format(" ({} routers added up)", table.members.size());
    const std::string name = (settings.words.empty() ? "token " : "word ") + table.rows->at(question.pair.row).text;
    const std::string routers = table.router + pooled; // the question is moved from below
    m_run = Run{number, std::move(question), row, settings.expert, routers, name};
    const auto partial = [this, number](Found contexts) { // this outlives the job
        QMetaObject::invokeMethod(
            this, [this, number, contexts = std::move(contexts)] { partialArrived(number, contexts); },
            Qt::QueuedConnection);
    };
    m_view.setSearching(widgets::SearchState{0, tr("%1: waiting").arg(row)});
    m_job = by->queue().submit(
        Priority::Contexts, ContextsWork{by->model(), std::move(settings), partial}, this,
        [this](Outcome<Found> outcome) { ended(std::move(outcome)); },
        [this](const ProgressReport& report) {
            m_view.setSearching(widgets::SearchState{report.fraction, tr("%1: %2").arg(m_run->row, report.stage)});
        });
}

void ContextsController::partialArrived(int run, Found contexts)
{
    if (m_run && m_run->number == run && m_run->isWanted && !m_next)
        show({std::move(contexts), m_run->row, m_run->expert, {}, m_run->routers, m_run->name});
}

/// What is to be known about contexts that were looked for to the end.
QString ContextsController::noteOf(const Run& run, const core::Contexts& contexts) const
{
    QStringList sentences;
    if (!contexts.whole())
        sentences << tr("The windows that were run are spread evenly over the corpus.");
    if (const QString difference = differenceFrom(*run.question.counts, run.question.completeness, contexts);
        !difference.isEmpty())
        sentences << difference;
    return sentences.join(u' ');
}

void ContextsController::ended(Outcome<Found> outcome)
{
    const Run run = *std::exchange(m_run, std::nullopt);
    m_view.setSearching(std::nullopt);
    const auto* failure = std::get_if<Failure>(&outcome);
    if (const auto* contexts = std::get_if<Found>(&outcome); contexts && run.isWanted)
        show({*contexts, run.row, run.expert, noteOf(run, **contexts), run.routers, run.name});
    else if (failure && run.isWanted)
        show(m_former);
    else if (run.isWanted && m_shown.contexts != m_former.contexts && !m_next)
        show({m_shown.contexts, m_shown.row, m_shown.expert,
              tr("The search was stopped; these are of the windows that were run."), m_shown.routers, m_shown.name});
    m_former = m_shown;
    if (failure && run.isWanted)
        Q_EMIT failed(QString::fromStdString(failure->sentence));
    if (m_next)
        start(*std::exchange(m_next, std::nullopt));
}

} // namespace headscope::app
