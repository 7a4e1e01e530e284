// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/trace/trace.h"
#include "widgets/map_choices.h"
#include "widgets/text_cache.h"
#include "widgets/theme.h"

#include <QFontMetricsF>
#include <QRectF>
#include <QString>

#include <memory>
#include <vector>

namespace headscope::widgets {

/// One map of one trace with everything that is written around it.
struct MapScene {
    std::shared_ptr<const core::Trace> trace;
    std::shared_ptr<const core::AttentionKeep> block; // nullptr: nothing to show
    core::MapRef map;
    MapChoices choices;

    static MapScene of(std::shared_ptr<const core::Trace> trace, const core::MapRef& map);
    bool empty() const { return !block || block->rows == 0 || block->columns == 0; }
    const std::vector<core::Token>& rowTokens() const { return trace->text(block->rowStream).tokens; }
    const std::vector<core::Token>& columnTokens() const { return trace->text(block->columnStream).tokens; }
};

/// What stands along the axes: the tokens where there is room for them, else their numbers at round distances.
enum class AxisLabels { Tokens, Indices };

/// Room for the widest label on each axis, within bounds.
struct LabelRoom {
    double rows = 0;
    double columns = 0;

    static LabelRoom of(const MapScene& scene, TextCache& labels);
};

/// Where the parts of a map view lie: axis words, labels and choices to the left of and above the plot, the colour bar to
/// the right, the explanation below.
struct MapLayout {
    AxisLabels labels = AxisLabels::Tokens;
    QRectF plot;
    QRectF rowTitle;
    QRectF rowLabels;
    QRectF rowStrip; // choices of the rows' tokens, one column per slot
    QRectF columnTitle;
    QRectF columnLabels;
    QRectF columnStrip; // choices of the columns' tokens, one row per slot
    QRectF colorBar;    // with its values, where the map fills the plot; its title is above
    QRectF footer;

    /// The colour bar stands beside the map, also when the map is narrower than its plot.
    QRectF colorBarBeside(const QRectF& content) const { return colorBar.translated(content.right() - plot.right(), 0); }
    static MapLayout of(const QSizeF& size, const QFontMetricsF& metrics, const MapScene& scene, const LabelRoom& room,
                        AxisLabels labels);
    /// Where the chosen expert of one slot is drawn for a row (column) that spans these pixels.
    QRectF rowSlot(int slot, int slots, double top, double height) const;
    QRectF columnSlot(int slot, int slots, double left, double width) const;

    bool operator==(const MapLayout&) const = default;
};

/// "o.h1": the block is the map's.
QString siteName(const AxisChoices& choices);
/// The title of a map: "layers.0.self, head 1", "layers.0.self, expert 4".
QString mapTitle(const core::MapRef& map, const core::AttentionKeep& block);
/// "slot 2", "expert 4", "head 1", with the key head where there are several.
QString mapName(const core::MapRef& map, const core::AttentionKeep& block);

/// What there is to read in one cell, as rich text.
QString cellHtml(const MapScene& scene, const CellReading& reading, const Theme& theme);

} // namespace headscope::widgets
