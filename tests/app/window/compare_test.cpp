// SPDX-License-Identifier: GPL-3.0-or-later
// The Compare page: with the real demonstration checkpoints, and with fake ones where the moment matters.
#include "tests/app/window/compare_demo.h"
#include "tests/app/window/window_fixture.h"
#include "tests/widgets/pictures.h"
#include "tests/widgets/sample_comparison.h"
#include "widgets/router_pair_item_model.h"

#include <QPushButton>
#include <QSettings>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <cmath>
#include <mutex>
#include <thread>

using namespace headscope;
using namespace headscope::app;

namespace {

constexpr const char* words = "She could not believe the letter that the old man of the house had written to them.";

/// Comparisons by hand, when the test lets them go.
struct HeldComparer {
    struct State {
        std::atomic<bool> held{false};
        std::atomic<int> begun{0};
        std::atomic<int> cancelled{0};
        std::mutex mutex;
        std::vector<std::thread::id> threads;
        std::vector<core::CompareSettings> settings;
        std::string error;
    };
    std::shared_ptr<State> state = std::make_shared<State>();

    core::Comparison operator()(const core::ComparedTraces& traces, const core::CompareSettings& settings,
                                const core::CompareExtras&, const core::Progress& progress) const
    {
        ++state->begun;
        {
            const std::lock_guard lock(state->mutex);
            state->threads.push_back(std::this_thread::get_id());
            state->settings.push_back(settings);
            if (!state->error.empty())
                throw core::Error(state->error);
        }
        while (state->held) {
            if (progress.stop.stop_requested()) {
                ++state->cancelled;
                throw core::Cancelled();
            }
            progress.at(0.5, "comparing");
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        core::Comparison made = *samples::comparisonOf(traces.a, traces.b);
        made.settings = settings;
        return made;
    }
};

/// A view and its controller over fake models.
struct Fake {
    std::shared_ptr<samples::FakeControl> control = std::make_shared<samples::FakeControl>();
    Workspace workspace{samples::fakeOpener(control)};
    HeldComparer comparer;
    ComparePage page{workspace, comparer};

    Fake()
    {
        page.resize(900, 600);
        page.show();
        workspace.setText(words);
    }
    void settle() { QTRY_VERIFY(workspace.idle() && page.controller().idle()); }
    void openBoth()
    {
        workspace.open("/x/switchhead.fake");
        settle();
        workspace.open("/x/moa.fake", {}, Slot::B);
        settle();
    }
    const core::Comparison& shown() { return *page.view().models().comparison; }
};

QPushButton* button(QWidget& widget, const QString& text)
{
    for (QPushButton* each : widget.findChildren<QPushButton*>())
        if (each->text().remove(u'&').startsWith(text))
            return each;
    return nullptr;
}

} // namespace

class CompareTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void showsWhatTheCoreComputes();
    void everyPageFollowsOneSelection();
    void swapping();
    void withoutB();
    void closingBLetsGoOfIt();
    void bThatCannotRunIsSaid();
    void bThatCannotBeOpenedLeavesA();
    void typingIsNeverHeldUp();
    void theQuickOneComesFirst();
    void nothingIsComparedBehind();
    void whatFailsIsSaid();
    void choicesAreRemembered();
    void pictures();
};

void CompareTest::showsWhatTheCoreComputes()
{
    samples::CompareDemo d;
    const core::Comparison expected = d.computed();
    QVERIFY(!expected.routers.empty());
    QCOMPARE(d.shown().routers.size(), expected.routers.size());
    QCOMPARE(d.shown().agreement, expected.agreement);
    for (std::size_t i = 0; i < expected.routers.size(); ++i) {
        const core::RouterComparison& a = expected.routers[i];
        const core::RouterComparison& b = d.shown().routers[i];
        QVERIFY(a.a == b.a && a.b == b.b);
        QCOMPARE(b.expertOfB, a.expertOfB);
        QCOMPARE(b.agreement, a.agreement);
        QCOMPARE(b.null.high, a.null.high);
        QCOMPARE(b.interval.low, a.interval.low);
        const auto text = [&](int column) {
            return d.view().routerModel()->index(static_cast<int>(i), column).data().toString();
        };
        QCOMPARE(text(widgets::RouterPairItemModel::Agreement), QString::number(a.agreement, 'f', 3));
        QCOMPARE(text(widgets::RouterPairItemModel::Chance), QString::number(a.chance, 'f', 3));
    }
    for (std::size_t i = 0; i < expected.units.size(); ++i) {
        QCOMPARE(d.shown().units[i].bytes, expected.units[i].bytes);
        if (!std::isnan(expected.units[i].agreement))
            QCOMPARE(d.shown().units[i].agreement, expected.units[i].agreement);
    }
    int divergences = 0; // both have one vocabulary; the text ends with the last unit
    for (const core::UnitComparison& unit : d.shown().units)
        divergences += unit.divergence > 0;
    QVERIFY(divergences > static_cast<int>(expected.units.size()) / 2);
    // Typed text is followed.
    d.window.setText("A letter");
    d.settle();
    QCOMPARE(d.shown().units.back().bytes.end, std::size_t{8});
    QCOMPARE(d.shown().agreement, d.computed().agreement);
}

