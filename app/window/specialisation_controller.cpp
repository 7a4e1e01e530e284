// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/specialisation_controller.h"

#include "app/cli/command_line.h"
#include "app/cli/corpus_options.h"
#include "core/families/model.h"
#include "core/corpus/counts_file.h"
#include "core/export/atomic_stream.h"
#include "core/trace/model_info.h"
#include "widgets/number_text.h"

#include <QCoreApplication>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace headscope::app {

using namespace std::chrono_literals;

namespace {

using Clock = std::chrono::steady_clock;
using SharedCounts = std::shared_ptr<const core::Counts>;

QString tr(const char* text)
{
    return QCoreApplication::translate("SpecialisationController", text);
}

QString aboutOf(const core::Counts& counts)
{
    using widgets::counted;
    const core::CorpusSize& corpus = counts.streams.front().corpus;
    const core::EvaluationMode& mode = counts.basis.evaluation;
    const QString memory = mode.memoryBlocks > 0 ? tr(" (%1)").arg(QString::fromStdString(core::toString(mode))) : QString();
    return tr("%1 of %2; windows of %3 tokens%5; %4")
        .arg(counted(static_cast<std::int64_t>(corpus.positions), tr("counted position"), tr("counted positions")),
             counted(static_cast<std::int64_t>(corpus.documents), tr("document"), tr("documents")),
             QString::number(counts.basis.window), QString::fromStdString(counts.basis.model), memory);
}

/// The decision that is counted for a router: its own, or the one that it shares.
core::RouterAddress decidingRouter(const core::ModelInfo& info, const core::RouterAddress& address)
{
    const auto router = std::ranges::find(info.routers, address, &core::Router::address);
    return router != info.routers.end() && router->sharedWith ? *router->sharedWith : address;
}

/// When what was counted so far is asked for: seldom enough that it costs little of the time.
class PartialPace
{
public:
    bool due() const { return Clock::now() - m_last >= m_interval; }
    void took(Clock::duration time)
    {
        m_interval = std::max<Clock::duration>(2s, 20 * time);
        m_last = Clock::now();
    }

private:
    Clock::time_point m_last = Clock::now();
    Clock::duration m_interval = 1s;
};

std::shared_ptr<const core::FilesInUse> filesInUse(const std::vector<std::filesystem::path>& paths)
{
    auto files = std::make_shared<core::FilesInUse>(core::FilesInUse::Readers::None);
    for (const std::filesystem::path& path : paths)
        files->add(path);
    return files;
}

std::shared_ptr<const core::FilesInUse> filesOf(const core::CountSettings& settings)
{
    std::vector<std::filesystem::path> paths = settings.corpus;
    if (!settings.tags.empty())
        paths.push_back(settings.tags);
    return filesInUse(paths);
}

struct CountWork {
    std::shared_ptr<const core::Model> model;
    std::filesystem::path path;
    FileStamp stamp;
    core::CountSettings settings;
    std::function<void(SharedCounts)> partial; // from the working thread
    std::shared_ptr<QStringList> notes;        // filled in before the work ends

    SharedCounts operator()(const core::Progress& progress)
    {
        const core::FilesInUse files(core::FilesInUse::Readers::ThisThread);
        settings.fingerprint = core::modelFingerprint(path, {}, progress);
        if (FileStamp::of(path) != stamp)
            throw core::Error(fmt::format(
                "{} has changed on disk since it was opened; open it again before you count by it.", path.string()));
        std::string stage = "reading the corpus";
        double fraction = 0;
        PartialPace pace;
        core::CountHooks hooks;
        hooks.stop = progress.stop;
        hooks.progress = [&](const core::CountProgress& now) {
            fraction = now.fraction;
            stage = countingText(now);
            progress.report(fraction, stage);
        };
        hooks.pause = [&] { // between windows: whatever is more urgent is done inside of `report`
            progress.report(fraction, stage);
            return false;
        };
        hooks.wantsPartial = [&] { return pace.due(); };
        hooks.partial = [&](core::Counts counts) {
            const auto begin = Clock::now();
            partial(std::make_shared<const core::Counts>(std::move(counts)));
            pace.took(Clock::now() - begin);
        };
        hooks.notes = [&](const std::vector<std::string>& sentences) {
            for (const std::string& sentence : sentences)
                notes->append(QString::fromStdString(sentence));
        };
        return std::make_shared<const core::Counts>(core::countCorpus(*model, settings, hooks));
    }
};

} // namespace

