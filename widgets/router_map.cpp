// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/router_map.h"

#include "widgets/palette.h"
#include "widgets/router_map_key.h"
#include "widgets/router_words.h"

#include <QAccessible>
#include <QEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPaintEvent>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

/// The lowest entropy of the colour scale: a round number, so that even loads still differ in colour.
double lowestEntropy(std::span<const core::Load> loads)
{
    double least = 1;
    for (const auto& load : loads)
        least = std::min(least, load.entropy);
    return std::min(0.9, std::floor(10 * least) / 10);
}

RouterMapMetrics metricsFor(const QFont& font, const RouterGrid& grid, int width)
{
    const QFontMetrics text(font);
    const bool repeats =
        std::any_of(grid.rows.begin(), grid.rows.end(), [](const RouterRow& row) { return row.repeat >= 0; });
    RouterMapMetrics metrics;
    metrics.width = width;
    const bool stacks = !grid.rows.empty() && grid.rows.front().stack != core::Stack::None;
    metrics.rowLabel = text.horizontalAdvance(stacks ? QStringLiteral("decoder") : QStringLiteral("layer")) + 8;
    if (repeats)
        metrics.rowLabel += text.horizontalAdvance(QLatin1Char('m')) + 6;
    metrics.leastCell = 7;
    metrics.header = 3 * text.height() + 4;
    metrics.cellHeight = text.height() + 6;
    metrics.mostCell = 72;
    metrics.stackGap = text.height() + 8;
    return metrics;
}

} // namespace

RouterMap::RouterMap(QWidget* parent) : QAbstractScrollArea(parent), m_key(new RouterMapKey(this))
{
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    viewport()->setMouseTracking(true);
    setAccessibleName(tr("Router map"));
    relayout();
}

void RouterMap::setTrace(std::shared_ptr<const core::Trace> trace)
{
    m_trace = std::move(trace);
    m_stale = false;
    m_hovered.reset();
    m_grid = m_trace ? routerGrid(m_trace->sites) : RouterGrid{};
    m_loads.clear();
    m_values.reset();
    for (const auto& cell : m_grid.cells)
        m_loads.push_back(core::loadOf(*m_trace->sites[cell.site], cell.head));
    relayout();
    updateChosen();
}

void RouterMap::setValues(RouterMapValues values)
{
    values.cells.resize(m_grid.cells.size(), std::nan(""));
    m_values = std::move(values);
    relayout();
}

double RouterMap::valueOf(std::size_t cell) const
{
    return m_values ? m_values->cells[cell] : m_loads[cell].entropy;
}

double RouterMap::lowEnd() const
{
    return m_values ? m_values->low : m_lowEntropy.value_or(lowestEntropy(m_loads));
}

void RouterMap::setLowEntropy(std::optional<double> low)
{
    m_lowEntropy = low;
    relayout();
}

void RouterMap::setSelection(Selection* selection)
{
    if (m_selection)
        m_selection->disconnect(this);
    m_selection = selection;
    if (selection)
        connect(selection, &Selection::changed, this, &RouterMap::onSelectionChanged);
    updateChosen();
}

void RouterMap::setStale(bool stale)
{
    if (m_stale == stale)
        return;
    m_stale = stale;
    viewport()->update();
}

QRect RouterMap::cellRect(std::size_t cell) const
{
    return m_layout.cell(m_grid.cells[cell].row, m_grid.cells[cell].column).translated(-scrolled());
}

QColor RouterMap::cellColor(std::size_t cell) const
{
    const Theme theme = themeOf(palette());
    if (m_trace->sites[m_grid.cells[cell].site]->tokens == 0)
        return theme.masked;
    const double value = valueOf(cell);
    if (std::isnan(value))
        return theme.masked;
    const double low = lowEnd();
    const double high = m_values ? m_values->high : 1;
    return scaleColor(ColorScale::Sequential, (value - low) / (high - low), theme);
}

QSize RouterMap::sizeHint() const
{
    const int wanted = m_layout.size().height() + m_key->sizeHint().height();
    return {240, std::clamp(wanted, 160, 560)};
}

QSize RouterMap::minimumSizeHint() const
{
    return {150, 120};
}

void RouterMap::onSelectionChanged(Selection::Fields what)
{
    if (what & Selection::Field::Router)
        updateChosen();
}

void RouterMap::updateChosen()
{
    const auto router = m_selection ? m_selection->state().router : std::nullopt;
    const auto before = m_chosen;
    m_chosen = router ? m_grid.cellOf(*router) : std::nullopt;
    if (m_chosen && m_chosen != before)
        ensureVisible(*m_chosen);
    viewport()->update();
}

