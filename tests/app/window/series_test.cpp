// SPDX-License-Identifier: GPL-3.0-or-later
// The Series page over a run of fake checkpoints, whose experts move away from those of the last step the earlier they are.
#include "app/window/series_page.h"
#include "core/trace/model_info.h"
#include "tests/app/window/window_fixture.h"
#include "tests/widgets/pictures.h"
#include "tests/widgets/sample_trace.h"

#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <charconv>
#include <filesystem>
#include <fstream>

using namespace headscope;
using namespace headscope::app;

namespace {

constexpr const char* words = "The old man of the house had written a letter to them all, and she could not believe it.";

struct Control {
    std::atomic<bool> held{false};
    std::atomic<int> alive{0};
    std::atomic<int> most{0};    // models at the same time
    std::atomic<int> broken{-1}; // the step that cannot be opened
};

/// SwitchHead of the samples; at every so many tokens the experts are those of their neighbours.
class StepModel : public core::Model
{
public:
    StepModel(const core::Model& like, int every, std::shared_ptr<Control> control)
        : Model(like.info(), like.tokenizer()), m_every(every), m_control(std::move(control))
    {
        const int now = ++m_control->alive;
        m_control->most = std::max(m_control->most.load(), now);
    }
    ~StepModel() override { --m_control->alive; }

    std::shared_ptr<const core::Trace> trace(std::vector<core::Stream> streams, const core::TraceOptions& options,
                                             const core::Progress& progress) const override
    {
        while (m_control->held) {
            progress.at(0.5, "tracing");
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        auto made = std::make_shared<core::Trace>(*samples::switchHead(streams.at(0).text.text, samples::Maps::Left));
        made->model = info();
        made->options = options;
        for (auto& shared : made->sites) {
            auto site = std::make_shared<core::SiteRouting>(*shared);
            for (std::int64_t token = 0; m_every > 0 && token < site->tokens; token += m_every)
                for (int slot = 0; slot < site->heads * site->router.chosen; ++slot) {
                    auto& expert = site->experts[site->slot(token, 0, slot)];
                    expert = (expert + 2) % site->router.experts;
                }
            shared = std::move(site);
        }
        return made;
    }

private:
    int m_every;
    std::shared_ptr<Control> m_control;
};

struct Fixture {
    std::shared_ptr<Control> control = std::make_shared<Control>();
    std::shared_ptr<samples::FakeControl> fakes = std::make_shared<samples::FakeControl>();
    QTemporaryDir folder;
    Workspace workspace{[control = control, fake = samples::fakeOpener(fakes)](
                            const std::filesystem::path& path, const core::OpenOptions& options,
                            const core::Progress& progress) -> std::shared_ptr<const core::Model> {
        const std::string name = path.filename().string(); // model-200.pth
        if (!name.starts_with("model-"))
            return fake(path, options, progress);
        int step = 0;
        std::from_chars(name.data() + 6, name.data() + name.size(), step);
        if (step == control->broken)
            throw core::Error(name + ": this is no checkpoint.");
        const auto like = fake("/x/switchhead.fake", options, progress);
        return std::make_shared<StepModel>(*like, step == 300 ? 0 : step / 50, control);
    }};
    SeriesPage page{workspace};
    widgets::SeriesView& view = page.view();

    Fixture()
    {
        for (const char* name : {"model-100.pth", "model-200.pth", "model-300.pth"})
            std::ofstream(path() / name) << "stands for a checkpoint";
        page.resize(900, 600);
        page.show();
        workspace.setText(words);
    }
    std::filesystem::path path() const { return folder.path().toStdString(); }
    void settle() { QTRY_VERIFY(page.idle() && workspace.idle()); }
    QPushButton* button(const QString& text)
    {
        for (QPushButton* each : page.findChildren<QPushButton*>())
            if (each->text().remove(u'&').startsWith(text))
                return each;
        return nullptr;
    }
};

} // namespace

class SeriesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void showsWhatTheCoreComputes();
    void stepsShowAsTheyCome();
    void theChosenRouter();
    void stoppingAndFailingLeaveWhatWasShown();
    void anotherTextIsSaid();
    void aStepOpensInASlot();
    void exportsTheSeries();
    void pictures();
};

void SeriesTest::showsWhatTheCoreComputes()
{
    Fixture f;
    QVERIFY(f.view.message().contains(QStringLiteral("folder")));
    f.page.open(f.path());
    f.settle();
    QCOMPARE(f.view.message(), QString());
    using Curve = widgets::SeriesView::Curve;
    const core::Series& series = *f.view.series();
    QCOMPARE(series.members.size(), std::size_t{3});
    QCOMPARE(f.view.plotted(Curve::Saturation), series.saturation);
    QCOMPARE(f.view.plotted(Curve::Saturation).back(), 1.0);
    QVERIFY(series.saturation[0] < series.saturation[1] && series.saturation[1] < 1);
    QCOMPARE(f.view.plotted(Curve::Next).size(), std::size_t{2}); // the last has no next one
    QCOMPARE(f.view.plotted(Curve::Entropy), series.entropy);
    QCOMPARE(f.control->most.load(), 1); // one in memory at a time
    QCOMPARE(f.control->alive.load(), 0);
    f.view.setMember(0);
    QVERIFY(f.view.reading().contains(QStringLiteral("Step 100")));
    QVERIFY(f.view.reading().contains(QString::number(series.saturation[0], 'f', 3)));
}

