// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/map_widget.h"
#include "widgets/selection.h"
#include "widgets/tile_source.h"

#include <QPointer>
#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

class QComboBox;
class QLabel;
class QStackedLayout;

namespace headscope::widgets {

/// The maps of a trace, one at a time: which one, the map itself, and what the pointed or chosen cell says.
/// Follows Selection::map; another router brings its layer and head, and choosing a map here writes Selection::map.
class AttentionView : public QWidget
{
    Q_OBJECT

public:
    /// The source outlives the view and gets every trace from it.
    explicit AttentionView(TileSource* tiles, QWidget* parent = nullptr);

    void setSelection(Selection* selection);
    void setTrace(std::shared_ptr<const core::Trace> trace);
    void setStale(bool stale);

    MapWidget* mapWidget() const { return m_map; }
    const std::optional<core::MapRef>& shownMap() const { return m_shown; }
    /// The reading beside the map, and what stands in the place of a map; for tests and screen readers.
    QString readingText() const;
    QString message() const;

protected:
    void changeEvent(QEvent* event) override;

private:
    QWidget* makeChooser();
    QWidget* makeReading();
    void selectionChanged(Selection::Fields what);
    void showMap(const std::optional<core::MapRef>& map);
    void fillBlocks();
    void fillMaps();
    void chooseBlock(int index);
    void chooseMap(int index);
    void choose(const core::MapRef& map);
    void updateReading();
    QString whyNoMap() const;

    TileSource* m_tiles;
    QPointer<Selection> m_selection;
    std::shared_ptr<const core::Trace> m_trace;
    std::optional<core::MapRef> m_shown;
    std::vector<core::MapAddress> m_blocks; // as offered
    std::vector<core::MapRef> m_maps;       // as offered

    MapWidget* m_map;
    QComboBox* m_blockBox = nullptr;
    QComboBox* m_mapBox = nullptr;
    QLabel* m_reading = nullptr;
    QLabel* m_message = nullptr;
    QStackedLayout* m_pages = nullptr;
};

} // namespace headscope::widgets
