// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/specialisation_view.h"

#include "widgets/choice_button.h"
#include "widgets/expert_delegate.h"
#include "widgets/flat_header.h"
#include "widgets/heat_item_model.h"
#include "widgets/load_bars.h"
#include "widgets/marking_table.h"
#include "widgets/message_label.h"
#include "widgets/number_text.h"
#include "widgets/pair_item_model.h"
#include "widgets/stale_veil.h"
#include "widgets/statistic_text.h"
#include "widgets/top_tokens_item_model.h"

#include <QAction>
#include <QActionGroup>
#include <QButtonGroup>
#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QSplitter>
#include <QStackedLayout>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>

namespace headscope::widgets {

namespace {

/// What a first look needs; the others are switched on in the menu.
constexpr std::array shownAtFirst{core::PairColumn::Count,            core::PairColumn::RowCount, core::PairColumn::Pmi,
                                  core::PairColumn::ExpertGivenToken, core::PairColumn::NullPmi,  core::PairColumn::Q};

QString nameOf(core::PairColumn column)
{
    const std::string_view name = core::info(column).name;
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

QString percent(double share)
{
    return std::isnan(share) ? fixedNumber(share, 0) : fixedNumber(100 * share, 1) + QStringLiteral("\u00a0%");
}

} // namespace

SpecialisationView::SpecialisationView(QWidget* parent)
    : QWidget(parent), m_top(new TopTokensItemModel(this)), m_pairs(new PairItemModel(this)),
      m_tags(new HeatItemModel(this)), m_together(new HeatItemModel(this))
{
    auto* page = new QWidget;
    auto* rows = new QVBoxLayout(page);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    rows->addWidget(m_tools = makeTools());
    rows->addWidget(makeBody(), 1);
    auto* stacked = new QWidget;
    m_message = makeMessageLabel(stacked);
    m_stack = new QStackedLayout(stacked);
    m_stack->addWidget(m_message);
    m_stack->addWidget(page);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHeader());
    column->addWidget(stacked, 1);
    m_veil = new StaleVeil(m_tables);
    m_topTable->viewport()->installEventFilter(this);

    connect(m_topTable, &QTableView::clicked, this, [this](const QModelIndex& index) { chooseExpert(index.column()); });
    connect(m_topTable->horizontalHeader(), &QHeaderView::sectionClicked, this, &SpecialisationView::chooseExpert);
    connect(m_pairTable, &QTableView::clicked, this,
            [this](const QModelIndex& index) { chooseExpert(static_cast<int>(m_pairs->pair(index.row()).expert)); });
    connect(m_tagTable->horizontalHeader(), &QHeaderView::sectionClicked, this, &SpecialisationView::chooseExpert);
    connect(m_load, &LoadBars::expertChosen, this, &SpecialisationView::chooseExpert);
    setPage(Page::TopTokens);
    setCounting(std::nullopt);
    setCounts(nullptr, {});
}

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
            nameOf(column), QString::fromUtf8(formula.data(), static_cast<qsizetype>(formula.size())).left(70)));
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
        m_order->addItem(nameOf(static_cast<core::PairColumn>(i)), i);
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
    return table;
}

void SpecialisationView::prepareTable(QTableView* table, QAbstractItemModel* model, const QString& name)
{
    table->setModel(model);
    table->setAccessibleName(name);
    table->setFrameShape(QFrame::NoFrame);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setTabKeyNavigation(false);
    table->setCornerButtonEnabled(false);
    table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
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
            table->setColumnWidth(PairItemModel::columnOf(column), metrics.horizontalAdvance(nameOf(column)) + 16);
        for (const int column : {PairItemModel::IdColumn, PairItemModel::ExpertColumn})
            table->setColumnWidth(column, metrics.horizontalAdvance(QStringLiteral("expert")) + 14);
        return;
    }
    table->setItemDelegate(new ExpertDelegate(table));
    table->setSelectionMode(QAbstractItemView::NoSelection);
    table->horizontalHeader()->setDefaultSectionSize(
        model == m_top ? metrics.horizontalAdvance(u'M') * 11 : metrics.horizontalAdvance(QStringLiteral("00.00")) + 18);
}

