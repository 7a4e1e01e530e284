// SPDX-License-Identifier: GPL-3.0-or-later
// What the Compare page has below and writes, with the real demonstration checkpoints.
#include "core/trace/weight_view.h"
#include "tests/app/window/compare_demo.h"
#include "tests/app/window/window_fixture.h"
#include "tests/widgets/pictures.h"
#include "widgets/compare_attention.h"
#include "widgets/map_widget.h"
#include "widgets/number_text.h"

#include <QTableView>
#include <QTemporaryDir>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

using namespace headscope;
using namespace headscope::app;

class ComparePartsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void attentionOfBothAndTheirDifference();
    void tokensOverCorporaOfBoth();
    void writesWhatIsShown();
    void everyWayOfMatching();
};

void ComparePartsTest::initTestCase()
{
    setenv("MKL_CBWR", "AUTO,STRICT", 0); // counts are the same whatever runs beside them
}

void ComparePartsTest::attentionOfBothAndTheirDifference()
{
    samples::CompareDemo d;
    d.window.setText("She could not believe the letter");
    d.settle();
    ComparePage& page = d.window.compare();
    QVERIFY(!d.view().attention()->maps()); // hidden: nothing was asked for
    d.view().setPage(widgets::CompareView::Page::Attention);
    QTRY_VERIFY_WITH_TIMEOUT(d.view().attention()->maps() && page.idle(), 60000);
    const core::MapPair maps = *d.view().attention()->maps();
    const core::RouterComparison& pair = d.shown().routers[*d.view().pair()];
    QVERIFY(maps.a.address == pair.a.mapAddress());
    QVERIFY(maps.b.address == pair.b.mapAddress());
    QCOMPARE(maps.a.index, pair.a.head.value_or(0));
    const core::Tile a = core::wholeMap(*d.workspace.trace(), maps.a);
    const core::Tile b = core::wholeMap(*d.workspace.secondTrace(), maps.b);
    const auto reading = [](widgets::MapWidget* map, std::int64_t row, std::int64_t column) {
        return map->reading({row, column}).attention.value_or(-1);
    };
    d.view().grab();
    QTRY_VERIFY_WITH_TIMEOUT(page.idle(), 60000);
    for (std::int64_t row = 1; row < a.area.rows; ++row) {
        const auto at = static_cast<std::size_t>(row * a.area.columns + row - 1);
        QTRY_COMPARE(reading(d.view().attention()->mapOfA(), row, row - 1), a.values[at]);
        QCOMPARE(reading(d.view().attention()->mapOfB(), row, row - 1), b.values[at]);
        QCOMPARE(reading(d.view().attention()->difference(), row, row - 1), std::abs(a.values[at] - b.values[at]));
    }
    const core::AttentionComparison rows =
        core::compareAttention({d.workspace.trace(), d.workspace.secondTrace()}, d.shown().alignment, maps);
    QVERIFY2(d.view().attention()->rowsText().contains(QString::number(rows.meanCosine, 'f', 3)),
             qPrintable(d.view().attention()->rowsText()));
    d.workspace.selection().setBytes(d.shown().units[3].bytes);
    QVERIFY(d.view().attention()->rowsText().contains(QStringLiteral("here: cosine ") +
                                                      QString::number(static_cast<double>(rows.cosine[3]), 'f', 3)));
    // An expert of A and its counterpart in MoA, whose maps belong to experts.
    const auto& matched = pair.expertOfB;
    const auto found = std::ranges::find_if(matched, [](int expert) { return expert >= 0; });
    QVERIFY(found != matched.end());
    d.workspace.selection().setExpert(static_cast<int>(found - matched.begin()));
    QCOMPARE(d.view().attention()->maps()->b.index, *found);
    QVERIFY(d.view().attention()->maps()->b.by == core::MapRef::By::Expert);
    d.workspace.put(Slot::B, nullptr);
    QVERIFY(!d.view().attention()->maps());
}

