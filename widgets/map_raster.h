// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/map_geometry.h"
#include "widgets/map_tiles.h"
#include "widgets/theme.h"

#include <QImage>

#include <array>
#include <span>

namespace headscope::widgets {

/// From attention to colour. Places that hold no value have colours of their own, which are not on the scale.
struct MapColors {
    enum class Scale { Linear, Log };
    static constexpr float logDecades = 4; // below the top; everything smaller has the lowest colour

    Scale scale = Scale::Linear;
    float high = 1; // value at the last colour
    std::array<QRgb, 256> ramp{};
    QRgb masked = 0;  // the query does not see the key
    QRgb blank = 0;   // the row has no values (stripes of this over `masked`)
    QRgb pending = 0; // not computed yet
    QRgb outside = 0; // beside the map

    static MapColors make(Scale scale, float high, const Theme& theme);
    /// The same colours for another range; making the ramp takes longer than drawing a map.
    MapColors with(Scale newScale, float newHigh) const;
    /// Where on the ramp a value is, 0 … 1.
    float place(float value) const;
    /// Its colour, at most one step of the ramp beside its place.
    QRgb at(float value) const;
};

/// What the plot of a map shows, in device pixels.
struct MapPicture {
    MapGeometry geometry;
    double pixelRatio = 1;
    core::Visibility visibility;
    MapColors colors;
};
QImage drawMap(const MapPicture& picture, std::span<const DrawnTile> tiles);

} // namespace headscope::widgets
