// SPDX-License-Identifier: GPL-3.0-or-later
// CompareView's parts as they are made: header, tools of the strips, tables, maps.
#include "widgets/choice_button.h"
#include "widgets/compare_corpus.h"
#include "widgets/compare_view.h"
#include "widgets/cost_view.h"
#include "widgets/expert_pair_item_model.h"
#include "widgets/flat_header.h"
#include "widgets/message_label.h"
#include "widgets/router_map.h"
#include "widgets/router_pair_item_model.h"
#include "widgets/scale_legend.h"
#include "widgets/stale_veil.h"
#include "widgets/table_style.h"

#include <QAction>
#include <QActionGroup>
#include <QButtonGroup>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QStackedLayout>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace headscope::widgets {

CompareView::CompareView(QWidget* parent)
    : QWidget(parent), m_routers(new RouterPairItemModel(this)), m_experts(new ExpertPairItemModel(this))
{
    auto* below = new QSplitter(Qt::Horizontal);
    below->setChildrenCollapsible(false);
    below->addWidget(makeTables());
    below->addWidget(m_maps = makeMaps());
    below->setStretchFactor(0, 1);
    below->setSizes({600, 400});

    auto* strips = new QWidget;
    auto* stripColumn = new QVBoxLayout(strips);
    stripColumn->setContentsMargins(0, 0, 0, 0);
    stripColumn->setSpacing(0);
    stripColumn->addWidget(makeStripTools());
    m_strip = new CompareStrip;
    stripColumn->addWidget(m_strip, 1);
    connect(m_strip, &CompareStrip::tintsChanged, this, &CompareView::showTints);

    auto* split = m_split = new QSplitter(Qt::Vertical);
    split->setChildrenCollapsible(false);
    split->addWidget(strips);
    split->addWidget(below);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    split->setSizes({450, 350});

    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHeader());
    column->addWidget(split, 1);

    m_stack = new QStackedLayout(this);
    m_stack->setContentsMargins(0, 0, 0, 0);
    m_stack->addWidget(makeMessage());
    m_stack->addWidget(page);
    m_veil = new StaleVeil(this);
    connect(&m_ofB, &Selection::changed, this, &CompareView::chooseOfB);
    m_mapB->setSelection(&m_ofB);
    setPage(Page::Routers);
}

QWidget* CompareView::makeMessage()
{
    auto* widget = new QWidget;
    auto* column = new QVBoxLayout(widget);
    m_message = makeMessageLabel(widget);
    m_openB = new QPushButton(tr("Open &B…"));
    m_openB->setVisible(false);
    connect(m_openB, &QPushButton::clicked, this, &CompareView::openSecondAsked);
    column->addStretch(1);
    column->addWidget(m_message);
    column->addWidget(m_openB, 0, Qt::AlignHCenter);
    column->addStretch(2);
    return widget;
}

QMenu* CompareView::makeMatchingMenu()
{
    auto* menu = new QMenu(this);
    auto* group = new QActionGroup(menu);
    const auto add = [&](const QString& text, const QString& meaning, std::optional<core::Matching> matching) {
        QAction* action = menu->addAction(text);
        action->setToolTip(meaning);
        action->setCheckable(true);
        action->setChecked(!matching);
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, matching] {
            m_matching = matching;
            Q_EMIT matchingChosen(matching);
        });
    };
    menu->setToolTipsVisible(true);
    add(tr("Automatic"), tr("By number within one run, else by co-selection"), std::nullopt);
    add(tr("By number"), tr("Expert 3 of A is expert 3 of B: two steps of one run"), core::Matching::Identity);
    add(tr("By co-selection"),
        tr("Experts that are chosen at the same places, fitted on other parts of the text than those judged"),
        core::Matching::Coselection);
    add(tr("By the routers’ weights"), tr("Experts whose rows of the router point the same way; no text is needed"),
        core::Matching::Weights);
    return menu;
}

QMenu* CompareView::makeExportMenu()
{
    auto* menu = new QMenu(this);
    const auto add = [this, menu](const QString& text, core::ComparisonTable table) {
        connect(menu->addAction(text), &QAction::triggered, this, [this, table] { Q_EMIT exportAsked(table); });
    };
    add(tr("Pairs of routers…"), core::ComparisonTable::Routers);
    add(tr("Places of the text…"), core::ComparisonTable::Tokens);
    add(tr("Matched experts…"), core::ComparisonTable::Experts);
    add(tr("Cost of the attention of both…"), core::ComparisonTable::Cost);
    menu->addSeparator();
    connect(menu->addAction(tr("Report with both strips…")), &QAction::triggered, this, &CompareView::reportAsked);
    return menu;
}