QWidget* SpecialisationView::makeBody()
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
    auto* under = new QHBoxLayout;
    under->setContentsMargins(8, 3, 8, 3);
    under->addWidget(m_shownRows, 1);
    under->addWidget(m_onlyExpert);
    auto* left = new QWidget;
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_tables, 1);
    column->addLayout(under);

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
    splitter->addWidget(left);
    splitter->addWidget(right);
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 0);
    splitter->setCollapsible(0, false);
    splitter->setSizes({700, 290});
    return splitter;
}

void SpecialisationView::setSelection(Selection* selection)
{
    if (m_selection)
        disconnect(m_selection, nullptr, this, nullptr);
    m_selection = selection;
    if (m_selection)
        connect(m_selection, &Selection::changed, this, &SpecialisationView::selectionChanged);
    showWhat();
}

void SpecialisationView::selectionChanged(Selection::Fields what)
{
    using enum Selection::Field;
    if (what.testFlag(Router))
        Q_EMIT choiceChanged();
    if (what.testFlag(Router) || what.testFlag(Expert))
        markExpert();
    if (what.testFlag(Hover) || what.testFlag(Bytes) || what.testFlag(Stream))
        markTokens();
}

void SpecialisationView::setCounts(std::shared_ptr<const core::Counts> counts, const QString& about,
                                   Completeness completeness)
{
    m_completeness = completeness;
    m_counts = std::move(counts);
    m_about = about;
    m_words->setEnabled(m_counts && m_counts->basis.words);
    m_words->setToolTip(m_words->isEnabled() ? QString() : tr("Words were not counted in this pass"));
    m_exportTags->setEnabled(m_counts && !m_counts->basis.tags.empty());
    if (!m_counts)
        m_statistics.reset();
    showWhat();
}

void SpecialisationView::setStatistics(std::shared_ptr<const RouterStatistics> statistics)
{
    m_problem.clear();
    m_statistics = std::move(statistics);
    m_rowOf.clear();
    if (m_statistics)
        for (std::size_t row = 0; row < m_statistics->table.rowsCount(); ++row)
            if (const auto& id = (*m_statistics->table.rows)[row].id)
                m_rowOf[*id] = static_cast<int>(row);
    m_top->setStatistics(m_statistics);
    spreadColumns();
    m_pairs->setStatistics(m_statistics);
    m_tags->setTable(m_statistics && m_statistics->tags ? std::make_shared<HeatTable>(*m_statistics->tags) : nullptr);
    const int former = std::max(m_togetherChoice->currentIndex(), 0);
    {
        const QSignalBlocker quiet(m_togetherChoice);
        m_togetherChoice->clear();
        if (m_statistics)
            for (const HeatTable& table : m_statistics->together)
                m_togetherChoice->addItem(table.title);
    }
    m_togetherChoice->setCurrentIndex(std::min(former, m_togetherChoice->count() - 1));
    showTogether(m_togetherChoice->currentIndex());
    if (m_statistics)
        m_load->setLoad(m_statistics->summary.load, m_statistics->table.positions, m_statistics->table.chosen);
    else
        m_load->setLoad({}, 0, 0);
    markExpert();
    markTokens();
    showWhat();
}

void SpecialisationView::setTrace(std::shared_ptr<const core::Trace> trace)
{
    m_trace = std::move(trace);
    markTokens();
}

/// What the mouse is over in the text, or what is selected there.
void SpecialisationView::markTokens()
{
    std::set<int> rows;
    if (m_selection && m_trace) {
        const SelectionState& state = m_selection->state();
        if (const auto bytes = state.hover ? state.hover : state.bytes) {
            const auto& tokens = m_trace->text(state.stream).tokens;
            const core::TokenRange range = core::tokensTouching(tokens, *bytes);
            for (std::size_t token = range.first; token < range.last; ++token)
                if (const auto found = m_rowOf.find(tokens[token].id); found != m_rowOf.end())
                    rows.insert(found->second);
        }
    }
    m_topTable->setMarked(rows);
    m_pairTable->setMarked(rows);
}