void SeriesTest::stepsShowAsTheyCome()
{
    Fixture f;
    f.control->held = true;
    f.page.open(f.path());
    QTRY_COMPARE(f.control->alive.load(), 1);
    QVERIFY(!f.page.idle());
    QVERIFY(f.button(QStringLiteral("Stop"))->isVisible());
    QTest::qWait(100); // the window's thread is free meanwhile
    f.control->held = false;
    f.settle();
    QVERIFY(!f.button(QStringLiteral("Stop"))->isVisible());
    QCOMPARE(f.view.series()->members.size(), std::size_t{3});
}

void SeriesTest::theChosenRouter()
{
    Fixture f;
    f.page.open(f.path());
    f.settle();
    const core::RouterSeries& router = f.view.series()->routers.back();
    f.workspace.selection().setRouter(router.address);
    f.view.setWhich(widgets::SeriesView::Which::ChosenRouter);
    QCOMPARE(f.view.plotted(widgets::SeriesView::Curve::Saturation), router.saturation);
    f.workspace.selection().setRouter(core::RouterAddress::parse("layers.9.self.v.h0"));
    QCOMPARE(f.view.plotted(widgets::SeriesView::Curve::Saturation), f.view.series()->saturation);
}

void SeriesTest::stoppingAndFailingLeaveWhatWasShown()
{
    Fixture f;
    f.page.open(f.path());
    f.settle();
    f.control->held = true;
    f.button(QStringLiteral("Run again"))->click();
    QTRY_COMPARE(f.control->alive.load(), 1);
    f.button(QStringLiteral("Stop"))->click();
    f.settle();
    QCOMPARE(f.control->alive.load(), 0);
    QCOMPARE(f.view.series()->members.size(), std::size_t{3});
    f.control->held = false;
    f.control->broken = 300; // comes first
    const auto former = f.view.series();
    f.page.open(f.path());
    f.settle();
    QVERIFY(samples::containsVisible(f.page.messages().sentences(), QStringLiteral("model-300.pth")));
    QCOMPARE(f.view.series(), former);
    f.page.open(f.path() / "nothing");
    f.settle();
    QVERIFY(samples::containsVisible(f.page.messages().sentences(), QStringLiteral("nothing is no folder")));
    f.control->broken = -1;
    f.button(QStringLiteral("Run again"))->click(); // of the run that is shown
    f.settle();
    QVERIFY(f.page.messages().sentences().isEmpty());
    QVERIFY(f.view.series() != former);
}

void SeriesTest::anotherTextIsSaid()
{
    Fixture f;
    f.page.open(f.path());
    f.settle();
    auto* veil = f.view.findChild<QWidget*>(QStringLiteral("stale"));
    QVERIFY(veil && !veil->isVisible());
    f.workspace.setText("another text");
    QVERIFY(veil->isVisible());
    f.button(QStringLiteral("Run again"))->click();
    f.settle();
    QVERIFY(!veil->isVisible());
}

void SeriesTest::aStepOpensInASlot()
{
    Fixture f;
    f.page.open(f.path());
    f.settle();
    f.view.setMember(2);
    f.button(QStringLiteral("Open in A"))->click();
    f.settle();
    f.view.setMember(0);
    f.button(QStringLiteral("Open in B"))->click();
    f.settle();
    QCOMPARE(f.workspace.checkpoints().current()->path().filename().string(), std::string("model-300.pth"));
    QCOMPARE(f.workspace.checkpoints().second()->path().filename().string(), std::string("model-100.pth"));
}

void SeriesTest::exportsTheSeries()
{
    Fixture f;
    f.page.open(f.path());
    f.settle();
    f.page.exportTable(f.path() / "series.csv");
    f.settle();
    std::ifstream file(f.path() / "series.csv");
    const std::string text(std::istreambuf_iterator<char>(file), {});
    QVERIFY(text.find("saturation") != std::string::npos);
    QVERIFY(text.find(f.view.series()->routers.front().address.toString()) != std::string::npos);
    f.page.exportTable(f.path() / "series.doc");
    QVERIFY(samples::containsVisible(f.page.messages().sentences(), QStringLiteral("series.doc")));
}

void SeriesTest::pictures()
{
    Fixture f;
    f.page.open(f.path());
    f.settle();
    f.view.setMember(1);
    for (const widgets::Theme& theme : {widgets::Theme::light(), widgets::Theme::dark()}) {
        const QImage image = samples::pictureOf(f.page,
                                                theme.kind == widgets::Theme::Kind::Light ? QStringLiteral("series-light")
                                                                                          : QStringLiteral("series-dark"),
                                                theme, {900, 500});
        QVERIFY(samples::inkIn(image, image.rect(), theme.base) > 8000);
    }
}

QTEST_MAIN(SeriesTest)
#include "series_test.moc"
