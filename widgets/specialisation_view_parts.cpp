// SPDX-License-Identifier: GPL-3.0-or-later
// SpecialisationView's parts as they are made: header, tools, menus, tables.
#include "widgets/specialisation_view.h"

#include "widgets/choice_button.h"
#include "widgets/contexts_view.h"
#include "widgets/expert_delegate.h"
#include "widgets/flat_header.h"
#include "widgets/heat_item_model.h"
#include "widgets/load_bars.h"
#include "widgets/marking_table.h"
#include "widgets/pair_item_model.h"
#include "widgets/statistic_text.h"
#include "widgets/table_style.h"
#include "widgets/top_tokens_item_model.h"

#include <QAction>
#include <QActionGroup>
#include <QButtonGroup>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QSpinBox>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace headscope::widgets {

namespace {

/// What a first look needs; the others are switched on in the menu.
constexpr std::array shownAtFirst{core::PairColumn::Count,            core::PairColumn::RowCount, core::PairColumn::Pmi,
                                  core::PairColumn::ExpertGivenToken, core::PairColumn::NullPmi,  core::PairColumn::Q};

} // namespace

QWidget* SpecialisationView::makeHeader()
{
    m_title = new QLabel;
    m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    QFont bold = m_title->font();
    bold.setBold(true);
    m_title->setFont(bold);
    m_legend = new QLabel;
    m_legend->setWordWrap(true);
    m_legend->setForegroundRole(QPalette::PlaceholderText);

    auto* words = new QVBoxLayout;
    words->setSpacing(3);
    words->addWidget(m_title);
    words->addWidget(m_legend);
    auto* top = new QHBoxLayout;
    top->addLayout(words, 1);
    const auto add = [top](const QString& text, const QString& toolTip) {
        auto* button = new QPushButton(text);
        button->setToolTip(toolTip);
        top->addWidget(button, 0, Qt::AlignTop);
        return button;
    };
    m_count = add(tr("&Count a corpus…"), tr("Run the checkpoint over texts and count what every router chooses"));
    QPushButton* open = add(tr("Open counts…"), tr("Counts that were saved here or by headscope count"));
    m_save = add(tr("Save counts…"), tr("Keep what was counted, to open it again or to add it to other counts"));
    m_export = add(tr("E&xport"), tr("As CSV, TSV, JSON, Markdown or LaTeX, by the end of the file's name"));
    m_export->setMenu(makeExportMenu());
    connect(m_count, &QPushButton::clicked, this, &SpecialisationView::countAsked);
    connect(open, &QPushButton::clicked, this, &SpecialisationView::openAsked);
    connect(m_save, &QPushButton::clicked, this, &SpecialisationView::saveAsked);

    m_counting = new QWidget;
    auto* line = new QHBoxLayout(m_counting);
    line->setContentsMargins(0, 0, 0, 0);
    m_progress = new QProgressBar;
    m_progress->setRange(0, 1000);
    m_progress->setTextVisible(false);
    m_progress->setMaximumHeight(12);
    m_progress->setAccessibleName(tr("Progress of counting"));
    m_countingText = new QLabel;
    auto* cancel = new QPushButton(tr("Stop counting"));
    connect(cancel, &QPushButton::clicked, this, &SpecialisationView::cancelAsked);
    line->addWidget(m_progress, 1);
    line->addWidget(m_countingText);
    line->addWidget(cancel);

    auto* header = new QWidget;
    auto* column = new QVBoxLayout(header);
    column->setContentsMargins(8, 6, 8, 6);
    column->setSpacing(4);
    column->addLayout(top);
    column->addWidget(m_counting);
    return header;
}

QMenu* SpecialisationView::makeExportMenu()
{
    auto* menu = new QMenu(this);
    const auto add = [this, menu](const QString& text, core::StatisticsTable table, bool all) {
        QAction* action = menu->addAction(text);
        connect(action, &QAction::triggered, this, [this, table, all] { Q_EMIT exportAsked(table, all); });
        return action;
    };
    using enum core::StatisticsTable;
    add(tr("This router's tokens, as filtered…"), Pairs, false);
    add(tr("All routers' tokens, as filtered…"), Pairs, true);
    menu->addSeparator();
    add(tr("Load of all experts…"), Experts, true);
    add(tr("All routers, a line each…"), Routers, true);
    m_exportTags = add(tr("Tags and experts…"), Tags, true);
    add(tr("Experts chosen together…"), Together, true);
    return menu;
}