/// The first place in the text where the token of a row stands.
void SpecialisationView::pointAtText(int row)
{
    if (!m_selection || !m_trace || !m_statistics)
        return;
    const auto& id = (*m_statistics->table.rows)[static_cast<std::size_t>(row)].id;
    const auto& tokens = m_trace->text(m_selection->state().stream).tokens;
    const auto found = id ? std::ranges::find(tokens, *id, &core::Token::id) : tokens.end();
    m_selection->setHover(found != tokens.end() ? std::optional(found->span) : std::nullopt);
}

void SpecialisationView::pointAtNothing()
{
    if (m_selection)
        m_selection->setHover(std::nullopt);
}

void SpecialisationView::setProblem(const QString& sentence)
{
    m_statistics.reset();
    m_top->setStatistics(nullptr);
    m_pairs->setStatistics(nullptr);
    m_tags->setTable(nullptr);
    m_together->setTable(nullptr);
    m_problem = sentence;
    showWhat();
}

void SpecialisationView::setCounting(const std::optional<CountingState>& state)
{
    m_counting->setVisible(state.has_value());
    m_count->setEnabled(!state);
    if (!state)
        return;
    m_progress->setValue(static_cast<int>(std::lround(1000 * std::clamp(state->fraction, 0.0, 1.0))));
    m_countingText->setText(state->text);
}

void SpecialisationView::setStale(bool stale)
{
    m_veil->setGeometry(m_tables->rect());
    m_veil->raise();
    m_veil->setVisible(stale);
}

void SpecialisationView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_veil->setGeometry(m_tables->rect());
}

bool SpecialisationView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_topTable->viewport() && event->type() == QEvent::Resize)
        spreadColumns();
    return QWidget::eventFilter(watched, event);
}

/// Few experts share the width that is there; many keep a width in which tokens can be read.
void SpecialisationView::spreadColumns()
{
    const int columns = m_top->columnCount();
    if (columns == 0)
        return;
    const int least = m_topTable->fontMetrics().horizontalAdvance(u'M') * 10;
    const int most = least * 2;
    m_topTable->horizontalHeader()->setDefaultSectionSize(std::clamp(m_topTable->viewport()->width() / columns, least, most));
}

void SpecialisationView::setPage(Page page)
{
    m_pages->button(static_cast<int>(page))->setChecked(true);
    m_tables->setCurrentIndex(static_cast<int>(page));
    m_onlyExpert->setVisible(page == Page::Pairs);
    m_shownRows->setText(filterState());
}

void SpecialisationView::setFilter(const QString& pattern)
{
    m_pattern->setText(pattern);
}

void SpecialisationView::setMinimum(int minimum)
{
    m_minimum->setValue(minimum);
}

core::PairColumn SpecialisationView::order() const
{
    return static_cast<core::PairColumn>(m_order->currentIndex());
}

void SpecialisationView::choose(const StatisticsChoice& choice)
{
    if (choice == m_choice)
        return;
    m_choice = choice;
    Q_EMIT choiceChanged();
}

/// A pattern that is not finished leaves the former one, marked as broken.
void SpecialisationView::filterEdited()
{
    const QRegularExpression pattern(m_pattern->text(), QRegularExpression::UseUnicodePropertiesOption);
    if (pattern.isValid()) {
        m_filter = pattern;
        m_top->setFilter(m_filter);
        m_pairs->setFilter(m_filter);
        m_shownRows->setText(filterState());
    } else {
        m_shownRows->setText(tr("This is no regular expression yet: %1.").arg(pattern.errorString()));
    }
}

