// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/map_widget.h"

#include <QAction>
#include <QEvent>
#include <QPaintEvent>
#include <QPainter>

#include <algorithm>

namespace headscope::widgets {

namespace {

constexpr int holdMilliseconds = 150;

AxisRange tokensIn(const std::vector<core::Token>& tokens, const std::optional<core::ByteRange>& bytes)
{
    if (!bytes)
        return {};
    const core::TokenRange range = core::tokensTouching(tokens, *bytes);
    return {static_cast<std::int64_t>(range.first), static_cast<std::int64_t>(range.last)};
}

} // namespace

MapWidget::MapWidget(TileSource* tiles, QWidget* parent) : QWidget(parent), m_source(tiles), m_tiles(tiles), m_labels(font())
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Attention map"));
    setWhatsThis(tr(
        "Rows are queries (destination), columns are keys (source). The wheel zooms, dragging moves, a double click shows "
        "the "
        "whole map. Arrows move, with Shift they move the chosen cell; + and − zoom, Home shows the whole map, L makes the "
        "colours logarithmic, R lets them run from 0 to 1."));
    setContextMenuPolicy(Qt::ActionsContextMenu);
    m_colors = MapColors::make(m_scale, 1, themeOf(palette()));
    addActions();
    m_hold.setSingleShot(true);
    m_hold.setInterval(holdMilliseconds);
    connect(&m_hold, &QTimer::timeout, this, qOverload<>(&QWidget::update));
    connect(tiles, &TileSource::ready, this,
            [this](std::uint64_t generation, const core::MapRef& map, const core::TileArea& area) {
                if (m_tiles.take(generation, map, area))
                    tilesArrived();
            });
    connect(tiles, &TileSource::failed, this,
            [this](std::uint64_t generation, const core::MapRef& map, const core::TileArea& area, const QString& sentence) {
                if (m_tiles.fail(generation, map, area, sentence))
                    tilesArrived();
            });
}

void MapWidget::addActions()
{
    const auto add = [this](const QString& text, const QList<QKeySequence>& keys, const auto& run) {
        auto* action = new QAction(text, this);
        action->setShortcuts(keys);
        action->setShortcutContext(Qt::WidgetShortcut);
        connect(action, &QAction::triggered, this, run);
        addAction(action);
        return action;
    };
    const auto zoom = [this](double factor) {
        setMapGeometry(
            m_geometry.zoomed(factor, m_hover ? m_geometry.cellRect(*m_hover).center() : m_geometry.content().center()));
    };
    add(tr("Whole map"), {Qt::Key_Home, Qt::Key_0},
        [this] { setMapGeometry(MapGeometry::fitted(m_geometry.rows, m_geometry.columns, m_geometry.plot)); });
    add(tr("Zoom in"), {Qt::Key_Plus, Qt::Key_Equal}, [zoom] { zoom(1.5); });
    add(tr("Zoom out"), {Qt::Key_Minus}, [zoom] { zoom(1 / 1.5); });
    m_logAction = add(tr("Logarithmic colours"), {Qt::Key_L}, [this] {
        setColorScale(m_logAction->isChecked() ? MapColors::Scale::Log : MapColors::Scale::Linear);
    });
    m_logAction->setCheckable(true);
    m_unitAction = add(tr("Colours from 0 to 1"), {Qt::Key_R},
                       [this] { setColorRange(m_unitAction->isChecked() ? ColorRange::Unit : ColorRange::OnScreen); });
    m_unitAction->setCheckable(true);
}

void MapWidget::setSelection(Selection* selection)
{
    if (m_selection)
        disconnect(m_selection, nullptr, this, nullptr);
    m_selection = selection;
    if (m_selection)
        connect(m_selection, &Selection::changed, this, [this](Selection::Fields what) {
            using enum Selection::Field;
            if (what & (Selection::Fields(Bytes) | Hover | Stream))
                selectionChanged();
        });
    selectionChanged();
}

