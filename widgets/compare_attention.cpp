// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare_attention.h"

#include "widgets/map_catalog.h"
#include "widgets/map_widget.h"
#include "widgets/message_label.h"
#include "widgets/number_text.h"

#include <QLabel>
#include <QStackedLayout>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::widgets {

namespace {

/// The map of a router; of one of its experts where maps belong to experts.
std::optional<core::MapRef> mapOf(const core::Trace& trace, const core::RouterAddress& router, std::optional<int> expert)
{
    MapWish wish;
    wish.router = router;
    wish.expert = expert;
    if (expert)
        wish.shown = core::MapRef{router.mapAddress(), core::MapRef::By::Expert, *expert, 0};
    return mapOfRouter(trace, wish);
}

} // namespace

std::optional<core::MapPair> mapsOfPair(const ComparedModels& models, std::size_t pair, std::optional<int> expert)
{
    if (!models.valid() || pair >= models.comparison->routers.size())
        return std::nullopt;
    const core::RouterComparison& at = models.comparison->routers[pair];
    std::optional<int> counterpart;
    if (expert && *expert >= 0 && static_cast<std::size_t>(*expert) < at.expertOfB.size()) {
        const int matched = at.expertOfB[static_cast<std::size_t>(*expert)];
        if (matched < 0)
            return std::nullopt;
        counterpart = matched;
    } else {
        expert.reset();
    }
    const auto a = mapOf(*models.traces.a, at.a, expert);
    const auto b = mapOf(*models.traces.b, at.b, counterpart);
    return a && b ? std::optional(core::MapPair{*a, *b}) : std::nullopt;
}

CompareAttention::CompareAttention(const Sources& sources, QWidget* parent)
    : QWidget(parent), m_titleA(new QLabel), m_titleB(new QLabel), m_titleDifference(new QLabel), m_rowsText(new QLabel),
      m_a(new MapWidget(sources.a)), m_b(new MapWidget(sources.b)), m_difference(new MapWidget(sources.difference)),
      m_stack(new QStackedLayout(this))
{
    auto* maps = new QWidget;
    auto* rows = new QVBoxLayout(maps);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(2);
    m_rowsText->setContentsMargins(8, 0, 8, 0);
    m_rowsText->setToolTip(
        tr("How alike what a token attends to is in both: the cosine of the rows, and their Jensen–Shannon "
           "divergence in bits"));
    rows->addWidget(m_rowsText);
    auto* line = new QHBoxLayout;
    rows->addLayout(line, 1);
    line->setSpacing(4);
    const auto add = [line](QLabel* title, MapWidget* map, const QString& name) {
        title->setAlignment(Qt::AlignHCenter);
        title->setForegroundRole(QPalette::PlaceholderText);
        map->setAccessibleName(name);
        map->setMinimumSize(180, 160); // three of them stand beside each other
        auto* column = new QVBoxLayout;
        column->setSpacing(2);
        column->addWidget(title);
        column->addWidget(map, 1);
        line->addLayout(column, 1);
    };
    add(m_titleA, m_a, tr("Attention map of A"));
    add(m_titleB, m_b, tr("Attention map of B"));
    add(m_titleDifference, m_difference, tr("Difference of the attention maps"));
    m_message = makeMessageLabel(this);
    m_stack->addWidget(m_message);
    m_stack->addWidget(maps);
}

void CompareAttention::setSelection(Selection* selection)
{
    if (m_selection)
        m_selection->disconnect(this);
    m_selection = selection;
    for (MapWidget* map : {m_a, m_b, m_difference})
        map->setSelection(selection);
    if (selection)
        connect(selection, &Selection::changed, this, [this](Selection::Fields what) {
            if (what & Selection::Field::Expert)
                refresh();
            if (what & (Selection::Fields(Selection::Field::Bytes) | Selection::Field::Hover))
                showRows();
        });
}