QWidget* CompareView::makeHeader()
{
    m_title = new QLabel;
    m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    QFont bold = m_title->font();
    bold.setBold(true);
    m_title->setFont(bold);
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_summary = new QLabel;
    m_summary->setWordWrap(true);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_progress = new QLabel;
    m_progress->setForegroundRole(QPalette::PlaceholderText);

    auto* line = new QHBoxLayout;
    line->addWidget(m_title, 1);
    line->addWidget(m_progress);
    m_matchingButton = new QPushButton(tr("&Matching"));
    m_matchingButton->setToolTip(tr("How the experts of B find their counterparts in A"));
    m_matchingButton->setMenu(makeMatchingMenu());
    auto* swap = new QPushButton(tr("S&wap"));
    swap->setToolTip(tr("A becomes B, and B becomes A"));
    auto* exportButton = new QPushButton(tr("E&xport"));
    exportButton->setToolTip(tr("As CSV, TSV, Markdown or LaTeX, all of it as JSON, or a report as PDF or Markdown"));
    exportButton->setMenu(makeExportMenu());
    connect(swap, &QPushButton::clicked, this, &CompareView::swapAsked);
    for (QPushButton* button : {m_matchingButton, swap, exportButton})
        line->addWidget(button);

    auto* header = new QWidget;
    auto* column = new QVBoxLayout(header);
    column->setContentsMargins(8, 6, 8, 4);
    column->setSpacing(3);
    column->addLayout(line);
    column->addWidget(m_summary);
    return header;
}

QWidget* CompareView::makeStripTools()
{
    m_pairTitle = new QLabel;
    QFont bold = m_pairTitle->font();
    bold.setBold(true);
    m_pairTitle->setFont(bold);
    m_pairText = new QLabel;
    m_pairText->setForegroundRole(QPalette::PlaceholderText);
    m_tintBox = new QComboBox;
    m_tintBox->setAccessibleName(tr("What the bands between the tokens are coloured by"));
    m_tintBox->setToolTip(m_tintBox->accessibleName());
    for (const QString& name : {tr("agreement here"), tr("mean agreement"), tr("loss B − A"), tr("KL(A‖B)")})
        m_tintBox->addItem(name);
    m_legend = new ScaleLegend;
    m_only = new ChoiceButton;
    m_only->setText(tr("Only differences"));
    m_only->setToolTip(tr("Leaves out the places where both choose the same experts"));
    m_only->setCheckable(true);
    connect(m_tintBox, &QComboBox::activated, this, [this](int index) {
        setTint(static_cast<CompareTint>(index));
        Q_EMIT choiceChanged();
    });
    connect(m_only, &QToolButton::clicked, this, [this](bool only) {
        setOnlyDifferences(only);
        Q_EMIT choiceChanged();
    });

    for (QLabel* label : {m_pairTitle, m_pairText}) // a long text must not widen the window
        label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* words = new QVBoxLayout;
    words->setSpacing(1);
    words->addWidget(m_pairTitle);
    words->addWidget(m_pairText);
    auto* tools = new QWidget;
    auto* line = new QHBoxLayout(tools);
    line->setContentsMargins(8, 2, 8, 4);
    line->addLayout(words, 1);
    line->addWidget(new QLabel(tr("bands:")));
    line->addWidget(m_tintBox);
    line->addWidget(m_legend);
    line->addWidget(m_only);
    return tools;
}