SpecialisationController::SpecialisationController(Workspace& workspace, widgets::SpecialisationView& view, QObject* parent)
    : QObject(parent), m_workspace(workspace), m_view(view)
{
    m_dim.setSingleShot(true);
    m_dim.setInterval(150ms);
    connect(&m_dim, &QTimer::timeout, this, [this] { m_view.setStale(true); });
    connect(&m_workspace.checkpoints(), &CheckpointListItemModel::currentChanged, this,
            &SpecialisationController::showCurrent);
    connect(&m_view, &widgets::SpecialisationView::choiceChanged, this, &SpecialisationController::refresh);
    connect(&m_view, &widgets::SpecialisationView::cancelAsked, this, &SpecialisationController::stopCounting);
    showCurrent();
}

SpecialisationController::~SpecialisationController()
{
    if (m_run) // its job saves where it is when it ends
        m_unfinished.note(m_run->checkpoint, m_run->settings, m_run->counted);
}

std::optional<UnfinishedCount> SpecialisationController::unfinished() const
{
    const CheckpointSession* by = session();
    return by && !m_run ? m_unfinished.find(by->path()) : std::nullopt;
}

const SpecialisationController::Held* SpecialisationController::held() const
{
    const auto found = m_held.find(session());
    return found == m_held.end() ? nullptr : &found->second;
}

SpecialisationController::Held SpecialisationController::heldOf(const CheckpointSession* session) const
{
    const auto found = m_held.find(session);
    return found == m_held.end() ? Held() : found->second;
}

void SpecialisationController::hold(const CheckpointSession* session, Held held)
{
    if (held.corpus && !held.files)
        held.files = filesOf(*held.corpus);
    const bool known = m_held.contains(session);
    if (!known)
        connect(session, &QObject::destroyed, this, [this, session] { forget(session); });
    SharedCounts former = std::exchange(m_held[session], std::move(held)).counts;
    if (session == this->session())
        showCurrent();
    Q_EMIT countsChanged();
    if (former && former != m_held[session].counts)
        m_workspace.compute().dispose(std::move(former));
}

std::shared_ptr<const core::Counts> SpecialisationController::countsOf(const CheckpointSession* session) const
{
    const auto found = m_held.find(session);
    return found != m_held.end() && found->second.completeness == widgets::Completeness::Whole ? found->second.counts : nullptr;
}

void SpecialisationController::forget(const CheckpointSession* session)
{
    if (const auto found = m_held.find(session); found != m_held.end()) {
        m_workspace.compute().dispose(std::move(found->second.counts));
        m_held.erase(found);
    }
}

void SpecialisationController::showCurrent()
{
    if (const Held* now = held(); now && now->counts)
        m_view.setCounts(now->counts, now->about, now->completeness);
    else
        m_view.setCounts(nullptr, {});
    showCounting();
    refresh();
}

void SpecialisationController::showCounting()
{
    if (!m_run)
        return m_view.setCounting(std::nullopt);
    widgets::CountingState state = m_run->state;
    if (m_run->session != session())
        state.text = tr("another checkpoint: %1").arg(state.text);
    m_view.setCounting(state);
}

void SpecialisationController::count(core::CountSettings settings)
{
    CheckpointSession* by = session();
    if (!by || m_run)
        return;
    if (!by->hasTokenizer())
        return Q_EMIT failed(
            tr("%1 has no tokenizer beside it; choose the one it was trained with (File, Choose tokenizer…) and count then.")
                .arg(by->name())
            + (by->info()->withoutTokenizer.empty() ? QString() : QStringLiteral(" ") + QString::fromStdString(by->info()->withoutTokenizer)));
    const int number = ++m_runs;
    settings = m_unfinished.begin(by->path(), std::move(settings));
    m_run = Run{by, by->path(), number, {0, tr("waiting")}, heldOf(by), settings,
                m_unfinished.find(by->path()).value_or(UnfinishedCount{}).fraction};
    connect(by, &QObject::destroyed, this, [this, number] {
        if (m_run && m_run->number == number)
            m_counting.cancel();
    });
    if (settings.batch == 0) // few windows at the same time, so that it gives way soon
        settings.batch = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    const auto partial = [this, number](SharedCounts counts) { // this outlives the job
        QMetaObject::invokeMethod(
            this, [this, number, counts = std::move(counts)] { partialArrived(number, counts); }, Qt::QueuedConnection);
    };
    const auto notes = std::make_shared<QStringList>();
    m_counting = by->queue().submit(
        Priority::Corpus, CountWork{by->model(), by->path(), by->stamp(), std::move(settings), partial, notes}, this,
        [this, notes](Outcome<SharedCounts> outcome) {
            const bool whole = std::holds_alternative<SharedCounts>(outcome);
            countingEnded(std::move(outcome));
            if (whole && !notes->isEmpty())
                Q_EMIT noted(*notes);
        },
        [this](const ProgressReport& report) {
            m_run->state = {report.fraction, report.stage};
            if (report.stage.startsWith(QLatin1String("counting")))
                m_run->counted = report.fraction;
            showCounting();
        });
    showCounting();
}