void CompareTest::everyPageFollowsOneSelection()
{
    samples::CompareDemo d;
    widgets::Selection& selection = d.workspace.selection();
    QVERIFY(d.shown().routers.size() > 2);
    const core::RouterAddress router = d.shown().routers.back().a;
    selection.setRouter(router);
    QVERIFY(d.shown().routers[*d.view().pair()].a == router);
    selection.setBytes(core::ByteRange{4, 9});
    const auto [first, last] = d.view().strip()->selectedPlaces();
    QVERIFY(first < last);
    QVERIFY(!d.window.views().strip()->isVisible()); // its tokens are in the page
    d.window.views().pages()->setCurrentIndex(0);
    QVERIFY(d.window.views().strip()->isVisible());
}

void CompareTest::swapping()
{
    samples::CompareDemo d;
    const auto former = d.view().models();
    button(d.view(), QStringLiteral("Swap"))->click();
    d.settle();
    QCOMPARE(d.view().models().nameA, former.nameB);
    QCOMPARE(d.view().models().traces.b, former.traces.a);
    QCOMPARE(d.shown().agreement, d.computed().agreement);
    QCOMPARE(d.shown().loss.bitsPerByteA, former.comparison->loss.bitsPerByteB);
}

void CompareTest::withoutB()
{
    Fake f;
    QVERIFY(f.page.view().message().contains(QStringLiteral("Open a checkpoint")));
    f.workspace.open("/x/switchhead.fake");
    f.settle();
    QVERIFY(f.page.view().message().contains(QStringLiteral("into B")));
    QPushButton* open = button(f.page, QStringLiteral("Open B"));
    QVERIFY(open->isVisible());
    int asked = 0;
    connect(&f.page, &ComparePage::openSecondAsked, this, [&asked] { ++asked; });
    open->click();
    QCOMPARE(asked, 1);
    f.workspace.open("/x/moa.fake", {}, Slot::B);
    f.settle();
    QCOMPARE(f.workspace.checkpoints().current()->path().filename().string(), std::string("switchhead.fake"));
    QCOMPARE(f.workspace.checkpoints().second()->path().filename().string(), std::string("moa.fake"));
    QCOMPARE(f.page.view().message(), QString());
    QCOMPARE(f.page.view().models().nameB, f.workspace.checkpoints().second()->name());
}

void CompareTest::closingBLetsGoOfIt()
{
    Fake f;
    f.openBoth();
    const std::weak_ptr<const core::Trace> traceOfB = f.workspace.secondTrace();
    QVERIFY(!traceOfB.expired());
    f.workspace.close(f.workspace.checkpoints().second());
    QTRY_VERIFY(traceOfB.expired());
    QTRY_COMPARE(f.control->alive.load(), 1);
    QVERIFY(f.page.view().message().contains(QStringLiteral("into B")));
    QVERIFY(f.workspace.current());
    f.workspace.close(f.workspace.checkpoints().current());
    QTRY_COMPARE(f.control->alive.load(), 0);
    QVERIFY(f.page.view().message().contains(QStringLiteral("Open a checkpoint")));
}

void CompareTest::bThatCannotRunIsSaid()
{
    Fake f;
    f.workspace.setText("12 13");
    f.workspace.open("/x/switchhead.fake");
    f.settle();
    f.workspace.open("/x/moa-ids.fake", {}, Slot::B); // no tokenizer: reads numbers only
    f.settle();
    f.workspace.setText("words are no ids");
    QTRY_VERIFY(f.page.view().message().contains(QStringLiteral("moa-ids.fake (B) could not run on this text")));
    f.settle();
    QVERIFY(f.workspace.current()); // A goes on
    f.workspace.put(Slot::B, nullptr);
    QVERIFY(f.page.view().message().contains(QStringLiteral("into B")));
}

void CompareTest::bThatCannotBeOpenedLeavesA()
{
    Fake f;
    f.workspace.open("/x/switchhead.fake");
    f.settle();
    QString said;
    connect(&f.workspace, &Workspace::openFailed, this, [&said](const auto&, const QString& sentence) { said = sentence; });
    f.workspace.open("/x/nonsense.fake", {}, Slot::B);
    QTRY_VERIFY(!said.isEmpty());
    f.settle();
    QVERIFY(f.workspace.current());
    QVERIFY(!f.workspace.checkpoints().second());
    QVERIFY(f.page.view().message().contains(QStringLiteral("into B")));
    f.workspace.open("/x/moa.fake"); // the next one is not meant for B
    f.settle();
    QCOMPARE(f.workspace.checkpoints().current()->path().filename().string(), std::string("moa.fake"));
}

