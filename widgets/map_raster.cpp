// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/map_raster.h"

#include "widgets/oklab.h"
#include "widgets/palette.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

namespace headscope::widgets {

MapColors MapColors::make(Scale scale, float high, const Theme& theme)
{
    MapColors colors = MapColors().with(scale, high);
    for (std::size_t i = 0; i < colors.ramp.size(); ++i)
        colors.ramp[i] = scaleColor(ColorScale::Sequential, static_cast<double>(i) / 255, theme).rgb();
    colors.masked = theme.masked.rgb();
    colors.blank = mix(theme.masked, theme.mutedText, 0.35).rgb();
    colors.pending = mix(theme.masked, theme.mutedText, 0.15).rgb();
    colors.outside = theme.base.rgb();
    return colors;
}

MapColors MapColors::with(Scale newScale, float newHigh) const
{
    MapColors colors = *this;
    colors.scale = newScale;
    colors.high = newHigh > 0 ? newHigh : 1;
    return colors;
}

float MapColors::place(float value) const
{
    if (scale == Scale::Linear)
        return std::clamp(value / high, 0.0F, 1.0F);
    return value > 0 ? std::clamp(1 + std::log10(value / high) / logDecades, 0.0F, 1.0F) : 0.0F;
}

namespace {

/// Within 0.009 of the binary logarithm of a positive number; a picture takes one per value.
float quickLog2(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const float exponent = static_cast<float>(static_cast<int>(bits >> 23) - 127);
    const float mantissa = std::bit_cast<float>((bits & 0x7fffffU) | 0x3f800000U);
    return exponent + (2 - mantissa / 3) * mantissa - 5.0F / 3;
}

} // namespace

QRgb MapColors::at(float value) const
{
    constexpr float decadesPerOctave = 0.30103F;
    float where = value / high;
    if (scale == Scale::Log)
        where = value > 0 ? 1 + quickLog2(where) * decadesPerOctave / logDecades : 0;
    return ramp[static_cast<std::size_t>(std::clamp(where, 0.0F, 1.0F) * 255 + 0.5F)];
}

namespace {

/// Which row or column each device pixel of one axis shows; -1 beside the map.
std::vector<std::int64_t> valuesAlong(double origin, double pixelsPerValue, int pixels, std::int64_t count)
{
    std::vector<std::int64_t> values(static_cast<std::size_t>(pixels), -1);
    for (int pixel = 0; pixel < pixels; ++pixel) {
        const auto value = static_cast<std::int64_t>(std::floor(origin + (pixel + 0.5) / pixelsPerValue));
        if (value >= 0 && value < count)
            values[static_cast<std::size_t>(pixel)] = value;
    }
    return values;
}

struct PixelRange {
    int begin = 0;
    int end = 0;
};

/// The pixels that show values in [first, last). `values` grows along the axis and ends with -1 where the map ends.
PixelRange pixelsShowing(const std::vector<std::int64_t>& values, std::int64_t first, std::int64_t last)
{
    const auto mapEnd = std::ranges::find(values, -1);
    const auto begin = std::lower_bound(values.begin(), mapEnd, first);
    const auto end = std::lower_bound(begin, mapEnd, last);
    return {static_cast<int>(begin - values.begin()), static_cast<int>(end - values.begin())};
}

/// Draws one tile row by row of pixels; neighbouring pixel rows that show the same values are copied.
class TilePainter
{
public:
    TilePainter(const MapPicture& picture, QImage& image)
        : m_picture(picture), m_image(image),
          m_columnAt(valuesAlong(picture.geometry.origin.x(), picture.geometry.cell * picture.pixelRatio, image.width(),
                                 picture.geometry.columns)),
          m_rowAt(valuesAlong(picture.geometry.origin.y(), picture.geometry.cell * picture.pixelRatio, image.height(),
                              picture.geometry.rows)),
          m_stripe(std::max(3, static_cast<int>(std::lround(4 * picture.pixelRatio))))
    {
    }

