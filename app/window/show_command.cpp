// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/show_command.h"

#include "app/cli/address_glob.h"
#include "app/cli/argument_parser.h"
#include "app/cli/cost_text.h"
#include "app/cli/model_options.h"
#include "app/cli/output_guard.h"
#include "app/cli/printable.h"
#include "app/cli/progress_line.h"
#include "app/cli/read_bytes.h"
#include "app/cli/trace_table.h"
#include "app/window/main_window.h"
#include "app/window/program.h"
#include "app/window/resources.h"
#include "core/checkpoint/atomic_file.h"
#include "core/checkpoint/files_in_use.h"

#include <CLI/Validators.hpp>
#include <QApplication>
#include <QBuffer>
#include <QEventLoop>
#include <QImageWriter>
#include <QTabWidget>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <functional>

namespace headscope::app {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t routersShown = 4;

struct ShowLine {
    ModelOptions model;
    std::string text;
    std::string file;
    std::string out = "headscope.png";
    std::string size = "1280x860";
    std::string theme = "light";
    std::string page = "routing";
    std::string counts;
    std::string router;
    std::string second;
    std::string tint = "agreement";
    std::string run;
    std::string table = "routers";
    std::string corpus;
    std::string documents = "file";
    std::string contexts;
    int expert = 0;
    CLI::Option* textOption = nullptr;

    void add(CLI::App& app);
    QSize pixels() const;
    std::string read(const CommandContext& context) const;
};

void ShowLine::add(CLI::App& app)
{
    model.add(app);
    model.addCompute(app);
    app.get_option("MODEL")->required(false)->description(
        "the checkpoint, a file or a folder; without it the demonstration checkpoint");
    textOption = app.add_option("--text", text, "the text; without it a sample")->type_name("TEXT");
    app.add_option("--file", file, "the text, from a file; - is standard input")->excludes(textOption)->type_name("FILE");
    app.add_option("--out", out, "where the picture is written")->capture_default_str()->type_name("PICTURE.png|.jpg");
    app.add_option("--size", size, "of the window")->capture_default_str()->type_name("WIDTHxHEIGHT");
    app.add_option("--theme", theme, "its colours")
        ->check(CLI::IsMember({"light", "dark"}).description(""))
        ->capture_default_str()
        ->type_name("light|dark");
    app.add_option("--page", page, "what is in front")
        ->check(CLI::IsMember({"routing", "attention", "specialisation", "compare", "series"}).description(""))
        ->capture_default_str()
        ->type_name("routing|attention|specialisation|compare|series");
    app.add_option("--router", router, "the router that is chosen, as layers.0.self.v.h1")->type_name("ADDRESS");
    app.add_option("--run", run, "the folder with the checkpoints of a run, for the page series")->type_name("FOLDER");
    app.add_option("--second", second, "the checkpoint in slot B, for the page compare")->type_name("MODEL");
    app.add_option("--tint", tint, "what colours the bands of the page compare")
        ->check(CLI::IsMember({"agreement", "mean", "loss", "divergence"}).description(""))
        ->capture_default_str()
        ->type_name("agreement|mean|loss|divergence");
    app.add_option("--table", table, "what is below on the page compare")
        ->check(CLI::IsMember({"routers", "experts", "cost", "corpus", "attention"}).description(""))
        ->capture_default_str()
        ->type_name("routers|experts|cost|corpus|attention");
    auto* const countsOption = app.add_option("--counts", counts, "counts of the checkpoint, for the page specialisation")->type_name("FILE");
    auto* const corpusOption =
        app.add_option("--corpus", corpus, "the texts that were counted, for --contexts")->type_name("PATH");
    app.add_option("--documents", documents, "how they are cut into documents: file, blank (lines), line, literal:STRING")->type_name("HOW");
    auto* const contextsOption =
        app.add_option("--contexts", contexts, "show where a token of the table stands in them, as the vocabulary spells it")
            ->needs(countsOption)
            ->needs(corpusOption)
            ->type_name("PIECE");
    corpusOption->needs(contextsOption);
    app.add_option("--expert", expert, "the expert whose contexts are shown")->type_name("E");
}

QSize ShowLine::pixels() const
{
    constexpr int least = 200, most = 16000;
    const auto number = [](std::string_view digits) {
        int value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return error == std::errc() && end == digits.data() + digits.size() ? value : 0;
    };
    const std::size_t cross = size.find('x');
    const QSize given = cross == std::string::npos ? QSize()
                                                   : QSize(number(std::string_view(size).substr(0, cross)),
                                                           number(std::string_view(size).substr(cross + 1)));
    if (given.width() < least || given.height() < least || given.width() > most || given.height() > most)
        throw UsageError(fmt::format("--size is written as 1280x860, each number from {} to {}.", least, most));
    return given;
}

std::string ShowLine::read(const CommandContext& context) const
{
    if (textOption->count() > 0)
        return text;
    if (file.empty())
        return sampleTexts().front().text;
    return file == "-" ? context.readStandardInput() : readBytes(file, context.stop);
}

std::filesystem::path modelOrDemo(const ShowLine& line)
{
    if (!line.model.model().empty())
        return line.model.model();
    const auto demos = demoCheckpoints();
    if (demos.empty())
        throw core::Error(
            "The demonstration checkpoints are not installed (set HEADSCOPE_RESOURCES to the folder that holds demo); "
            "name a checkpoint to show.");
    return demos.front();
}

/// Runs the event loop until the picture is complete. Throws what went wrong.
class Picture : public QObject
{
public:
    Picture(Workspace& workspace, const CommandContext& context) : m_workspace(workspace), m_context(context)
    {
        connect(&workspace, &Workspace::openFailed, this,
                [this](const std::filesystem::path&, const QString& sentence) { fail(sentence); });
        connect(&workspace, &Workspace::parametersMissing, this,
                [this](const auto&, const auto&, const auto&, const QString& sentence) { fail(sentence); });
        connect(&workspace, &Workspace::traceFailed, this,
                [this](CheckpointSession*, const QString& sentence) { fail(sentence); });
        connect(&workspace, &Workspace::asked, this, [this](CheckpointSession*, const LongTrace& cost) {
            printNotes(m_context, {tokensText(cost.tokens) + ": " + costText(cost.whole.seconds, cost.whole.bytes) + "."});
            m_workspace.traceAgain(WhenLong::Trace);
        });
        connect(&m_look, &QTimer::timeout, this, &Picture::look);
    }