void SpecialisationController::stopCounting()
{
    m_counting.cancel();
}

void SpecialisationController::partialArrived(int run, SharedCounts counts)
{
    if (!m_run || m_run->number != run || !m_run->session)
        return;
    const QString about =
        tr("So far: %1. Of documents that are not complete the null lacks its part.").arg(aboutOf(*counts));
    hold(m_run->session, {std::move(counts), widgets::Completeness::Unfinished, about, m_run->settings});
}

void SpecialisationController::countingEnded(Outcome<SharedCounts> outcome)
{
    const Run run = *std::exchange(m_run, std::nullopt);
    showCounting();
    if (std::holds_alternative<SharedCounts>(outcome))
        m_unfinished.forget(run.checkpoint);
    else
        m_unfinished.note(run.checkpoint, run.settings, run.counted);
    if (!run.session)
        return;
    if (auto* counts = std::get_if<SharedCounts>(&outcome)) {
        const QString about = aboutOf(**counts);
        return hold(run.session, {std::move(*counts), widgets::Completeness::Whole, about, run.settings});
    }
    if (const auto* failure = std::get_if<Failure>(&outcome))
        Q_EMIT failed(QString::fromStdString(failure->sentence));
    const Held now = heldOf(run.session);
    if (run.former.counts)
        hold(run.session, run.former);
    else if (now.counts)
        hold(run.session, {now.counts, now.completeness, tr("Counting was stopped: %1.").arg(aboutOf(*now.counts)), run.settings});
}

void SpecialisationController::openCounts(const std::filesystem::path& path)
{
    CheckpointSession* of = session();
    if (!of)
        return Q_EMIT failed(tr("Open the checkpoint that the counts are of first."));
    if (m_reading.pending())
        m_reading.cancel();
    m_reading = m_workspace.compute().files().submit(
        Priority::Overview,
        [path, checkpoint = of->path()](const core::Progress& progress) {
            auto counts = std::make_shared<const core::Counts>(core::readCounts(path, progress));
            if (counts->basis.fingerprint != core::modelFingerprint(checkpoint, {}, progress))
                throw core::Error(fmt::format("{} was counted by another checkpoint ({}) than the one that is shown; open "
                                              "that one first, or count the "
                                              "corpus anew.",
                                              path.string(), counts->basis.model));
            return SharedCounts(std::move(counts));
        },
        this,
        [this, path, guard = QPointer(of)](Outcome<SharedCounts> outcome) {
            if (auto* counts = std::get_if<SharedCounts>(&outcome); counts && guard) {
                const QString about = aboutOf(**counts);
                hold(guard, {std::move(*counts), widgets::Completeness::Whole, about, {}, filesInUse({path})});
            } else if (const auto* failure = std::get_if<Failure>(&outcome)) {
                Q_EMIT failed(QString::fromStdString(failure->sentence));
            }
        });
}

template <class Work>
void SpecialisationController::write(const std::filesystem::path& path, Work work)
{
    std::erase_if(m_writing, [](const Job& job) { return !job.pending(); });
    m_writing.push_back(m_workspace.compute().files().submit(
        Priority::Overview,
        [work = std::move(work)](const core::Progress& progress) {
            work(progress);
            return true;
        },
        this,
        [this, path](const Outcome<bool>& outcome) {
            if (const auto* failure = std::get_if<Failure>(&outcome))
                Q_EMIT failed(QString::fromStdString(failure->sentence));
            else if (std::holds_alternative<bool>(outcome))
                Q_EMIT written(path);
        }));
}

void SpecialisationController::saveCounts(const std::filesystem::path& path)
{
    const Held* now = held();
    if (now && now->completeness == widgets::Completeness::Whole)
        write(path,
              [path, counts = now->counts](const core::Progress& progress) { core::writeCounts(path, *counts, progress); });
}