void SpecialisationView::addChoice(QMenu* menu, const QString& title,
                                   const std::vector<std::pair<QString, std::function<void()>>>& choices)
{
    menu->addSection(title);
    auto* group = new QActionGroup(menu);
    for (const auto& [text, act] : choices) {
        QAction* action = menu->addAction(text);
        action->setCheckable(true);
        action->setChecked(group->actions().isEmpty());
        group->addAction(action);
        connect(action, &QAction::triggered, this, act);
    }
}

QMenu* SpecialisationView::makeOptionsMenu()
{
    auto* menu = new QMenu(this);
    const auto with = [this](auto member, auto value) {
        return [this, member, value] {
            StatisticsChoice next = m_choice;
            next.*member = value;
            choose(next);
        };
    };
    addChoice(menu, tr("Rows"),
              {{tr("Pieces of the vocabulary"), with(&StatisticsChoice::unit, core::RowUnit::Pieces)},
               {tr("Words"), with(&StatisticsChoice::unit, core::RowUnit::Words)}});
    m_words = menu->actions().last();
    QAction* fold = menu->addAction(tr("Upper and lower case are one"));
    fold->setCheckable(true);
    connect(fold, &QAction::toggled, this, [this](bool on) {
        StatisticsChoice next = m_choice;
        next.letters = on ? core::LetterCase::Folded : core::LetterCase::Kept;
        choose(next);
    });
    using Weight = std::optional<core::Weighting>;
    addChoice(
        menu, tr("A choice counts"),
        {{tr("As fits the router (its gate where every expert is chosen)"), with(&StatisticsChoice::weighting, Weight())},
         {tr("1"), with(&StatisticsChoice::weighting, Weight(core::Weighting::Selections))},
         {tr("Its gate"), with(&StatisticsChoice::weighting, Weight(core::Weighting::Gates))}});
    addChoice(menu, tr("Routers"),
              {{tr("One by one"), with(&StatisticsChoice::pooling, core::Pooling::None)},
               {tr("Heads of a site added up"), with(&StatisticsChoice::pooling, core::Pooling::Heads)},
               {tr("Repeats of the same weights added up"), with(&StatisticsChoice::pooling, core::Pooling::Repeats)},
               {tr("Layers added up"), with(&StatisticsChoice::pooling, core::Pooling::Layers)}});
    return menu;
}

QMenu* SpecialisationView::makeColumnsMenu()
{
    auto* menu = new QMenu(this);
    for (int i = 0; i < core::pairColumns; ++i) {
        const auto column = static_cast<core::PairColumn>(i);
        const std::string_view formula = core::info(column).formula;
        QAction* action = menu->addAction(QStringLiteral("%1\t%2").arg(
            columnName(column), QString::fromUtf8(formula.data(), static_cast<qsizetype>(formula.size())).left(70)));
        action->setCheckable(true);
        const bool shown = std::ranges::find(shownAtFirst, column) != shownAtFirst.end();
        action->setChecked(shown);
        m_pairTable->setColumnHidden(PairItemModel::columnOf(column), !shown);
        connect(action, &QAction::toggled, this, [this, column](bool on) {
            m_pairTable->setColumnHidden(PairItemModel::columnOf(column), !on);
            StatisticsChoice next = m_choice;
            const auto visible = [this](core::PairColumn which) {
                return !m_pairTable->isColumnHidden(PairItemModel::columnOf(which));
            };
            next.intervals = visible(core::PairColumn::PmiLow) || visible(core::PairColumn::PmiHigh);
            choose(next);
        });
    }
    return menu;
}