void SpecialisationView::orderChosen()
{
    const core::PairColumn column = order();
    m_top->setOrder(column);
    m_pairTable->sortByColumn(PairItemModel::columnOf(column),
                              core::info(column).lowestFirst ? Qt::AscendingOrder : Qt::DescendingOrder);
}

void SpecialisationView::chooseExpert(int expert)
{
    if (!m_selection || !m_statistics || expert < 0 || expert >= m_statistics->table.experts)
        return;
    SelectionState state = m_selection->state();
    state.expert = expert;
    m_selection->setState(state);
}

void SpecialisationView::markExpert()
{
    const auto expert = m_selection ? m_selection->state().expert : std::nullopt;
    m_load->setMarkedExpert(expert);
    m_pairs->setExpert(m_onlyExpert->isChecked() ? expert : std::nullopt);
    m_shownRows->setText(filterState());
}

void SpecialisationView::showTogether(int index)
{
    const bool there = m_statistics && index >= 0 && static_cast<std::size_t>(index) < m_statistics->together.size();
    m_together->setTable(there ? std::make_shared<HeatTable>(m_statistics->together[static_cast<std::size_t>(index)])
                               : nullptr);
}

QString SpecialisationView::filterState() const
{
    if (!m_statistics)
        return {};
    switch (static_cast<Page>(m_tables->currentIndex())) {
    case Page::Pairs:
        return tr("%1 of %2 shown")
            .arg(countText(m_pairs->rowCount()),
                 counted(static_cast<std::int64_t>(m_pairs->allPairs()), tr("pair"), tr("pairs")));
    case Page::TopTokens:
        return tr("Full colour: every occurrence of the token chooses this expert. Ordered by %1.")
            .arg(nameOf(m_top->order()));
    case Page::Tags:
        return m_statistics->tags ? tr("P(e|tag)/p(e): 1 is chance, orange is more often, blue less often.")
                                  : tr("No tags were counted; count with a file of tags.");
    case Page::Together:
        return m_statistics->together.empty()
                   ? tr("Nothing can be chosen together here: one expert at each position, and no other router of this "
                        "head.")
                   : tr("n(a,b)·N/(n(a)·n(b)): 1 is chance, orange is more often, blue less often.");
    }
    return {};
}

QString SpecialisationView::summary() const
{
    const core::Decomposition& parts = m_statistics->explained;
    if (!parts.whyBlank.empty())
        return QString::fromStdString(parts.whyBlank);
    QStringList shares;
    if (parts.token)
        shares << tr("the token %1").arg(percent(parts.token->share));
    if (parts.previous)
        shares << tr("the token before it %1 more").arg(percent(parts.previous->share));
    if (parts.place)
        shares << tr("the position %1 more").arg(percent(parts.place->share));
    return shares.isEmpty() ? QString() : tr("What explains the choices: %1.").arg(shares.join(QStringLiteral(", ")));
}

void SpecialisationView::showWhat()
{
    m_save->setEnabled(m_counts && m_completeness == Completeness::Whole);
    m_export->setEnabled(m_counts != nullptr);
    const QString title =
        m_statistics ? QString::fromStdString(m_statistics->table.router) : tr("What experts specialise in");
    m_title->setText(title);
    m_legend->setText(m_about);
    m_legend->setVisible(!m_about.isEmpty());
    if (m_statistics)
        m_explained->setText(summary());
    m_shownRows->setText(filterState());
    QString message;
    if (!m_counts)
        message = tr("Nothing has been counted yet. Count a corpus: the checkpoint runs over it, and every router's choices "
                     "are counted by token.");
    else if (!m_problem.isEmpty())
        message = m_problem;
    else if (!m_statistics)
        message = m_selection && m_selection->state().router ? tr("The statistics are being computed…")
                                                             : tr("Choose a router in the router map.");
    m_message->setText(message);
    m_stack->setCurrentIndex(message.isEmpty() ? 1 : 0);
}

QString SpecialisationView::title() const
{
    return m_title->text();
}

QString SpecialisationView::message() const
{
    return m_message->text();
}

} // namespace headscope::widgets
