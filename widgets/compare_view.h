// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/comparison_export.h"
#include "widgets/compare_strip.h"
#include "widgets/compared_models.h"
#include "widgets/selection.h"

#include <QPointer>
#include <QWidget>

#include <optional>

class QAbstractItemModel;
class QButtonGroup;
class QComboBox;
class QLabel;
class QMenu;
class QPushButton;
class QSplitter;
class QStackedLayout;
class QStackedWidget;
class QTableView;

namespace headscope::widgets {

class ChoiceButton;
class CompareAttention;
class CompareCorpus;
class CostView;
class ExpertPairItemModel;
class RouterMap;
class RouterPairItemModel;
class ScaleLegend;
class StaleVeil;

/// Two models on one text: their agreement in words, both token strips with bands between them, the pairs of routers, the
/// matching of the experts, and both router maps with a map of agreement. It shows what it is given and says what is wanted;
/// tracing and comparing are the business of who made it. The pair of routers that is shown follows Selection::router, an
/// address of A.
class CompareView : public QWidget
{
    Q_OBJECT

public:
    enum class Page { Routers, Experts, Cost, Corpus, Attention };

    explicit CompareView(QWidget* parent = nullptr);

    /// The page Attention, which there is only then.
    void setAttention(CompareAttention* attention);
    void setSelection(Selection* selection);
    /// What is compared; invalid models: nothing, setMessage says why.
    void setModels(const ComparedModels& models);
    /// In place of a comparison; `askForB` offers a button that asks for a checkpoint.
    void setMessage(const QString& sentence, bool askForB);
    /// The comparison shown is of another text, or is being computed anew.
    void setStale(bool stale);
    /// What is still being computed, in a few words; empty: nothing.
    void setProgress(const QString& words);
    /// How experts are to be matched; none: as fits.
    void setMatching(std::optional<core::Matching> matching);
    void setTint(CompareTint tint);
    void setOnlyDifferences(bool only);
    void setPage(Page page);

    const ComparedModels& models() const { return m_models; }
    /// Of comparison->routers; none when there is no pair.
    std::optional<std::size_t> pair() const;
    std::optional<core::Matching> matching() const { return m_matching; }
    CompareTint tint() const { return m_strip->tint(); }
    bool onlyDifferences() const { return m_strip->columns() == CompareStrip::Columns::OnlyDifferences; }

    CompareAttention* attention() const { return m_attention; }
    CompareStrip* strip() const { return m_strip; }
    QTableView* routerTable() const { return m_routerTable; }
    QTableView* expertTable() const { return m_expertTable; }
    RouterPairItemModel* routerModel() const { return m_routers; }
    ExpertPairItemModel* expertModel() const { return m_experts; }
    CompareCorpus* corpus() const { return m_corpus; }
    CostView* cost() const { return m_cost; }
    RouterMap* mapOfA() const { return m_mapA; }
    RouterMap* mapOfB() const { return m_mapB; }
    RouterMap* mapOfAgreement() const { return m_mapAgreement; }
    QString title() const;
    QString summary() const;
    QString pairText() const;
    QString message() const; // empty when a comparison is shown

Q_SIGNALS:
    void openSecondAsked();
    void swapAsked();
    void exportAsked(headscope::core::ComparisonTable table);
    void reportAsked();
    void matchingChosen(std::optional<headscope::core::Matching> matching);
    /// tint(), onlyDifferences() or the page is another.
    void choiceChanged();
    /// Another pair of routers is shown, or none.
    void pairShown();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeHeader();
    QWidget* makeStripTools();
    QWidget* makeTables();
    QWidget* makeMaps();
    QWidget* makeMessage();
    QMenu* makeMatchingMenu();
    QMenu* makeExportMenu();
    void prepareTable(QTableView* table, QAbstractItemModel* model, const QString& name);
    void selectionChanged(Selection::Fields what);
    void choosePair(std::size_t pair);
    void showPair(std::size_t pair);
    void showWords();
    void showTints();
    void showMaps();
    void spanLeftOvers();
    void chooseOfB();
    std::size_t pairOf(const std::optional<core::RouterAddress>& router) const;

    QPointer<Selection> m_selection;
    Selection m_ofB; // of the map of B: an address of B
    ComparedModels m_models;
    std::size_t m_pair = 0;
    std::optional<core::Matching> m_matching;
    RouterPairItemModel* m_routers;
    ExpertPairItemModel* m_experts;
    bool m_showing = false; // the view writes its own tables

    QLabel* m_title = nullptr;
    QLabel* m_summary = nullptr;
    QLabel* m_progress = nullptr;
    QPushButton* m_matchingButton = nullptr;
    QLabel* m_pairTitle = nullptr;
    QLabel* m_pairText = nullptr;
    QComboBox* m_tintBox = nullptr;
    ScaleLegend* m_legend = nullptr;
    ChoiceButton* m_only = nullptr;
    CompareStrip* m_strip = nullptr;
    QButtonGroup* m_pages = nullptr;
    QStackedWidget* m_tables = nullptr;
    QTableView* m_routerTable = nullptr;
    QTableView* m_expertTable = nullptr;
    CostView* m_cost = nullptr;
    CompareCorpus* m_corpus = nullptr;
    CompareAttention* m_attention = nullptr;
    QWidget* m_maps = nullptr; // of the routers
    QSplitter* m_split = nullptr;
    RouterMap* m_mapA = nullptr;
    RouterMap* m_mapB = nullptr;
    RouterMap* m_mapAgreement = nullptr;
    QLabel* m_message = nullptr;
    QPushButton* m_openB = nullptr;
    QStackedLayout* m_stack = nullptr;
    StaleVeil* m_veil = nullptr;
};

} // namespace headscope::widgets
