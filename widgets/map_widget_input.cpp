// SPDX-License-Identifier: GPL-3.0-or-later
// The mouse and the keyboard of MapWidget.
#include "widgets/map_widget.h"

#include "widgets/number_text.h"
#include "widgets/token_text.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

void MapWidget::chooseCell(MapCell cell)
{
    if (m_scene.empty())
        return;
    m_cell = cell;
    requestTiles();
    if (m_selection) {
        SelectionState state = m_selection->state();
        state.stream = m_scene.block->rowStream;
        state.bytes = m_scene.rowTokens()[static_cast<std::size_t>(cell.row)].span;
        state.map = m_scene.map;
        m_selection->setState(state);
    }
    setHighlights(currentHighlights());
    Q_EMIT readingChanged();
}

void MapWidget::pointAt(std::optional<MapCell> cell)
{
    if (cell == m_hover)
        return;
    m_hover = cell;
    if (m_selection && m_selection->state().stream == (m_scene.empty() ? 0 : m_scene.block->rowStream))
        m_selection->setHover(cell ? std::optional(m_scene.rowTokens()[static_cast<std::size_t>(cell->row)].span)
                                   : std::nullopt);
    setHighlights(currentHighlights());
    Q_EMIT readingChanged();
}

void MapWidget::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    m_pressed = event->position();
    m_dragging = false;
}

void MapWidget::mouseMoveEvent(QMouseEvent* event)
{
    if (m_pressed && (event->buttons() & Qt::LeftButton)) {
        const QPointF moved = event->position() - *m_pressed;
        if (m_dragging || moved.manhattanLength() >= QApplication::startDragDistance()) {
            m_dragging = true;
            setCursor(Qt::ClosedHandCursor);
            setMapGeometry(m_geometry.panned(moved));
            m_pressed = event->position();
            return;
        }
    }
    const auto cell = m_geometry.cellAt(event->position());
    pointAt(cell ? std::optional(MapGeometry::sampled(*cell, step())) : std::nullopt);
}

void MapWidget::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !m_pressed)
        return;
    const bool dragged = m_dragging;
    m_pressed.reset();
    m_dragging = false;
    unsetCursor();
    if (!dragged)
        click(event->position());
}

void MapWidget::click(const QPointF& pixel)
{
    if (const auto cell = m_geometry.cellAt(pixel)) {
        chooseCell(MapGeometry::sampled(*cell, step()));
        return;
    }
    const auto hit = stripAt(pixel);
    if (!hit || !m_selection)
        return;
    const bool row = hit->choices == &m_scene.choices.rows;
    const auto& tokens = row ? m_scene.rowTokens() : m_scene.columnTokens();
    SelectionState state = m_selection->state();
    state.stream = row ? m_scene.block->rowStream : m_scene.block->columnStream;
    state.bytes = tokens[static_cast<std::size_t>(hit->token)].span;
    state.router = hit->choices->address();
    state.expert = hit->choices->at(hit->token, hit->slot).expert;
    m_selection->setState(state);
}

void MapWidget::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && m_geometry.plot.contains(event->position()))
        setMapGeometry(MapGeometry::fitted(m_geometry.rows, m_geometry.columns, m_geometry.plot));
}

void MapWidget::leaveEvent(QEvent*)
{
    pointAt(std::nullopt);
}

void MapWidget::wheelEvent(QWheelEvent* event)
{
    const double notches = event->angleDelta().y() / 120.0;
    if (notches == 0) {
        event->ignore();
        return;
    }
    setMapGeometry(m_geometry.zoomed(std::pow(1.25, notches), event->position()));
    const auto cell = m_geometry.cellAt(event->position());
    pointAt(cell ? std::optional(MapGeometry::sampled(*cell, step())) : std::nullopt);
    event->accept();
}

