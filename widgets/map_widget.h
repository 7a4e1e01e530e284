// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/map_axes.h"
#include "widgets/map_geometry.h"
#include "widgets/map_raster.h"
#include "widgets/map_scene.h"
#include "widgets/map_tiles.h"
#include "widgets/selection.h"
#include "widgets/tile_source.h"

#include <QPixmap>
#include <QPointer>
#include <QTimer>
#include <QWidget>

#include <memory>
#include <optional>

class QAction;

namespace headscope::widgets {

/// One attention map, however large: rows are queries (destination), columns are keys (source), with the chosen experts
/// along both axes. Shows tiles of a TileSource, sampled where values are smaller than pixels. Everything but what is
/// pointed out is painted once into a picture; moving the mouse repaints two bands of it.
///
/// Mouse: wheel zooms, drag moves, double click shows the whole map, click chooses a cell (its row's token becomes the
/// selected one) or, beside the map, an expert. Keys: arrows move, with Shift they move the chosen cell; + − zoom, Home
/// fits, L and R change the colour scale.
class MapWidget : public QWidget
{
    Q_OBJECT

public:
    /// What the last colour stands for.
    enum class ColorRange {
        OnScreen, // the largest value on screen
        Unit,     // 1
    };

    explicit MapWidget(TileSource* tiles, QWidget* parent = nullptr);

    void setSelection(Selection* selection);
    /// The trace of the tile source, or nullptr. A place that was zoomed to stays where it is.
    void setMap(const std::shared_ptr<const core::Trace>& trace, const core::MapRef& map);
    /// A newer trace is under way: what is shown stays, dimmed.
    void setStale(bool stale);
    void setColorScale(MapColors::Scale scale);
    void setColorRange(ColorRange range);
    void setMapGeometry(const MapGeometry& geometry);

    const MapScene& scene() const { return m_scene; }
    const MapGeometry& mapGeometry() const { return m_geometry; }
    const MapLayout& mapLayout() const { return m_layout; }
    std::int64_t step() const { return m_geometry.step(devicePixelRatioF()); }
    const MapHighlights& highlights() const { return m_highlights; }
    QString badge() const;

    /// The chosen cell, and the one under the mouse.
    std::optional<MapCell> currentCell() const { return m_highlights.cell; }
    std::optional<MapCell> hoveredCell() const { return m_highlights.hover; }
    CellReading reading(MapCell cell) const;
    /// As a click does: selects the row's token and remembers the column.
    void chooseCell(MapCell cell);

    QSize sizeHint() const override { return {720, 640}; }
    QSize minimumSizeHint() const override { return {320, 260}; }

Q_SIGNALS:
    /// Another cell is chosen or pointed at, or its value has arrived.
    void readingChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct StripHit {
        const AxisChoices* choices;
        std::int64_t token;
        int slot;
    };

    void addActions();
    MapLayout layoutFor(const MapGeometry& geometry) const;
    void placeMap(const MapGeometry& geometry);
    void requestTiles();
    void invalidate();
    void renderPicture();
    void tilesArrived();
    void selectionChanged();
    void pointAt(std::optional<MapCell> cell);
    void click(const QPointF& pixel);
    void moveCell(int rows, int columns);
    MapFrame frame(const Theme& theme) const { return {m_scene, m_layout, m_geometry, theme, step()}; }
    MapHighlights currentHighlights() const;
    void setHighlights(const MapHighlights& highlights);
    std::optional<StripHit> stripAt(const QPointF& pixel) const;
    QString toolTipAt(const QPointF& pixel) const;

    QPointer<TileSource> m_source;
    QPointer<Selection> m_selection;
    MapScene m_scene;
    MapTiles m_tiles;
    TextCache m_labels;
    LabelRoom m_labelRoom;
    MapLayout m_layout;
    MapGeometry m_geometry;
    MapHighlights m_highlights;
    std::optional<MapCell> m_cell;
    std::optional<MapCell> m_hover;

    MapColors::Scale m_scale = MapColors::Scale::Linear;
    ColorRange m_range = ColorRange::OnScreen;
    MapColors m_colors; // of the theme
    QAction* m_logAction = nullptr;
    QAction* m_unitAction = nullptr;

    QPixmap m_picture;
    bool m_outdated = true;
    bool m_stale = false;
    QTimer m_hold; // while it runs the former picture stays, so that typing does not flicker

    std::optional<QPointF> m_pressed;
    bool m_dragging = false;
};

} // namespace headscope::widgets