void RouterMap::relayout()
{
    const bool repeats =
        std::any_of(m_grid.rows.begin(), m_grid.rows.end(), [](const RouterRow& row) { return row.repeat >= 0; });
    const bool dead = std::any_of(m_loads.begin(), m_loads.end(), [](const core::Load& load) { return load.dead > 0; });
    const bool tokens = m_trace && !m_trace->streams.empty() && m_trace->tokens() > 0;
    m_key->setContents({lowEnd(), dead && tokens && !m_values, repeats, m_values ? m_values->high : 1,
                        m_values ? m_values->title : tr("entropy of load")});
    m_key->setVisible(!m_grid.cells.empty());
    const int keyHeight = m_grid.cells.empty() ? 0 : m_key->sizeHint().height();
    setViewportMargins(0, 0, 0, keyHeight);
    m_layout = RouterMapLayout(m_grid, metricsFor(font(), m_grid, viewport()->width()));
    const QSize beyond = m_layout.size() - viewport()->size();
    horizontalScrollBar()->setRange(0, m_grid.cells.empty() ? 0 : std::max(0, beyond.width()));
    horizontalScrollBar()->setPageStep(viewport()->width());
    horizontalScrollBar()->setSingleStep(20);
    verticalScrollBar()->setRange(0, m_grid.cells.empty() ? 0 : std::max(0, beyond.height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(20);
    const QRect map = viewport()->geometry();
    m_key->setGeometry(map.left(), map.bottom() + 1, map.width(), keyHeight);
    viewport()->update();
}

QPoint RouterMap::scrolled() const
{
    return {horizontalScrollBar()->value(), verticalScrollBar()->value()};
}

QString RouterMap::message() const
{
    if (!m_trace)
        return tr("Open a checkpoint to see its routers");
    return m_grid.cells.empty() ? tr("This model has no routers") : QString();
}

// ---- mouse and keyboard

std::optional<std::size_t> RouterMap::cellUnder(QPoint viewportPoint) const
{
    const auto place = m_layout.at(viewportPoint + scrolled());
    return place ? m_grid.cellAt(place->first, place->second) : std::nullopt;
}

bool RouterMap::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        if (const auto cell = cellUnder(help->pos())) {
            QToolTip::showText(help->globalPos(), toolTipOf(*cell), viewport(), cellRect(*cell));
        } else {
            QToolTip::hideText();
        }
        return true;
    }
    if (event->type() == QEvent::Leave)
        setHovered(std::nullopt);
    return QAbstractScrollArea::viewportEvent(event);
}

QString RouterMap::toolTipOf(std::size_t cell) const
{
    if (m_values && m_values->toolTip)
        return m_values->toolTip(cell);
    const auto& entry = m_grid.cells[cell];
    return routerTooltip(*m_trace->sites[entry.site], entry.head, m_loads[cell]);
}

void RouterMap::setHovered(std::optional<std::size_t> cell)
{
    if (cell == m_hovered)
        return;
    m_hovered = cell;
    viewport()->update();
}

void RouterMap::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    if (const auto cell = cellUnder(event->position().toPoint()))
        choose(*cell);
}

void RouterMap::mouseMoveEvent(QMouseEvent* event)
{
    setHovered(cellUnder(event->position().toPoint()));
}

void RouterMap::mouseReleaseEvent(QMouseEvent* event)
{
    event->accept();
}

/// Another router has other experts: an expert chosen before is chosen no longer.
void RouterMap::choose(std::size_t cell)
{
    if (!m_selection)
        return;
    const auto& entry = m_grid.cells[cell];
    auto state = m_selection->state();
    if (state.router == entry.address)
        return;
    state.router = entry.address;
    state.expert.reset();
    m_selection->setState(state);
    setAccessibleDescription(routerSentence(*m_trace->sites[entry.site], entry.head, m_loads[cell]));
    QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&changed);
}

std::optional<std::size_t> RouterMap::keyTarget(int key) const
{
    if (m_grid.cells.empty())
        return std::nullopt;
    if (!m_chosen)
        return key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Up || key == Qt::Key_Down
                   ? std::optional<std::size_t>(0)
                   : std::nullopt;
    switch (key) {
    case Qt::Key_Left: return m_grid.neighbour(*m_chosen, 0, -1);
    case Qt::Key_Right: return m_grid.neighbour(*m_chosen, 0, +1);
    case Qt::Key_Up: return m_grid.neighbour(*m_chosen, -1, 0);
    case Qt::Key_Down: return m_grid.neighbour(*m_chosen, +1, 0);
    case Qt::Key_Home: return 0;
    case Qt::Key_End: return m_grid.cells.size() - 1;
    default: return std::nullopt;
    }
}

void RouterMap::keyPressEvent(QKeyEvent* event)
{
    if (const auto target = keyTarget(event->key())) {
        choose(*target);
        event->accept();
    } else {
        QAbstractScrollArea::keyPressEvent(event);
    }
}

void RouterMap::ensureVisible(std::size_t cell)
{
    const QRect rect = cellRect(cell).translated(scrolled());
    const auto show = [](QScrollBar* bar, int low, int high, int extent) {
        if (low < bar->value())
            bar->setValue(low);
        else if (high > bar->value() + extent)
            bar->setValue(high - extent);
    };
    show(horizontalScrollBar(), rect.left() - 8, rect.right() + 8, viewport()->width());
    show(verticalScrollBar(), rect.top() - 8, rect.bottom() + 8, viewport()->height());
}

void RouterMap::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    relayout();
}

void RouterMap::changeEvent(QEvent* event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange)
        relayout();
}

void RouterMap::focusInEvent(QFocusEvent* event)
{
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void RouterMap::focusOutEvent(QFocusEvent* event)
{
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

} // namespace headscope::widgets
