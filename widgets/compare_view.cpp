// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare_view.h"

#include "widgets/choice_button.h"
#include "widgets/compare_attention.h"
#include "widgets/compare_text.h"
#include "widgets/compare_tooltip.h"
#include "widgets/cost_view.h"
#include "widgets/expert_pair_item_model.h"
#include "widgets/number_text.h"
#include "widgets/router_map.h"
#include "widgets/router_pair_item_model.h"
#include "widgets/scale_legend.h"
#include "widgets/stale_veil.h"

#include <QAction>
#include <QActionGroup>
#include <QButtonGroup>
#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QStackedLayout>
#include <QStackedWidget>
#include <QTableView>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

constexpr std::size_t noPair = static_cast<std::size_t>(-1);

QString addressText(const core::RouterAddress& address)
{
    return QString::fromStdString(address.toString());
}

/// Mean agreement over all pairs that a router of A is in; NaN for none.
double agreementOf(const core::Comparison& comparison, const core::RouterAddress& router)
{
    double sum = 0;
    int count = 0;
    for (const core::RouterComparison& pair : comparison.routers) {
        if (pair.a != router || std::isnan(pair.agreement))
            continue;
        sum += pair.agreement;
        ++count;
    }
    return count > 0 ? sum / count : std::nan("");
}

QString whyUnpaired(const core::Comparison& comparison, const core::RouterAddress& router)
{
    const auto found = std::ranges::find(comparison.onlyA, router, &core::UnpairedRouter::address);
    return found == comparison.onlyA.end() ? CompareView::tr("not compared") : QString::fromStdString(found->why);
}

} // namespace

void CompareView::setSelection(Selection* selection)
{
    if (m_selection)
        m_selection->disconnect(this);
    m_selection = selection;
    m_strip->setSelection(selection);
    m_mapA->setSelection(selection);
    m_mapAgreement->setSelection(selection);
    if (m_attention)
        m_attention->setSelection(selection);
    if (selection)
        connect(selection, &Selection::changed, this, &CompareView::selectionChanged);
    selectionChanged(Selection::Field::Router);
}

void CompareView::setModels(const ComparedModels& models)
{
    const bool sameTraces =
        m_models.valid() && models.valid() && m_models.traces.a == models.traces.a && m_models.traces.b == models.traces.b;
    const auto former = pair() ? std::optional(m_models.comparison->routers[m_pair]) : std::nullopt;
    m_models = models;
    if (m_models.valid()) {
        std::size_t next = pairOf(m_selection ? m_selection->state().router : std::nullopt);
        const auto& routers = m_models.comparison->routers;
        for (std::size_t i = 0; former && i < routers.size(); ++i) // the one shown before, where a router is in several
            if (routers[i].a == former->a && routers[i].b == former->b && next < routers.size() &&
                routers[next].a == former->a)
                next = i;
        m_pair = next;
    } else {
        m_pair = noPair;
    }
    m_showing = true;
    m_routers->setComparison(m_models.comparison);
    spanLeftOvers();
    m_showing = false;
    if (!sameTraces) {
        m_mapA->setTrace(m_models.traces.a);
        m_mapB->setTrace(m_models.traces.b);
        m_mapAgreement->setTrace(m_models.traces.a);
        m_cost->setModels(m_models.valid() ? m_models.comparison->a : nullptr,
                          m_models.valid() ? m_models.comparison->b : nullptr);
    }
    showMaps();
    m_strip->setModels(m_models, m_pair);
    showPair(m_pair);
    if (m_models.valid())
        m_stack->setCurrentIndex(1);
}

/// Why a router has no counterpart takes the room of the numbers that it does not have.
void CompareView::spanLeftOvers()
{
    m_routerTable->clearSpans();
    const auto first = m_models.valid() ? static_cast<int>(m_models.comparison->routers.size()) : 0;
    for (int row = first; row < m_routers->rowCount(); ++row) {
        const int column = m_routers->reasonColumn(row);
        m_routerTable->setSpan(row, column, 1, RouterPairItemModel::Columns - column);
    }
}

void CompareView::setMessage(const QString& sentence, bool askForB)
{
    m_message->setText(sentence);
    m_openB->setVisible(askForB);
    m_stack->setCurrentIndex(0);
    m_veil->hide();
}

QString CompareView::message() const
{
    return m_stack->currentIndex() == 0 ? m_message->text() : QString();
}

std::optional<std::size_t> CompareView::pair() const
{
    return m_models.valid() && m_pair < m_models.comparison->routers.size() ? std::optional(m_pair) : std::nullopt;
}