void CompareTest::typingIsNeverHeldUp()
{
    Fake f;
    f.openBoth();
    const auto former = f.page.view().models().comparison;
    f.comparer.state->held = true;
    std::string text = words;
    for (int key = 0; key < 30; ++key) {
        text += static_cast<char>('a' + key % 26);
        f.workspace.setText(text);
        QTest::qWait(key % 10 == 9 ? 250 : 5);      // now and then a pause, in which a comparison begins
        QVERIFY(f.page.view().models().comparison); // the former one stays
    }
    QTRY_VERIFY(f.workspace.current() && f.workspace.secondCurrent()); // traces are not behind a comparison that is held
    QVERIFY(!f.page.controller().idle());
    QCOMPARE(f.page.view().models().comparison, former);
    f.comparer.state->held = false;
    f.settle();
    QVERIFY(f.page.view().models().comparison != former);
    QCOMPARE(f.page.view().models().traces.a->text().text, text);
    QCOMPARE(f.page.view().models().traces.a, f.workspace.trace());
    QCOMPARE(f.page.view().models().traces.b, f.workspace.secondTrace());
    QVERIFY(f.comparer.state->begun < 20); // not one for every key
    const std::lock_guard lock(f.comparer.state->mutex);
    for (const std::thread::id thread : f.comparer.state->threads)
        QVERIFY(thread != std::this_thread::get_id());
}

void CompareTest::theQuickOneComesFirst()
{
    Fake f;
    f.openBoth();
    const auto& settings = f.comparer.state->settings;
    QCOMPARE(settings.size(), std::size_t{2});
    QCOMPARE(settings[0].nullReplicates + settings[0].bootstrapReplicates, 0);
    QCOMPARE(settings[1].nullReplicates, core::CompareSettings().nullReplicates);
    QCOMPARE(settings[1].bootstrapReplicates, core::CompareSettings().bootstrapReplicates);
    QCOMPARE(f.shown().settings.nullReplicates, settings[1].nullReplicates);
    f.page.controller().setMatching(core::Matching::Identity);
    f.settle();
    QCOMPARE(settings.size(), std::size_t{4});
    QVERIFY(settings[3].matching == core::Matching::Identity);
    f.page.controller().refresh(); // nothing is new
    f.settle();
    QCOMPARE(settings.size(), std::size_t{4});
}

void CompareTest::nothingIsComparedBehind()
{
    Fake f;
    f.page.hide();
    f.openBoth();
    QTest::qWait(300);
    QCOMPARE(f.comparer.state->begun.load(), 0);
    f.page.show();
    QTRY_VERIFY(f.page.view().models().valid());
    f.settle();
    QCOMPARE(f.comparer.state->begun.load(), 2);
}

void CompareTest::whatFailsIsSaid()
{
    Fake f;
    f.openBoth();
    {
        const std::lock_guard lock(f.comparer.state->mutex);
        f.comparer.state->error = "Rows of the routers of B are not known; match by co-selection.";
    }
    f.page.controller().setMatching(core::Matching::Weights);
    QTRY_VERIFY(samples::containsVisible(f.page.messages().sentences(), QStringLiteral("match by co-selection")));
    f.settle();
    QVERIFY(f.page.view().models().valid()); // what was shown stays
    const int begun = f.comparer.state->begun;
    QTest::qWait(300);
    QCOMPARE(f.comparer.state->begun.load(), begun); // and is not tried again and again
    {
        const std::lock_guard lock(f.comparer.state->mutex);
        f.comparer.state->error.clear();
    }
    f.page.controller().setMatching(std::nullopt);
    QTRY_VERIFY(f.page.messages().sentences().isEmpty());
}

void CompareTest::choicesAreRemembered()
{
    QTemporaryDir folder;
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, folder.path());
    QCoreApplication::setOrganizationName(QStringLiteral("headscope-test"));
    QCoreApplication::setApplicationName(QStringLiteral("compare"));
    Fake f;
    const CompareChoices chosen{widgets::CompareTint::Loss, true, core::Matching::Weights};
    f.page.setChoices(chosen);
    QVERIFY(f.page.choices() == chosen);
    QVERIFY(f.page.view().tint() == widgets::CompareTint::Loss);
    WindowSettings settings;
    settings.compare = chosen;
    settings.save();
    QVERIFY(WindowSettings::load().compare == chosen);
    settings.compare = {};
    settings.save();
    QVERIFY(WindowSettings::load().compare == CompareChoices());
}

void CompareTest::pictures()
{
    samples::CompareDemo d;
    for (const bool dark : {false, true}) {
        d.window.setTheme(dark ? ThemeChoice::Dark : ThemeChoice::Light);
        samples::pictureOf(d.window, dark ? QStringLiteral("compare-page-dark") : QStringLiteral("compare-page"),
                           dark ? widgets::Theme::dark() : widgets::Theme::light(), {1280, 860});
    }
    QVERIFY(d.view().strip()->contents().layout.places().size() > 10);
}

QTEST_MAIN(CompareTest)
#include "compare_test.moc"