void ComparePartsTest::tokensOverCorporaOfBoth()
{
    samples::CompareDemo d;
    d.view().setPage(widgets::CompareView::Page::Corpus);
    widgets::CompareCorpus& corpus = *d.view().corpus();
    QVERIFY(corpus.message().contains(QStringLiteral("Count a corpus")));
    QTemporaryDir folder;
    const auto path = [&](const char* name) { return std::filesystem::path(folder.path().toStdString()) / name; };
    {
        std::ofstream out(path("corpus.txt"));
        for (int line = 0; line < 60; ++line)
            out << "The " << (line % 3 ? "man of the house" : "old king")
                << " had written a letter to the children of the town.\n";
    }
    core::CountSettings settings;
    settings.corpus = {path("corpus.txt")};
    settings.documents.kind = core::DocumentSplit::Kind::Line;
    SpecialisationController& counting = d.window.specialisation().controller();
    for (int of = 0; of < 2; ++of) { // A, then B as A
        counting.count(settings);
        QTRY_VERIFY_WITH_TIMEOUT(counting.idle(), 120000);
        d.workspace.swapSlots();
        d.settle();
    }
    QTRY_VERIFY_WITH_TIMEOUT(d.window.compare().idle() && corpus.message().isEmpty(), 60000);
    const CheckpointSlots slotted = d.workspace.checkpoints().inSlots();
    const core::Counts& a = *counting.countsOf(slotted.a);
    const core::Counts& b = *counting.countsOf(slotted.b);
    const core::CountsComparison comparison = core::compareCounts(a, b, {});
    const core::RouterComparison& pair = d.shown().routers[*d.view().pair()];
    const auto found = std::ranges::find_if(comparison.routers, [&](const core::CountedRouterComparison& router) {
        return router.a == pair.a && router.b == pair.b;
    });
    QVERIFY(found != comparison.routers.end());
    core::PairSettings pairs;
    pairs.bootstrap.replicates = 0;
    const std::vector<core::TokenDifference> tokens = core::tokenDifferences(a, b, *found, pairs);
    QVERIFY(!tokens.empty());
    widgets::TokenDifferenceItemModel& model = *corpus.model();
    QCOMPARE(model.rowCount(), static_cast<int>(tokens.size()));
    QVERIFY(corpus.summary().contains(QString::number(found->expectedAgreement, 'f', 3)));
    using Model = widgets::TokenDifferenceItemModel;
    const auto number = [&](int row, int column) {
        return model.index(row, column).data().toString().replace(QChar(0x2212), QLatin1Char('-'));
    };
    for (int row = 0; row < model.rowCount(); ++row) {
        const core::TokenDifference& token = tokens[static_cast<std::size_t>(row)];
        QCOMPARE(number(row, Model::ExpertA).toInt(), token.expertA);
        QCOMPARE(number(row, Model::Difference),
                 std::isnan(token.difference)
                     ? QString()
                     : widgets::fixedNumber(token.difference, 2).replace(QChar(0x2212), QLatin1Char('-')));
    }
    corpus.table()->sortByColumn(Model::Difference, Qt::DescendingOrder);
    double former = 1e9;
    for (int row = 0; row < model.rowCount() && !number(row, Model::Difference).isEmpty(); ++row) {
        QVERIFY(number(row, Model::Difference).toDouble() <= former);
        former = number(row, Model::Difference).toDouble();
    }
    samples::pictureOf(d.window, QStringLiteral("compare-corpus"), widgets::Theme::light(), {1280, 860});
    d.window.compare().counts().exportTable(path("tokens.csv"));
    QTRY_VERIFY(d.window.compare().idle());
    std::ifstream file(path("tokens.csv"));
    const std::string text(std::istreambuf_iterator<char>(file), {});
    QVERIFY(std::ranges::count(text, '\n') >= static_cast<long>(tokens.size()));
    d.workspace.put(Slot::B, nullptr);
    QCOMPARE(model.rowCount(), 0);
}