QWidget* SpecialisationView::makeTools()
{
    m_topTable = makeMarkingTable(m_top, tr("Top tokens of every expert"));
    m_pairTable = makeMarkingTable(m_pairs, tr("Pairs of token and expert"));
    prepareTable(m_tagTable = new QTableView, m_tags, tr("Tags and experts"));
    prepareTable(m_togetherTable = new QTableView, m_together, tr("Experts chosen together"));

    m_pages = new QButtonGroup(this);
    auto* line = new QHBoxLayout;
    line->setSpacing(2);
    const std::array titles{std::pair(tr("Top tokens"), tr("One column of tokens for every expert")),
                            std::pair(tr("All pairs"), tr("Every pair of token and expert, with all statistics")),
                            std::pair(tr("Tags"), tr("How much more often a tag's tokens choose an expert")),
                            std::pair(tr("Together"), tr("Experts that are chosen at the same position"))};
    for (int i = 0; i < static_cast<int>(titles.size()); ++i) {
        auto* button = new ChoiceButton;
        button->setText(titles[static_cast<std::size_t>(i)].first);
        button->setToolTip(titles[static_cast<std::size_t>(i)].second);
        button->setCheckable(true);
        m_pages->addButton(button, i);
        line->addWidget(button);
    }
    connect(m_pages, &QButtonGroup::idClicked, this, [this](int id) { setPage(static_cast<Page>(id)); });
    line->addSpacing(12);

    m_pattern = new QLineEdit;
    m_pattern->setPlaceholderText(tr("Filter: a regular expression"));
    m_pattern->setToolTip(
        tr("Only tokens that match, as they are shown: ␣ is the space before a word. Try ^␣[A-Z] or ing$"));
    m_pattern->setClearButtonEnabled(true);
    m_pattern->setAccessibleName(tr("Filter of tokens"));
    m_pattern->setMaximumWidth(420);
    connect(m_pattern, &QLineEdit::textChanged, this, &SpecialisationView::filterEdited);
    line->addWidget(m_pattern, 1);
    line->addSpacing(8);
    m_minimum = new QSpinBox;
    m_minimum->setRange(0, 1'000'000'000);
    m_minimum->setValue(static_cast<int>(m_choice.minimum));
    m_minimum->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
    m_minimum->setToolTip(tr("Tokens that occur less often are left out: what is rare has extreme values by chance"));
    m_minimum->setAccessibleName(tr("Minimum count"));
    m_minimum->setPrefix(tr("n(t) ≥ "));
    connect(m_minimum, &QSpinBox::valueChanged, this, [this](int value) {
        StatisticsChoice next = m_choice;
        next.minimum = value;
        choose(next);
    });
    line->addWidget(m_minimum);
    m_order = new QComboBox;
    m_order->setAccessibleName(tr("Column that orders the tokens"));
    m_order->setToolTip(tr("The column that orders the tokens of an expert"));
    for (int i = 0; i < core::pairColumns; ++i)
        m_order->addItem(columnName(static_cast<core::PairColumn>(i)), i);
    m_order->setCurrentIndex(static_cast<int>(core::PairColumn::Pmi));
    connect(m_order, &QComboBox::currentIndexChanged, this, &SpecialisationView::orderChosen);
    line->addWidget(m_order);
    const auto menuButton = [line](const QString& text, QMenu* menu) {
        auto* button = new QPushButton(text);
        button->setMenu(menu);
        line->addWidget(button);
    };
    menuButton(tr("&Options"), makeOptionsMenu());
    menuButton(tr("Col&umns"), makeColumnsMenu());

    auto* tools = new QWidget;
    auto* column = new QVBoxLayout(tools);
    column->setContentsMargins(8, 0, 8, 6);
    column->addLayout(line);
    return tools;
}

MarkingTable* SpecialisationView::makeMarkingTable(QAbstractItemModel* model, const QString& name)
{
    auto* table = new MarkingTable(TableRowRole);
    prepareTable(table, model, name);
    connect(table, &MarkingTable::pointedAt, this, &SpecialisationView::pointAtText);
    connect(table, &MarkingTable::pointedAtNothing, this, &SpecialisationView::pointAtNothing);
    offerContexts(table);
    return table;
}

void SpecialisationView::prepareTable(QTableView* table, QAbstractItemModel* model, const QString& name)
{
    setTableStyle(*table, model, name);
    const QFontMetrics metrics(table->font());
    table->setVerticalHeader(new FlatHeader(Qt::Vertical));
    table->verticalHeader()->setMinimumSectionSize(metrics.height() + 4);
    table->verticalHeader()->setDefaultSectionSize(metrics.height() + 7);
    table->setHorizontalHeader(new FlatHeader(Qt::Horizontal));
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::Interactive);
    if (model == m_pairs) {
        auto* header = new QHeaderView(Qt::Horizontal); // it shows which column sorts
        header->setSectionsClickable(true);
        header->setHighlightSections(false);
        table->setHorizontalHeader(header);
        table->horizontalHeader()->setDefaultSectionSize(metrics.horizontalAdvance(QStringLiteral("null_pmi")) + 16);
        header->setSortIndicator(m_pairs->sortColumn(), m_pairs->sortOrder());
        table->setSortingEnabled(true);
        table->setColumnWidth(PairItemModel::TokenColumn, metrics.horizontalAdvance(u'M') * 13);
        for (const core::PairColumn column : {core::PairColumn::ExpertGivenToken, core::PairColumn::TokenGivenExpert})
            table->setColumnWidth(PairItemModel::columnOf(column), metrics.horizontalAdvance(columnName(column)) + 16);
        for (const int column : {PairItemModel::IdColumn, PairItemModel::ExpertColumn})
            table->setColumnWidth(column, metrics.horizontalAdvance(QStringLiteral("expert")) + 14);
        return;
    }
    table->setItemDelegate(new ExpertDelegate(table));
    table->setSelectionMode(QAbstractItemView::NoSelection);
    if (model == m_top) { // a token under its expert
        table->setSelectionMode(QAbstractItemView::SingleSelection);
        table->setSelectionBehavior(QAbstractItemView::SelectItems);
    }
    table->horizontalHeader()->setDefaultSectionSize(
        model == m_top ? metrics.horizontalAdvance(u'M') * 11 : metrics.horizontalAdvance(QStringLiteral("00.00")) + 18);
}