void MapWidget::setMap(const std::shared_ptr<const core::Trace>& trace, const core::MapRef& map)
{
    const bool fitted = m_geometry.empty() || m_geometry.isFitted();
    m_scene = MapScene::of(trace, map);
    m_labelRoom = LabelRoom::of(m_scene, m_labels);
    m_hover.reset();
    m_tiles.setMap(map, m_scene.block ? m_scene.block->visibility : core::Visibility{});
    m_geometry.rows = m_scene.empty() ? 0 : m_scene.block->rows;
    m_geometry.columns = m_scene.empty() ? 0 : m_scene.block->columns;
    if (m_cell && (m_cell->row >= m_geometry.rows || m_cell->column >= m_geometry.columns))
        m_cell.reset();
    placeMap(fitted ? MapGeometry::fitted(m_geometry.rows, m_geometry.columns, m_geometry.plot) : m_geometry);
    if (m_tiles.pending() > 0 && !m_picture.isNull())
        m_hold.start();
    selectionChanged();
    Q_EMIT readingChanged();
}

/// Token labels take more room than indices, and only large cells have them.
MapLayout MapWidget::layoutFor(const MapGeometry& geometry) const
{
    const QFontMetricsF metrics(font());
    const auto layout = [&](AxisLabels labels) { return MapLayout::of(size(), metrics, m_scene, m_labelRoom, labels); };
    const MapLayout tokens = layout(AxisLabels::Tokens);
    const bool fitted = geometry.empty() || geometry.isFitted();
    const double cell =
        fitted ? MapGeometry::fitted(geometry.rows, geometry.columns, tokens.plot).cell : geometry.cell;
    return labelFont(font(), cell) ? tokens : layout(AxisLabels::Indices);
}

void MapWidget::placeMap(const MapGeometry& geometry)
{
    m_layout = layoutFor(geometry);
    m_geometry = geometry;
    if (!geometry.isFitted() && m_layout.plot.topLeft() != geometry.plot.topLeft())
        m_geometry.origin += (m_layout.plot.topLeft() - geometry.plot.topLeft()) / geometry.cell; // values stay where they are
    m_geometry = m_geometry.withPlot(m_layout.plot);
    requestTiles();
    invalidate();
}

void MapWidget::requestTiles()
{
    if (!m_scene.empty() && m_source)
        m_tiles.want(m_geometry.tiles(step()), m_cell);
}

void MapWidget::tilesArrived()
{
    invalidate();
    Q_EMIT readingChanged();
}

void MapWidget::invalidate()
{
    m_outdated = true;
    update();
}

void MapWidget::setStale(bool stale)
{
    if (stale == m_stale)
        return;
    m_stale = stale;
    update();
}

void MapWidget::setColorScale(MapColors::Scale scale)
{
    m_scale = scale;
    m_logAction->setChecked(scale == MapColors::Scale::Log);
    invalidate();
}

void MapWidget::setColorRange(ColorRange range)
{
    m_range = range;
    m_unitAction->setChecked(range == ColorRange::Unit);
    invalidate();
}

void MapWidget::setMapGeometry(const MapGeometry& geometry)
{
    if (geometry == m_geometry)
        return;
    placeMap(geometry);
    setHighlights(currentHighlights());
}

QString MapWidget::badge() const
{
    QString text = samplingText(step());
    text += m_range == ColorRange::Unit ? tr(" · colours from 0 to 1") : tr(" · colours up to the largest value shown");
    if (!m_tiles.error().isEmpty())
        text += QStringLiteral(" · ") + m_tiles.error();
    else if (m_tiles.pending() > 0)
        text += QStringLiteral(" · computing …");
    return text;
}

CellReading MapWidget::reading(MapCell cell) const
{
    return readCell(*m_scene.block, m_scene.choices, cell, m_tiles.value(m_geometry, cell));
}

void MapWidget::renderPicture()
{
    const double ratio = devicePixelRatioF();
    const Theme theme = themeOf(palette());
    m_picture = QPixmap((QSizeF(size()) * ratio).toSize());
    m_picture.setDevicePixelRatio(ratio);
    m_picture.fill(theme.base);
    m_outdated = false;
    QPainter painter(&m_picture);
    painter.setFont(font());
    if (m_scene.empty()) {
        painter.setPen(theme.mutedText);
        painter.drawText(rect(), Qt::AlignCenter, tr("No attention map"));
        return;
    }
    const std::vector<DrawnTile> tiles = m_tiles.drawn(m_geometry);
    const float high = m_range == ColorRange::Unit ? 1.0F : largestVisible(tiles, m_geometry);
    const MapColors colors = m_colors.with(m_scale, high);
    const QImage image = drawMap({m_geometry, ratio, m_scene.block->visibility, colors}, tiles);
    painter.drawImage(m_geometry.plot.topLeft(), image);
    paintAxes(painter, frame(theme));
    paintColorBar(painter, frame(theme), colors,
                  m_scale == MapColors::Scale::Log ? tr("attention\nlogarithmic") : tr("attention"));
    paintFooter(painter, frame(theme), colors, badge());
}