core::StatisticsExport SpecialisationController::exported(const core::Counts& counts, bool allRouters) const
{
    const widgets::StatisticsChoice& choice = m_view.choice();
    core::StatisticsExport what;
    what.program = fmt::format("Headscope {}", version());
    if (held()->completeness == widgets::Completeness::Unfinished)
        what.note = "unfinished: only a part of the corpus was counted";
    what.unit = choice.unit;
    what.letters = choice.letters;
    what.pooling = choice.pooling;
    what.pairs = choice.pairSettings();
    what.pairs.bootstrap = {};
    what.sort = m_view.order();
    if (const QRegularExpression filter = m_view.filter(); !filter.pattern().isEmpty()) {
        what.keep = [filter, unit = choice.unit](const core::RowName& name) {
            return filter.match(widgets::rowText(name, unit)).hasMatch();
        };
        what.filter = "display form of the token matches " + filter.pattern().toStdString();
    }
    const auto& shown = m_view.statistics();
    for (std::size_t i = 0; i < counts.routers.size(); ++i) {
        const std::string address = counts.routers[i].router.address.toString();
        if (allRouters || (shown && std::ranges::find(shown->table.members, address) != shown->table.members.end()))
            what.routers.push_back(i);
    }
    return what;
}

void SpecialisationController::exportTable(const std::filesystem::path& path, core::StatisticsTable table, bool allRouters)
{
    const Held* now = held();
    if (!now)
        return;
    const auto format = core::tableFormat(path.extension().string());
    if (!format)
        return Q_EMIT failed(
            tr("A table is written into a file whose name ends in .csv, .tsv, .json, .md or .tex; %1 does not.")
                .arg(QString::fromStdString(path.filename().string())));
    write(path, [path, table, format, counts = now->counts,
                 what = exported(*now->counts, allRouters)](const core::Progress& progress) {
        core::AtomicStream file(path);
        core::writeStatistics(file.stream(), *format, table, *counts, what, progress);
        file.commit();
    });
}

std::optional<SpecialisationController::Wanted> SpecialisationController::wanted() const
{
    const Held* now = held();
    const auto& router = m_workspace.selection().state().router;
    if (!now || !now->counts || !router)
        return std::nullopt;
    const auto info = session()->info();
    return Wanted{now->counts, info ? decidingRouter(*info, *router) : *router, m_view.choice()};
}

void SpecialisationController::refresh()
{
    const std::optional<Wanted> next = wanted();
    if (!next) {
        m_shown.reset();
        m_view.setStatistics(nullptr);
        return;
    }
    if (!m_view.isVisible() || next == m_shown || next == m_computing)
        return;
    if (m_statistics.pending()) { // the next one begins when it has ended
        m_computing.reset();
        m_statistics.cancel();
        return;
    }
    m_computing = next;
    m_dim.start();
    m_statistics = session()->queue().submit(
        Priority::Overview,
        [what = *next](const core::Progress& progress) {
            return std::make_shared<const widgets::RouterStatistics>(
                widgets::routerStatistics(*what.counts, what.router, what.choice, progress));
        },
        this,
        [this](Outcome<std::shared_ptr<const widgets::RouterStatistics>> outcome) {
            statisticsArrived(std::move(outcome));
        });
}

void SpecialisationController::statisticsArrived(Outcome<std::shared_ptr<const widgets::RouterStatistics>> outcome)
{
    const std::optional<Wanted> done = std::exchange(m_computing, std::nullopt);
    m_dim.stop();
    m_view.setStale(false);
    if (!done || done != wanted())
        return refresh();
    m_shown = done;
    if (auto* statistics = std::get_if<std::shared_ptr<const widgets::RouterStatistics>>(&outcome))
        m_view.setStatistics(std::move(*statistics));
    else if (const auto* failure = std::get_if<Failure>(&outcome))
        m_view.setProblem(QString::fromStdString(failure->sentence));
}

std::optional<core::CountSettings> SpecialisationController::corpus() const
{
    const Held* now = held();
    return now ? now->corpus : std::nullopt;
}

void SpecialisationController::setCorpus(std::optional<core::CountSettings> corpus)
{
    if (const auto found = m_held.find(session()); found != m_held.end()) {
        if (corpus)
            found->second.files = filesOf(*corpus);
        found->second.corpus = std::move(corpus);
    }
}

widgets::Completeness SpecialisationController::completeness() const
{
    const Held* now = held();
    return now ? now->completeness : widgets::Completeness::Whole;
}

bool SpecialisationController::idle() const
{
    return !m_run && !m_statistics.pending() && !m_reading.pending() && std::ranges::none_of(m_writing, &Job::pending);
}

} // namespace headscope::app
