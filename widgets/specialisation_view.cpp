// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/specialisation_view.h"

#include "widgets/contexts_view.h"
#include "widgets/heat_item_model.h"
#include "widgets/load_bars.h"
#include "widgets/marking_table.h"
#include "widgets/message_label.h"
#include "widgets/number_text.h"
#include "widgets/pair_item_model.h"
#include "widgets/stale_veil.h"
#include "widgets/statistic_text.h"
#include "widgets/top_tokens_item_model.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QComboBox>
#include <QEvent>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QSplitter>
#include <QStackedLayout>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

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
    connect(m_contexts, &ContextsView::closeAsked, this, &SpecialisationView::closeContexts);
    setPage(Page::TopTokens);
    setCounting(std::nullopt);
    setCounts(nullptr, {});
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
    m_askContexts->setVisible(page == Page::Pairs || page == Page::TopTokens);
    m_shownRows->setText(filterState());
}

std::optional<PairInQuestion> SpecialisationView::chosenPair() const
{
    const core::PairStatistics* pair = nullptr;
    if (!m_statistics)
        return std::nullopt;
    if (static_cast<Page>(m_tables->currentIndex()) == Page::TopTokens)
        pair = m_top->pair(m_topTable->currentIndex());
    else if (static_cast<Page>(m_tables->currentIndex()) == Page::Pairs && m_pairTable->currentIndex().isValid())
        pair = &m_pairs->pair(m_pairTable->currentIndex().row());
    return pair ? std::optional(PairInQuestion{pair->row, static_cast<int>(pair->expert)}) : std::nullopt;
}

void SpecialisationView::askContexts()
{
    if (const auto pair = chosenPair())
        Q_EMIT contextsAsked(*pair);
    else
        m_shownRows->setText(tr("Choose a token in the table first."));
}

/// The first time they get half of the height.
void SpecialisationView::openContexts()
{
    if (!m_contexts->isHidden())
        return;
    const int height = m_tablesAndContexts->height();
    m_contexts->show();
    if (m_tablesAndContexts->sizes().value(1) < height / 6)
        m_tablesAndContexts->setSizes({height / 2, height - height / 2});
}

void SpecialisationView::closeContexts()
{
    m_contexts->hide();
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
            .arg(columnName(m_top->order()));
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