/// The pair shown already when it is of this router, else the first of this router. A router without a counterpart has the
/// first of its layer in its place, else the first of all.
std::size_t CompareView::pairOf(const std::optional<core::RouterAddress>& router) const
{
    const auto& routers = m_models.comparison->routers;
    if (routers.empty())
        return noPair;
    if (!router)
        return m_pair < routers.size() ? m_pair : 0;
    if (m_pair < routers.size() && routers[m_pair].a == *router)
        return m_pair;
    const auto found = std::ranges::find(routers, *router, &core::RouterComparison::a);
    if (found != routers.end())
        return static_cast<std::size_t>(found - routers.begin());
    const auto sameLayer = [&](const core::RouterComparison& pair) {
        return pair.a.stack == router->stack && pair.a.depth == router->depth;
    };
    if (m_pair < routers.size() && sameLayer(routers[m_pair]))
        return m_pair;
    const auto near = std::ranges::find_if(routers, sameLayer);
    return near == routers.end() ? 0 : static_cast<std::size_t>(near - routers.begin());
}

void CompareView::selectionChanged(Selection::Fields what)
{
    if (!(what & Selection::Field::Router) || !m_models.valid() || !m_selection)
        return;
    if (const std::size_t next = pairOf(m_selection->state().router); next != m_pair)
        showPair(next);
    else
        showWords();
}

/// By the user, here: other views follow A's router.
void CompareView::choosePair(std::size_t pair)
{
    if (!m_models.valid() || pair >= m_models.comparison->routers.size())
        return;
    showPair(pair);
    if (!m_selection)
        return;
    SelectionState state = m_selection->state();
    const core::RouterAddress& router = m_models.comparison->routers[pair].a;
    if (state.router == router)
        return;
    state.router = router;
    state.expert.reset();
    m_selection->setState(state);
}

void CompareView::showPair(std::size_t pair)
{
    m_pair = pair;
    m_strip->setPair(pair);
    m_experts->setPair(m_models, pair);
    if (m_attention)
        m_attention->setModels(m_models, pair);
    m_showing = true;
    m_ofB.setRouter(this->pair() ? std::optional(m_models.comparison->routers[pair].b) : std::nullopt);
    const int row = m_routers->rowOf(pair);
    if (row >= 0)
        m_routerTable->setCurrentIndex(m_routers->index(row, std::max(0, m_routerTable->currentIndex().column())));
    else
        m_routerTable->clearSelection();
    m_showing = false;
    showWords();
    showTints();
    Q_EMIT pairShown();
}

/// A router of B that was chosen in its map: the pair it is in, with the shown router of A where there are several.
void CompareView::chooseOfB()
{
    const auto router = m_ofB.state().router;
    if (m_showing || !router || !m_models.valid())
        return;
    const auto& routers = m_models.comparison->routers;
    std::size_t found = noPair;
    for (std::size_t i = 0; i < routers.size(); ++i)
        if (routers[i].b == *router && (found == noPair || (m_pair < routers.size() && routers[i].a == routers[m_pair].a)))
            found = i;
    if (found != noPair)
        return choosePair(found);
    m_showing = true; // it has no counterpart: back to the one that is shown
    m_ofB.setRouter(pair() ? std::optional(routers[m_pair].b) : std::nullopt);
    m_showing = false;
}

void CompareView::showWords()
{
    if (!m_models.valid())
        return;
    const core::Comparison& comparison = *m_models.comparison;
    m_title->setText(title());
    QString words = comparisonSummary(comparison);
    const QString notes = comparisonNotes(comparison);
    if (const QString first = notes.section(QLatin1Char('\n'), 0, 0); !words.contains(first))
        words += QLatin1Char(' ') + first;
    m_summary->setText(words);
    const QString why = QString::fromStdString(comparison.whyMatching);
    m_summary->setToolTip(notes.isEmpty() ? why : why + QStringLiteral("\n\n") + notes);
    if (const auto shown = pair()) {
        const core::RouterComparison& at = comparison.routers[*shown];
        const auto router = m_selection ? m_selection->state().router : std::nullopt;
        const bool other = router && *router != at.a; // it has no counterpart
        m_pairTitle->setText(tr("A %1 ↔ B %2").arg(addressText(at.a), addressText(at.b)));
        m_pairText->setText(other
                                ? tr("%1 has no counterpart: %2").arg(addressText(*router), whyUnpaired(comparison, *router))
                                : pairSummary(at));
        m_pairText->setToolTip(routerPairTooltip(at));
    } else {
        const auto router = m_selection ? m_selection->state().router : std::nullopt;
        m_pairTitle->setText(router ? addressText(*router) : QString());
        m_pairText->setText(router ? whyUnpaired(comparison, *router) : QString());
        m_pairText->setToolTip({});
    }
}