    /// B has failed, or its trace takes long.
    void watchSecond()
    {
        connect(&m_workspace, &Workspace::secondTraceFailed, this,
                [this](CheckpointSession*, const QString& sentence) { fail(sentence); });
        connect(&m_workspace, &Workspace::secondAsked, this, [this] { m_workspace.traceAgain(WhenLong::Trace); });
    }

    void wait(std::function<bool()> ready = {})
    {
        m_ready = std::move(ready);
        m_quiet = 0;
        m_look.start(20ms);
        m_loop.exec();
        if (m_context.stop.stop_requested())
            throw core::Cancelled();
        if (!m_sentence.isEmpty())
            throw core::Error(m_sentence.toStdString());
    }

    void fail(const QString& sentence)
    {
        m_sentence = sentence;
        m_loop.quit();
    }

private:
    /// Views ask for tiles when they are painted, so quiet has to last.
    void look()
    {
        constexpr int lasting = 8; // looks
        m_quiet = m_workspace.current() && m_workspace.idle() && (!m_ready || m_ready()) ? m_quiet + 1 : 0;
        if (m_quiet >= lasting || m_context.stop.stop_requested())
            m_loop.quit();
    }

    Workspace& m_workspace;
    const CommandContext& m_context;
    QEventLoop m_loop;
    QTimer m_look;
    QString m_sentence;
    std::function<bool()> m_ready; // besides the workspace
    int m_quiet = 0;
};

int pageIndex(std::string_view page)
{
    constexpr std::string_view pages[]{"routing", "attention", "specialisation", "compare", "series"};
    return static_cast<int>(std::ranges::find(pages, page) - std::begin(pages));
}

widgets::CompareTint tintNamed(std::string_view name)
{
    using enum widgets::CompareTint;
    return name == "mean" ? MeanAgreement : name == "loss" ? Loss : name == "divergence" ? Divergence : Agreement;
}

widgets::CompareView::Page tableNamed(std::string_view name)
{
    using enum widgets::CompareView::Page;
    return name == "experts" ? Experts : name == "cost" ? Cost : name == "corpus" ? Corpus : name == "attention" ? Attention : Routers;
}

/// Waits for the comparison, null and intervals included.
void showSecond(const ShowLine& line, MainWindow& window, Picture& picture)
{
    ComparePage& page = window.compare();
    QObject::connect(&page.controller(), &CompareController::failed, &picture, &Picture::fail);
    picture.watchSecond();
    page.view().setTint(tintNamed(line.tint));
    page.view().setPage(tableNamed(line.table));
    core::OpenOptions options;
    const core::OpenOptions chosen = line.model.openOptions(core::OpenFor::Running);
    options.device = chosen.device;
    options.memoryBlocks = chosen.memoryBlocks;
    options.segment = chosen.segment;
    Workspace& workspace = window.workspace();
    workspace.open(line.second, options, Slot::B);
    const bool compares = line.page == "compare";
    picture.wait([&workspace, &page, compares] {
        return workspace.secondCurrent() && (!compares || (page.idle() && page.view().models().valid()));
    });
}

/// As if the pair had been chosen in the table.
void showContexts(SpecialisationPage& page, const ShowLine& line)
{
    core::CountSettings corpus;
    const core::CountBasis& counted = page.view().counts()->basis;
    const auto split = core::documentSplitFromString(line.documents);
    if (!split)
        throw UsageError(fmt::format("--documents {} is none; it is file, blank, line or literal:STRING.", printable(line.documents)));
    corpus.corpus = {line.corpus};
    corpus.documents = *split;
    corpus.documents.jsonField = counted.jsonField;
    corpus.window = counted.window;
    corpus.skipFirst = counted.skipFirst;
    const auto& rows = *page.view().statistics()->table.rows;
    const auto row = std::ranges::find(rows, line.contexts, &core::RowName::text);
    if (row == rows.end())
        throw core::Error(fmt::format("The counts have no token {}.", printable(line.contexts)));
    if (line.expert < 0 || line.expert >= page.view().statistics()->table.experts)
        throw core::Error(fmt::format("{} has no expert {}.", page.view().statistics()->table.router, line.expert));
    page.controller().setCorpus(corpus);
    Q_EMIT page.view().contextsAsked({static_cast<std::uint32_t>(row - rows.begin()), line.expert});
}

/// The picture is what the name says, or it is refused.
const char* pictureFormat(const std::string& out)
{
    std::string extension = std::filesystem::path(out).extension().string();
    std::ranges::transform(extension, extension.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
    if (extension == ".png")
        return "png";
    if (extension == ".jpg" || extension == ".jpeg")
        return "jpg";
    throw UsageError(fmt::format(
        "--out needs a name that ends in .png, .jpg or .jpeg; {} does not, and no other kind of picture is written.",
        printable(out)));
}

void savePicture(MainWindow& window, const std::string& out)
{
    core::AtomicFile file(out);
    QBuffer bytes;
    bytes.open(QIODevice::WriteOnly);
    QImageWriter writer(&bytes, pictureFormat(out));
    if (!writer.write(window.grab().toImage()))
        throw core::Error(fmt::format("{}: the picture cannot be written ({}).", out, writer.errorString().toStdString()));
    file.write(std::string_view(bytes.data().constData(), static_cast<std::size_t>(bytes.data().size())));
    file.commit();
}

void printTable(const CommandContext& context, const core::Trace& trace)
{
    const std::vector<core::RouterAddress> routers = firstRouters(*trace.model, routersShown);
    printTraceTable(context.out, trace, routers);
    if (routers.size() < trace.model->routers.size())
        printNotes(context, {fmt::format("This is {} of {} routers; `{} trace --router` shows others.", routers.size(),
                                         trace.model->routers.size(), context.program)});
    printNotes(context, trace.model->notes);
}

} // namespace

void runShow(const Arguments& arguments, const CommandContext& context)
{
    ArgumentParser parser(context, "show",
                          "Draw the window into a picture, without a display, and print the routing as a table.");
    ShowLine line;
    line.add(parser.app());
    if (parser.parse(arguments) == ArgumentParser::Outcome::HelpPrinted)
        return;
    const QSize size = line.pixels();
    pictureFormat(line.out);
    const std::string text = line.read(context);

    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    int count = 1;
    std::string name = context.program;
    char* names[]{name.data(), nullptr};
    QApplication program(count, names);
    const widgets::Theme::Kind theme = prepareProgram(program);
    const std::filesystem::path model = modelOrDemo(line);
    core::noteRead(model);
    const OutputGuard outputs({{"--out", line.out}});

    Workspace workspace(modelOpener());
    MainWindow window(workspace, MainWindow::Memory::None, theme);
    window.setTheme(line.theme == "dark" ? ThemeChoice::Dark : ThemeChoice::Light);
    window.resize(size);
    window.views().pages()->setCurrentIndex(pageIndex(line.page));
    window.setText(text);
    Picture picture(workspace, context);
    workspace.open(model, line.model.openOptions(core::OpenFor::Running));
    window.show();
    picture.wait();
    outputs.check(); // now it is known what lies beside the checkpoint
    if (!line.router.empty()) {
        workspace.selection().setRouter(selectRouters(*workspace.trace()->model, {line.router}).front());
        picture.wait();
    }
    if (!line.second.empty())
        showSecond(line, window, picture);
    if (!line.run.empty()) {
        SeriesPage& page = window.series();
        page.open(line.run);
        picture.wait([&page] { return page.idle(); });
        if (const QStringList said = page.messages().sentences(); !said.isEmpty())
            throw core::Error(said.first().toStdString());
    }
    if (!line.counts.empty()) {
        SpecialisationController& controller = window.specialisation().controller();
        QObject::connect(&controller, &SpecialisationController::failed, &picture, &Picture::fail);
        controller.openCounts(line.counts);
        picture.wait([&controller] { return controller.idle(); });
        if (ContextsController& contexts = window.specialisation().contexts(); !line.contexts.empty()) {
            QObject::connect(&contexts, &ContextsController::failed, &picture, &Picture::fail);
            showContexts(window.specialisation(), line);
            picture.wait([&contexts] { return contexts.idle(); });
        }
    }
    savePicture(window, line.out);
    printTable(context, *workspace.trace());
}

} // namespace headscope::app