void MapWidget::moveCell(int rows, int columns)
{
    if (m_scene.empty())
        return;
    const std::int64_t by = step();
    const MapRange range = m_geometry.visible();
    MapCell next = m_cell.value_or(MapCell{(range.rowBegin + range.rowEnd) / 2, (range.columnBegin + range.columnEnd) / 2});
    if (m_cell) {
        next.row = std::clamp<std::int64_t>(next.row + rows * by, 0, m_geometry.rows - 1);
        next.column = std::clamp<std::int64_t>(next.column + columns * by, 0, m_geometry.columns - 1);
    }
    next = MapGeometry::sampled(next, by);
    setMapGeometry(m_geometry.showing(next));
    chooseCell(next);
}

void MapWidget::keyPressEvent(QKeyEvent* event)
{
    const bool cell = event->modifiers() & Qt::ShiftModifier;
    const auto go = [this, cell](int right, int down) {
        if (cell)
            moveCell(down, right);
        else
            setMapGeometry(
                m_geometry.panned(QPointF(-right * m_geometry.plot.width(), -down * m_geometry.plot.height()) / 8));
    };
    switch (event->key()) {
    case Qt::Key_Left: return go(-1, 0);
    case Qt::Key_Right: return go(1, 0);
    case Qt::Key_Up: return go(0, -1);
    case Qt::Key_Down: return go(0, 1);
    case Qt::Key_PageUp: return setMapGeometry(m_geometry.panned({0, m_geometry.plot.height()}));
    case Qt::Key_PageDown: return setMapGeometry(m_geometry.panned({0, -m_geometry.plot.height()}));
    default: QWidget::keyPressEvent(event);
    }
}

std::optional<MapWidget::StripHit> MapWidget::stripAt(const QPointF& pixel) const
{
    if (m_scene.empty())
        return std::nullopt;
    const auto slotAt = [](double offset, double extent, int slots) {
        return std::clamp(static_cast<int>(offset / extent * slots), 0, slots - 1);
    };
    const QPointF map = m_geometry.toMap(pixel);
    const auto hit = [this](const AxisChoices& choices, double place, int slot) -> std::optional<StripHit> {
        const auto token = static_cast<std::int64_t>(std::floor(place)) / step() * step();
        if (!choices || place < 0 || token >= choices.site->tokens)
            return std::nullopt;
        return StripHit{&choices, token, slot};
    };
    const AxisChoices& rows = m_scene.choices.rows;
    if (m_layout.rowStrip.contains(pixel))
        return hit(rows, map.y(), slotAt(pixel.x() - m_layout.rowStrip.left(), m_layout.rowStrip.width(), rows.slots()));
    const AxisChoices& columns = m_scene.choices.columns;
    if (m_layout.columnStrip.contains(pixel))
        return hit(columns, map.x(),
                   slotAt(pixel.y() - m_layout.columnStrip.top(), m_layout.columnStrip.height(), columns.slots()));
    return std::nullopt;
}

QString MapWidget::toolTipAt(const QPointF& pixel) const
{
    if (m_scene.empty())
        return {};
    if (const auto cell = m_geometry.cellAt(pixel))
        return cellHtml(m_scene, reading(MapGeometry::sampled(*cell, step())), themeOf(palette()));
    if (const auto hit = stripAt(pixel)) {
        const bool row = hit->choices == &m_scene.choices.rows;
        const auto& tokens = row ? m_scene.rowTokens() : m_scene.columnTokens();
        const ChosenExpert chosen = hit->choices->at(hit->token, hit->slot);
        return tr("%1, %2: expert %3, gate %4")
            .arg(QString::fromStdString(hit->choices->address().toString()),
                 numberedPiece(tokens[static_cast<std::size_t>(hit->token)], hit->token), QString::number(chosen.expert),
                 exactNumber(chosen.gate));
    }
    if (m_layout.footer.contains(pixel))
        return badge();
    return {};
}

bool MapWidget::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString text = toolTipAt(QPointF(help->pos()));
        if (text.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), text, this);
        return true;
    }
    return QWidget::event(event);
}

} // namespace headscope::widgets