void CompareView::showTints()
{
    const UnitTints& tints = m_strip->contents().tints;
    if (!m_models.valid())
        return;
    const auto end = [](double value) { return fixedNumber(value, value == std::floor(value) ? 0 : 2); };
    if (!tints.why.isEmpty())
        m_legend->showScale({tints.scale, tr("nothing to show"), {}, {}});
    else
        m_legend->showScale({tints.scale,
                             {},
                             (tints.clipped && tints.low < 0 ? QStringLiteral("≤ ") : QString()) + end(tints.low),
                             (tints.clipped ? QStringLiteral("≥ ") : QString()) + end(tints.high)});
    m_legend->setToolTip(tints.why.isEmpty() ? tints.title : tr("%1: %2").arg(tints.title, tints.why));
}

void CompareView::showMaps()
{
    if (!m_models.valid())
        return;
    for (RouterMap* map : {m_mapA, m_mapB})
        map->setLowEntropy(std::nullopt);
    const double low = std::min(m_mapA->lowEnd(), m_mapB->lowEnd());
    for (RouterMap* map : {m_mapA, m_mapB})
        map->setLowEntropy(low);
    RouterMapValues values;
    values.title = tr("agreement");
    for (const RouterCell& cell : m_mapAgreement->grid().cells)
        values.cells.push_back(agreementOf(*m_models.comparison, cell.address));
    values.toolTip = [comparison = m_models.comparison, cells = m_mapAgreement->grid().cells](std::size_t cell) {
        QString html;
        for (const core::RouterComparison& pair : comparison->routers)
            if (pair.a == cells[cell].address)
                html += routerPairTooltip(pair);
        return html.isEmpty()
                   ? tr("%1: %2").arg(addressText(cells[cell].address), whyUnpaired(*comparison, cells[cell].address))
                   : html;
    };
    m_mapAgreement->setValues(std::move(values));
}

void CompareView::setStale(bool stale)
{
    m_veil->setVisible(stale && m_stack->currentIndex() == 1);
    m_veil->raise();
}

void CompareView::setProgress(const QString& words)
{
    m_progress->setText(words);
}

void CompareView::setMatching(std::optional<core::Matching> matching)
{
    m_matching = matching;
    const int index = matching ? static_cast<int>(*matching) + 1 : 0;
    m_matchingButton->menu()->actions().at(index)->setChecked(true);
}

void CompareView::setTint(CompareTint tint)
{
    m_strip->setTint(tint);
    m_tintBox->setCurrentIndex(static_cast<int>(tint));
    showTints();
}

void CompareView::setOnlyDifferences(bool only)
{
    m_strip->setColumns(only ? CompareStrip::Columns::OnlyDifferences : CompareStrip::Columns::All);
    m_only->setChecked(only);
}

void CompareView::setPage(Page page)
{
    if (page == Page::Attention && !m_attention)
        return;
    m_maps->setHidden(page == Page::Attention || page == Page::Cost || page == Page::Corpus); // they need the room
    if ((page == Page::Attention) != (m_tables->currentIndex() == static_cast<int>(Page::Attention)))
        m_split->setSizes(page == Page::Attention ? QList<int>{320, 480} : QList<int>{450, 350}); // proportions
    m_pages->button(static_cast<int>(page))->setChecked(true);
    m_tables->setCurrentIndex(static_cast<int>(page));
    for (int i = 0; i < m_tables->count(); ++i) { // what is behind asks for no room
        const auto policy = i == m_tables->currentIndex() ? QSizePolicy::Preferred : QSizePolicy::Ignored;
        m_tables->widget(i)->setSizePolicy(policy, policy);
    }
    m_tables->layout()->invalidate(); // hidden pages do not say that they changed
    m_tables->updateGeometry();
}

void CompareView::setAttention(CompareAttention* attention)
{
    m_attention = attention;
    m_attention->setSelection(m_selection);
    m_tables->addWidget(attention);
    m_pages->button(static_cast<int>(Page::Attention))->setVisible(true);
    setPage(static_cast<Page>(m_tables->currentIndex()));
}

QString CompareView::title() const
{
    return tr("A  %1   ↔   B  %2").arg(m_models.nameA, m_models.nameB);
}

QString CompareView::summary() const
{
    return m_summary->text();
}

QString CompareView::pairText() const
{
    return m_pairTitle->text() + QStringLiteral(": ") + m_pairText->text();
}

void CompareView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_veil->setGeometry(rect());
}

} // namespace headscope::widgets