QWidget* CompareView::makeTables()
{
    prepareTable(m_routerTable = new QTableView, m_routers, tr("Pairs of routers"));
    prepareTable(m_expertTable = new QTableView, m_experts, tr("Matched experts"));
    m_routerTable->setSortingEnabled(true);
    m_routerTable->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    m_routerTable->horizontalHeader()->setSortIndicatorClearable(true);
    connect(m_routerTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
        if (m_showing)
            return;
        if (const auto pair = m_routers->pairOf(now.row()))
            choosePair(*pair);
    });
    connect(m_expertTable, &QTableView::clicked, this, [this](const QModelIndex& index) {
        if (m_selection)
            m_selection->setExpert(m_experts->expertOfRow(index.row()));
    });

    m_tables = new QStackedWidget;
    m_tables->addWidget(m_routerTable);
    m_tables->addWidget(m_expertTable);
    m_tables->addWidget(m_cost = new CostView);
    m_tables->addWidget(m_corpus = new CompareCorpus);
    m_pages = new QButtonGroup(this);
    auto* buttons = new QHBoxLayout;
    buttons->setContentsMargins(8, 0, 8, 0);
    buttons->setSpacing(2);
    const std::array titles{
        std::pair(tr("Routers"), tr("Every pair of routers with its numbers")),
        std::pair(tr("Experts"), tr("Which expert of B is which expert of A in the chosen pair")),
        std::pair(tr("Cost"), tr("Operations, memory and matrices of the attention of both")),
        std::pair(tr("Corpus"), tr("What matched experts specialise in, where both were counted on a corpus")),
        std::pair(tr("Attention"), tr("What the heads of the chosen pair attend to"))};
    for (int i = 0; i < static_cast<int>(titles.size()); ++i) {
        auto* button = new ChoiceButton;
        button->setText(titles[static_cast<std::size_t>(i)].first);
        button->setToolTip(titles[static_cast<std::size_t>(i)].second);
        button->setCheckable(true);
        m_pages->addButton(button, i);
        buttons->addWidget(button);
    }
    m_pages->button(static_cast<int>(Page::Attention))->setVisible(false); // until setAttention
    buttons->addStretch(1);
    connect(m_pages, &QButtonGroup::idClicked, this, [this](int id) {
        setPage(static_cast<Page>(id));
        Q_EMIT choiceChanged();
    });
    auto* widget = new QWidget;
    auto* column = new QVBoxLayout(widget);
    column->setContentsMargins(0, 4, 0, 0);
    column->setSpacing(4);
    column->addLayout(buttons);
    column->addWidget(m_tables, 1);
    return widget;
}

void CompareView::prepareTable(QTableView* table, QAbstractItemModel* model, const QString& name)
{
    setTableStyle(*table, model, name);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    const QFontMetrics metrics(table->font());
    table->verticalHeader()->setVisible(false);
    table->verticalHeader()->setMinimumSectionSize(metrics.height() + 3);
    table->verticalHeader()->setDefaultSectionSize(metrics.height() + 5);
    table->horizontalHeader()->setHighlightSections(false);
    const auto width = [&](const QString& sample) { return metrics.horizontalAdvance(sample) + 16; };
    for (int column = 0; column < model->columnCount(); ++column)
        table->setColumnWidth(
            column, std::max(width(model->headerData(column, Qt::Horizontal).toString()), width(QStringLiteral("0.000"))));
    if (model != m_routers)
        return;
    using Model = RouterPairItemModel;
    for (const int column : {Model::RouterA, Model::RouterB})
        table->setColumnWidth(column, width(QStringLiteral("layers.0.self.o.h0")));
    for (const int column : {Model::AgreementInterval, Model::NullInterval})
        table->setColumnWidth(column, width(QStringLiteral("[0.00, 0.00]")));
    table->horizontalHeader()->setStretchLastSection(true);
}

QWidget* CompareView::makeMaps()
{
    auto* widget = new QWidget;
    auto* line = new QHBoxLayout(widget);
    line->setContentsMargins(0, 4, 0, 0);
    line->setSpacing(4);
    const auto add = [line](const QString& title, const QString& name) {
        auto* map = new RouterMap;
        map->setAccessibleName(name);
        auto* label = new QLabel(title);
        label->setAlignment(Qt::AlignHCenter);
        label->setForegroundRole(QPalette::PlaceholderText);
        auto* column = new QVBoxLayout;
        column->setSpacing(2);
        column->addWidget(label);
        column->addWidget(map, 1);
        line->addLayout(column, 1);
        return map;
    };
    m_mapA = add(tr("A"), tr("Router map of A"));
    m_mapB = add(tr("B"), tr("Router map of B"));
    m_mapAgreement = add(tr("A and B"), tr("Agreement of every router of A with its counterpart"));
    return widget;
}

} // namespace headscope::widgets
