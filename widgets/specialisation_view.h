// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/statistics_export.h"
#include "core/trace/trace.h"
#include "widgets/router_statistics.h"
#include "widgets/selection.h"

#include <QPointer>
#include <QRegularExpression>
#include <QWidget>

#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

class QAbstractItemModel;
class QAction;
class QButtonGroup;
class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QMenu;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QStackedLayout;
class QStackedWidget;
class QSplitter;
class QTableView;

namespace headscope::widgets {

class ContextsView;
class HeatItemModel;
class LoadBars;
class MarkingTable;
class PairItemModel;
class StaleVeil;
class TopTokensItemModel;

/// Counts of a pass that ended, or of what it has counted so far.
enum class Completeness { Whole, Unfinished };

/// How far a count is.
struct CountingState {
    double fraction = 0;
    QString text; // "counting, 12345 tokens/s, 3 min left"
};

/// A pair of the tables: where does it come from?
struct PairInQuestion {
    std::uint32_t row = 0; // of RouterStatistics::table
    int expert = 0;
    bool operator==(const PairInQuestion&) const = default;
};

/// Which tokens belong to which expert of the chosen router, over a corpus that was counted: the kind of table that papers
/// print, all pairs with their statistics, tags against experts, experts chosen together, and the load of the experts. It
/// shows what it is given and says what is wanted; counting, files and statistics are the business of who made it.
class SpecialisationView : public QWidget
{
    Q_OBJECT

public:
    enum class Page { TopTokens, Pairs, Tags, Together };

    explicit SpecialisationView(QWidget* parent = nullptr);

    void setSelection(Selection* selection);
    /// The counts that are shown; nullptr: nothing was counted. `about` says where they come from. Unfinished ones cannot be
    /// saved.
    void setCounts(std::shared_ptr<const core::Counts> counts, const QString& about,
                   Completeness completeness = Completeness::Whole);
    /// Of the chosen router; nullptr: none yet.
    void setStatistics(std::shared_ptr<const RouterStatistics> statistics);
    /// Why there are no statistics of the chosen router.
    void setProblem(const QString& sentence);
    /// Of the text: what is under the mouse there is outlined here, and the reverse. May be nullptr.
    void setTrace(std::shared_ptr<const core::Trace> trace);
    /// nullopt: nothing is being counted.
    void setCounting(const std::optional<CountingState>& state);
    /// What is shown is of another choice than the one that was made.
    void setStale(bool stale);
    void setPage(Page page);
    void setFilter(const QString& pattern);
    void setMinimum(int minimum);

    const StatisticsChoice& choice() const { return m_choice; }
    const QRegularExpression& filter() const { return m_filter; }
    core::PairColumn order() const;
    const std::shared_ptr<const core::Counts>& counts() const { return m_counts; }
    const std::shared_ptr<const RouterStatistics>& statistics() const { return m_statistics; }

    TopTokensItemModel* topModel() const { return m_top; }
    PairItemModel* pairModel() const { return m_pairs; }
    HeatItemModel* tagModel() const { return m_tags; }
    MarkingTable* pairTable() const { return m_pairTable; }
    MarkingTable* topTable() const { return m_topTable; }
    LoadBars* loadBars() const { return m_load; }
    /// Below the tables, hidden until it is opened.
    ContextsView* contexts() const { return m_contexts; }
    void openContexts();
    void closeContexts();
    /// What is chosen in the table in front; nullopt when nothing is, or the page has no such rows.
    std::optional<PairInQuestion> chosenPair() const;
    QString title() const;
    QString message() const; // empty when tables are shown

Q_SIGNALS:
    void countAsked();
    void cancelAsked();
    void openAsked();
    void saveAsked();
    void exportAsked(headscope::core::StatisticsTable table, bool allRouters);
    void choiceChanged();
    void contextsAsked(const headscope::widgets::PairInQuestion& pair);

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QWidget* makeHeader();
    QWidget* makeTools();
    QWidget* makeBody();
    QWidget* makeTables();
    QMenu* makeExportMenu();
    QMenu* makeOptionsMenu();
    QMenu* makeColumnsMenu();
    void addChoice(QMenu* menu, const QString& title, const std::vector<std::pair<QString, std::function<void()>>>& choices);
    void prepareTable(QTableView* table, QAbstractItemModel* model, const QString& name);
    MarkingTable* makeMarkingTable(QAbstractItemModel* model, const QString& name);
    void offerContexts(MarkingTable* table);
    void askContexts();
    void markTokens();
    void pointAtText(int row);
    void pointAtNothing();
    void choose(const StatisticsChoice& choice);
    void filterEdited();
    void orderChosen();
    void selectionChanged(Selection::Fields what);
    void chooseExpert(int expert);
    void markExpert();
    void showTogether(int index);
    void showWhat();
    void spreadColumns();
    QString summary() const;
    QString filterState() const;

    QPointer<Selection> m_selection;
    std::shared_ptr<const core::Counts> m_counts;
    std::shared_ptr<const RouterStatistics> m_statistics;
    std::shared_ptr<const core::Trace> m_trace;
    std::unordered_map<core::TokenId, int> m_rowOf; // rows of the statistics that are one piece
    StatisticsChoice m_choice;
    QRegularExpression m_filter;
    QString m_about;
    Completeness m_completeness = Completeness::Whole;
    QString m_problem;

    TopTokensItemModel* m_top;
    PairItemModel* m_pairs;
    HeatItemModel* m_tags;
    HeatItemModel* m_together;

    QLabel* m_title = nullptr;
    QLabel* m_legend = nullptr;
    QLabel* m_message = nullptr;
    QLabel* m_explained = nullptr;
    QLabel* m_shownRows = nullptr;
    QLabel* m_countingText = nullptr;
    QProgressBar* m_progress = nullptr;
    QWidget* m_counting = nullptr;
    QWidget* m_tools = nullptr;
    QPushButton* m_count = nullptr;
    QPushButton* m_save = nullptr;
    QPushButton* m_export = nullptr;
    QAction* m_exportTags = nullptr;
    QAction* m_words = nullptr;
    QButtonGroup* m_pages = nullptr;
    QLineEdit* m_pattern = nullptr;
    QSpinBox* m_minimum = nullptr;
    QComboBox* m_order = nullptr;
    QCheckBox* m_onlyExpert = nullptr;
    QComboBox* m_togetherChoice = nullptr;
    QStackedLayout* m_stack = nullptr;
    QStackedWidget* m_tables = nullptr;
    MarkingTable* m_topTable = nullptr;
    MarkingTable* m_pairTable = nullptr;
    QTableView* m_tagTable = nullptr;
    QTableView* m_togetherTable = nullptr;
    LoadBars* m_load = nullptr;
    StaleVeil* m_veil = nullptr;
    ContextsView* m_contexts = nullptr;
    QPushButton* m_askContexts = nullptr;
    QSplitter* m_tablesAndContexts = nullptr;
};

} // namespace headscope::widgets