void ComparePartsTest::writesWhatIsShown()
{
    samples::CompareDemo d;
    QTemporaryDir folder;
    const auto path = [&](const char* name) { return std::filesystem::path(folder.path().toStdString()) / name; };
    ComparisonWriter& writer = d.window.compare().writer();
    const auto models = d.view().models();
    writer.writeTable(path("routers.csv"), core::ComparisonTable::Routers, models);
    writer.writeTable(path("all.json"), core::ComparisonTable::Tokens, models);
    writer.writeReport(path("report.md"), 0, models);
    writer.writeReport(path("report.pdf"), 0, models);
    QTRY_VERIFY_WITH_TIMEOUT(writer.idle(), 60000);
    const auto content = [&](const char* name) {
        std::ifstream file(path(name), std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(file), {});
    };
    QVERIFY(content("routers.csv").find(d.shown().routers[0].a.toString()) != std::string::npos);
    QVERIFY(std::ranges::count(content("routers.csv"), '\n') > static_cast<long>(d.shown().routers.size()));
    QVERIFY(content("all.json").find("\"agreement\"") != std::string::npos);
    QVERIFY(content("report.md").find("switchhead") != std::string::npos);
    QVERIFY(content("report.pdf").starts_with("%PDF"));
    QVERIFY(samples::containsVisible(d.window.compare().messages().sentences(), QStringLiteral("is written")));
    writer.writeTable(path("table.docx"), core::ComparisonTable::Routers, models);
    QVERIFY(samples::containsVisible(d.window.compare().messages().sentences(), QStringLiteral("table.docx")));
    QVERIFY(!std::filesystem::exists(path("table.docx")));
}

void ComparePartsTest::everyWayOfMatching()
{
    samples::CompareDemo d;
    d.controller().setMatching(core::Matching::Identity);
    d.settle();
    QVERIFY(d.shown().matching == core::Matching::Identity);
    for (const core::RouterComparison& pair : d.shown().routers)
        for (int e = 0; e < std::min(pair.expertsA, pair.expertsB); ++e)
            QCOMPARE(pair.expertOfB[static_cast<std::size_t>(e)], e);
    d.controller().setMatching(core::Matching::Weights);
    d.settle();
    QVERIFY2(d.window.compare().messages().sentences().isEmpty(),
             qPrintable(d.window.compare().messages().sentences().join(QLatin1Char('\n'))));
    QVERIFY(d.shown().matching == core::Matching::Weights);
    core::CompareExtras extras; // the rows of both, as the core reads them
    std::map<core::RouterAddress, core::WeightView> viewsA, viewsB;
    const auto rows = [](const CheckpointSession* session, std::map<core::RouterAddress, core::WeightView>& views) {
        return [session, &views](const core::RouterAddress& router) {
            const auto at = views.try_emplace(router, core::weightViews(*session->model())->weightView(router)).first;
            return core::MatrixRows{at->second.routerRows, static_cast<std::size_t>(at->second.width)};
        };
    };
    const CheckpointSlots slotted = d.workspace.checkpoints().inSlots();
    extras.rowsA = rows(slotted.a, viewsA);
    extras.rowsB = rows(slotted.b, viewsB);
    core::CompareSettings byWeights;
    byWeights.matching = core::Matching::Weights;
    const auto expected = core::compareTraces({d.workspace.trace(), d.workspace.secondTrace()}, byWeights, extras);
    for (std::size_t i = 0; i < expected.routers.size(); ++i)
        QCOMPARE(d.shown().routers[i].expertOfB, expected.routers[i].expertOfB);
    d.controller().setMatching(std::nullopt);
    d.settle();
    QVERIFY(d.shown().matching == core::Matching::Coselection); // other families
}

QTEST_MAIN(ComparePartsTest)
#include "compare_parts_test.moc"