void MapWidget::paintEvent(QPaintEvent* event)
{
    const bool fits = m_picture.size() == (QSizeF(size()) * devicePixelRatioF()).toSize();
    const bool held = m_hold.isActive() && m_tiles.pending() > 0;
    if (!fits)
        requestTiles(); // on a screen of another resolution the sampling is another
    if (!fits || (m_outdated && !held))
        renderPicture();
    QPainter painter(this);
    const double ratio = m_picture.devicePixelRatio();
    for (const QRect& dirty : event->region())
        painter.drawPixmap(QRectF(dirty), m_picture, QRectF(QPointF(dirty.topLeft()) * ratio, QSizeF(dirty.size()) * ratio));
    const Theme theme = themeOf(palette());
    if (m_stale) {
        QColor veil = theme.base;
        veil.setAlphaF(0.55F);
        painter.fillRect(event->rect(), veil);
    }
    if (m_scene.empty())
        return;
    paintHighlights(painter, frame(theme), m_highlights);
    if (hasFocus()) {
        painter.setPen(QPen(theme.highlight, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(m_geometry.content().adjusted(-0.5, -0.5, 0.5, 0.5));
    }
}

void MapWidget::resizeEvent(QResizeEvent*)
{
    placeMap(m_geometry);
    m_highlights = currentHighlights();
}

void MapWidget::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        m_labels = TextCache(font());
        m_labelRoom = LabelRoom::of(m_scene, m_labels);
        placeMap(m_geometry);
    }
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) {
        m_colors = MapColors::make(m_scale, 1, themeOf(palette()));
        invalidate();
    }
}

MapHighlights MapWidget::currentHighlights() const
{
    MapHighlights result;
    if (m_scene.empty())
        return result;
    const SelectionState state = m_selection ? m_selection->state() : SelectionState{};
    if (state.stream == m_scene.block->rowStream) {
        result.selectedRows = tokensIn(m_scene.rowTokens(), state.bytes);
        result.hoverRows = tokensIn(m_scene.rowTokens(), state.hover);
    }
    if (state.stream == m_scene.block->columnStream) {
        result.selectedColumns = tokensIn(m_scene.columnTokens(), state.bytes);
        result.hoverColumns = tokensIn(m_scene.columnTokens(), state.hover);
    }
    result.cell = m_cell;
    result.hover = m_hover;
    if (m_hover) { // here the mouse says which column, too
        result.hoverRows = {m_hover->row, m_hover->row + 1};
        result.hoverColumns = {m_hover->column, m_hover->column + 1};
    }
    return result;
}

void MapWidget::setHighlights(const MapHighlights& highlights)
{
    if (highlights == m_highlights)
        return;
    const Theme theme = themeOf(palette());
    const QFontMetricsF metrics(font());
    QRegion region;
    if (!m_scene.empty())
        region = regionOf(frame(theme), m_highlights, metrics) + regionOf(frame(theme), highlights, metrics);
    m_highlights = highlights;
    update(region);
}

void MapWidget::selectionChanged()
{
    const std::optional<MapCell> former = m_cell;
    if (m_cell && m_selection && !m_scene.empty() && m_selection->state().stream == m_scene.block->rowStream) {
        // The remembered column goes along with the selected token.
        const AxisRange rows = tokensIn(m_scene.rowTokens(), m_selection->state().bytes);
        if (!rows.empty() && (m_cell->row < rows.begin || m_cell->row >= rows.end))
            m_cell->row = rows.begin;
    }
    if (m_cell != former)
        requestTiles();
    setHighlights(currentHighlights());
    if (m_cell != former)
        Q_EMIT readingChanged();
}

} // namespace headscope::widgets