void CompareAttention::setModels(const ComparedModels& models, std::size_t pair)
{
    m_models = models;
    m_pair = pair;
    refresh();
}

void CompareAttention::refresh()
{
    if (!isVisible() && m_models.valid())
        return;
    const std::optional<int> expert = m_selection ? m_selection->state().expert : std::nullopt;
    const std::optional<core::MapPair> maps = mapsOfPair(m_models, m_pair, expert);
    const bool sameTraces = m_shownOf.traces.a == m_models.traces.a && m_shownOf.traces.b == m_models.traces.b;
    m_shownOf = m_models;
    if (!maps || maps != m_maps || !sameTraces) {
        m_maps = maps;
        m_rows.reset();
        Q_EMIT mapsChosen(m_models, maps);
        const core::MapPair shown = maps.value_or(core::MapPair{});
        m_a->setMap(maps ? m_models.traces.a : nullptr, shown.a);
        m_b->setMap(maps ? m_models.traces.b : nullptr, shown.b);
        const bool comparable = maps && m_models.comparison->alignment.sameTokens;
        m_difference->setMap(comparable ? m_models.traces.a : nullptr, shown.a);
        m_difference->setEnabled(comparable);
        m_titleDifference->setText(comparable ? tr("|A − B|") : tr("no difference: the tokens are not the same"));
    }
    m_message->setText(maps ? QString() : whyNoMaps());
    m_stack->setCurrentIndex(maps ? 1 : 0);
    if (!maps)
        return;
    showRows();
    m_titleA->setText(tr("A  %1").arg(mapTitle(maps->a, *m_a->scene().block)));
    m_titleB->setText(tr("B  %1").arg(mapTitle(maps->b, *m_b->scene().block)));
}

void CompareAttention::setRows(std::shared_ptr<const core::AttentionComparison> rows)
{
    m_rows = std::move(rows);
    showRows();
}

/// The mean, and the row of the place under the mouse, or the first one that is selected.
void CompareAttention::showRows()
{
    if (!m_rows || !m_shownOf.valid())
        return m_rowsText->setText(tr("Rows: …"));
    const auto numbers = [](double cosine, double divergence) {
        return tr("cosine %1, divergence %2 bits").arg(fixedNumber(cosine, 3), fixedNumber(divergence, 3));
    };
    QString text = tr("Rows on the mean: %1").arg(numbers(m_rows->meanCosine, m_rows->meanDivergence));
    std::optional<core::ByteRange> place;
    if (m_selection)
        place = m_selection->state().hover ? m_selection->state().hover : m_selection->state().bytes;
    const auto& units = m_shownOf.comparison->alignment.units;
    const auto unit = std::ranges::find_if(
        units, [&](const core::AlignedUnit& at) { return place && !at.bytes.empty() && at.bytes.overlaps(*place); });
    if (const auto at = static_cast<std::size_t>(unit - units.begin()); at < m_rows->cosine.size())
        text += tr("; here: %1")
                    .arg(numbers(static_cast<double>(m_rows->cosine[at]), static_cast<double>(m_rows->divergence[at])));
    m_rowsText->setText(text);
}

QString CompareAttention::rowsText() const
{
    return m_rowsText->text();
}

QString CompareAttention::whyNoMaps() const
{
    if (!m_models.valid())
        return {};
    for (const bool ofB : {false, true}) {
        const core::Trace& trace = m_models.trace(ofB);
        if (trace.attention.empty() && !trace.options.maps)
            return ofB ? tr("The trace of B kept no attention maps.") : tr("The trace of A kept no attention maps.");
        if (trace.attention.empty())
            return ofB ? tr("B has no attention maps.") : tr("A has no attention maps.");
    }
    return tr("The chosen router or expert has no attention map in both models.");
}

QString CompareAttention::message() const
{
    return m_stack->currentIndex() == 0 ? m_message->text() : QString();
}

void CompareAttention::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    refresh();
}

} // namespace headscope::widgets