    void fillMap(QRgb color)
    {
        const PixelRange x = pixelsShowing(m_columnAt, 0, m_picture.geometry.columns);
        const PixelRange y = pixelsShowing(m_rowAt, 0, m_picture.geometry.rows);
        for (int row = y.begin; row < y.end; ++row)
            std::fill(line(row) + x.begin, line(row) + x.end, color);
    }

    void paint(const DrawnTile& tile)
    {
        const core::TileArea& area = tile.area;
        m_x = pixelsShowing(m_columnAt, area.column, area.column + area.columns * area.step);
        const PixelRange y = pixelsShowing(m_rowAt, area.row, area.row + area.rows * area.step);
        const std::int64_t step = tile.values ? tile.values->area.step : area.step;
        std::int64_t previous = -1;
        for (int pixelRow = y.begin; pixelRow < y.end; ++pixelRow) {
            const std::int64_t row = m_rowAt[static_cast<std::size_t>(pixelRow)] / step * step;
            if (row == previous && !m_blank)
                std::memcpy(line(pixelRow) + m_x.begin, line(pixelRow - 1) + m_x.begin,
                            static_cast<std::size_t>(m_x.end - m_x.begin) * sizeof(QRgb));
            else
                m_blank = paintRow(tile.values.get(), pixelRow, row, step);
            previous = row;
        }
        m_blank = false;
    }

private:
    QRgb* line(int row) { return reinterpret_cast<QRgb*>(m_image.scanLine(row)); }

    /// True when there were blank values, whose stripes differ from one pixel row to the next.
    bool paintRow(const core::Tile* tile, int pixelRow, std::int64_t row, std::int64_t step)
    {
        const core::Visibility& visibility = m_picture.visibility;
        const std::int64_t firstVisible = visibility.firstVisible(row);
        const std::int64_t endVisible = visibility.causal ? row + 1 : m_picture.geometry.columns;
        const float* values = tile ? tile->values.data() + (row - tile->area.row) / step * tile->area.columns : nullptr;
        QRgb* out = line(pixelRow);
        std::int64_t previous = -1;
        QRgb color = m_picture.colors.masked;
        bool blank = false;
        for (int x = m_x.begin; x < m_x.end; ++x) {
            const std::int64_t column = m_columnAt[static_cast<std::size_t>(x)] / step * step;
            if (column < firstVisible || column >= endVisible) {
                out[x] = m_picture.colors.masked;
                continue;
            }
            const float value = values ? values[(column - tile->area.column) / step] : 0;
            if (std::isnan(value)) {
                blank = true;
                out[x] = (x + pixelRow) % (2 * m_stripe) < m_stripe ? m_picture.colors.blank : m_picture.colors.masked;
                continue;
            }
            if (column != previous)
                color = values ? m_picture.colors.at(value) : m_picture.colors.pending;
            previous = column;
            out[x] = color;
        }
        return blank;
    }

    const MapPicture& m_picture;
    QImage& m_image;
    std::vector<std::int64_t> m_columnAt;
    std::vector<std::int64_t> m_rowAt;
    int m_stripe;
    PixelRange m_x;
    bool m_blank = false;
};

} // namespace

QImage drawMap(const MapPicture& picture, std::span<const DrawnTile> tiles)
{
    const QSizeF size = picture.geometry.plot.size() * picture.pixelRatio;
    QImage image(std::max(1, qCeil(size.width())), std::max(1, qCeil(size.height())), QImage::Format_RGB32);
    image.fill(picture.colors.outside);
    if (!picture.geometry.empty()) {
        TilePainter painter(picture, image);
        painter.fillMap(picture.colors.masked);
        for (const DrawnTile& tile : tiles)
            painter.paint(tile);
    }
    image.setDevicePixelRatio(picture.pixelRatio);
    return image;
}

} // namespace headscope::widgets