/// Double click, Enter and the context menu of a table ask for contexts.
void SpecialisationView::offerContexts(MarkingTable* table)
{
    connect(table, &QTableView::activated, this, &SpecialisationView::askContexts);
    auto* action = new QAction(tr("Show &contexts"), table);
    connect(action, &QAction::triggered, this, &SpecialisationView::askContexts);
    table->addAction(action);
    table->setContextMenuPolicy(Qt::ActionsContextMenu);
}

QWidget* SpecialisationView::makeBody()
{
    m_load = new LoadBars;
    m_explained = new QLabel;
    m_explained->setWordWrap(true);
    m_explained->setContentsMargins(8, 0, 8, 8);
    m_explained->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* right = new QWidget;
    auto* beside = new QVBoxLayout(right);
    beside->setContentsMargins(0, 0, 0, 0);
    beside->setSpacing(0);
    beside->addWidget(m_load, 1);
    beside->addWidget(m_explained);

    auto* splitter = new QSplitter;
    auto* scrolled = new QScrollArea; // there is little height where contexts are open
    scrolled->setFrameShape(QFrame::NoFrame);
    scrolled->setWidgetResizable(true);
    scrolled->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scrolled->setWidget(right);
    splitter->addWidget(makeTables());
    splitter->addWidget(scrolled);
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 0);
    splitter->setCollapsible(0, false);
    splitter->setSizes({700, 290});

    m_contexts = new ContextsView;
    m_contexts->hide();
    m_tablesAndContexts = new QSplitter(Qt::Vertical);
    m_tablesAndContexts->addWidget(splitter);
    m_tablesAndContexts->addWidget(m_contexts);
    m_tablesAndContexts->setChildrenCollapsible(false);
    return m_tablesAndContexts;
}

/// With what is said about them below.
QWidget* SpecialisationView::makeTables()
{
    auto* togetherPage = new QWidget;
    auto* together = new QVBoxLayout(togetherPage);
    together->setContentsMargins(8, 0, 0, 0);
    m_togetherChoice = new QComboBox;
    m_togetherChoice->setAccessibleName(tr("Which experts"));
    connect(m_togetherChoice, &QComboBox::currentIndexChanged, this, &SpecialisationView::showTogether);
    together->addWidget(m_togetherChoice, 0, Qt::AlignLeft);
    together->addWidget(m_togetherTable, 1);

    m_tables = new QStackedWidget;
    for (QWidget* page : {static_cast<QWidget*>(m_topTable), static_cast<QWidget*>(m_pairTable),
                          static_cast<QWidget*>(m_tagTable), togetherPage})
        m_tables->addWidget(page);

    m_shownRows = new QLabel;
    m_shownRows->setForegroundRole(QPalette::PlaceholderText);
    m_onlyExpert = new QCheckBox(tr("only the chosen expert"));
    connect(m_onlyExpert, &QCheckBox::toggled, this, &SpecialisationView::markExpert);
    m_askContexts = new QPushButton(tr("Con&texts"));
    m_askContexts->setToolTip(tr("Where the chosen token stands in the corpus, sorted by the gate of its expert, with counter-examples "
                                 "(also by double click or Enter)"));
    connect(m_askContexts, &QPushButton::clicked, this, &SpecialisationView::askContexts);
    auto* under = new QHBoxLayout;
    under->setContentsMargins(8, 3, 8, 3);
    under->addWidget(m_shownRows, 1);
    under->addWidget(m_onlyExpert);
    under->addWidget(m_askContexts);
    auto* left = new QWidget;
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_tables, 1);
    column->addLayout(under);
    return left;
}

} // namespace headscope::widgets
