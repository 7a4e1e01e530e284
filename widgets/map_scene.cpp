// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/map_scene.h"

#include "widgets/visible_text.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <unordered_map>

namespace headscope::widgets {

MapScene MapScene::of(std::shared_ptr<const core::Trace> trace, const core::MapRef& map)
{
    MapScene scene;
    scene.map = map;
    if (!trace)
        return scene;
    scene.block = blockOf(*trace, map.address);
    scene.choices = choicesOf(*trace, map);
    scene.trace = std::move(trace);
    return scene;
}

namespace {

double labelWidth(const std::vector<core::Token>& tokens, TextCache& labels)
{
    constexpr std::size_t enough = 2000; // a long text has its usual tokens among these
    int widest = labels.width(QStringLiteral("32 000"));
    std::unordered_map<core::TokenId, std::string_view> measured; // unknown characters share an id, not a piece
    for (const core::Token& token : std::span(tokens).first(std::min(tokens.size(), enough))) {
        const auto [known, isNew] = measured.try_emplace(token.id, token.piece);
        if (isNew || known->second != token.piece)
            widest = std::max(widest, labels.width(visiblePiece(token)));
    }
    return std::min(widest + 6.0, 96.0);
}

double stripWidth(int slots)
{
    return slots == 0 ? 0 : std::max(16.0 * std::min(slots, 4), 4.0 * slots);
}

} // namespace

LabelRoom LabelRoom::of(const MapScene& scene, TextCache& labels)
{
    if (scene.empty())
        return {};
    const double rows = labelWidth(scene.rowTokens(), labels);
    const bool sameTokens = scene.block->rowStream == scene.block->columnStream;
    return {rows, sameTokens ? rows : labelWidth(scene.columnTokens(), labels)};
}

MapLayout MapLayout::of(const QSizeF& size, const QFontMetricsF& metrics, const MapScene& scene, const LabelRoom& room,
                        AxisLabels labels)
{
    constexpr double gap = 4;
    constexpr double tick = 6;
    const double line = std::ceil(metrics.height());
    const double rowLabel = room.rows;
    const double columnLabel = labels == AxisLabels::Tokens ? room.columns : line + tick;
    const double rowStrip = stripWidth(scene.choices.rows.slots());
    const double columnStrip = stripWidth(scene.choices.columns.slots());

    const double left = gap + line + gap + rowLabel + gap + (rowStrip > 0 ? rowStrip + gap : 0);
    const double top = gap + line + gap + columnLabel + gap + (columnStrip > 0 ? columnStrip + gap : 0);
    const double bar = 16 + 6 + std::ceil(metrics.horizontalAdvance(QStringLiteral("≤ 6.1e−05")));
    const double right = 3 * gap + bar + gap;
    const double bottom = gap + line + gap;

    MapLayout layout;
    layout.labels = labels;
    layout.plot = QRectF(left, top, std::max(0.0, std::floor(size.width() - left - right)),
                         std::max(0.0, std::floor(size.height() - top - bottom)));
    const QRectF& plot = layout.plot;
    layout.rowStrip = QRectF(left - gap - rowStrip, top, rowStrip, plot.height());
    layout.rowLabels = QRectF(gap + line + gap, top, rowLabel, plot.height());
    layout.rowTitle = QRectF(gap, top, line, plot.height());
    layout.columnStrip = QRectF(left, top - gap - columnStrip, plot.width(), columnStrip);
    layout.columnLabels = QRectF(left, gap + line + gap, plot.width(), columnLabel);
    layout.columnTitle = QRectF(left, gap, plot.width() + right - gap, line);
    layout.colorBar = QRectF(plot.right() + 3 * gap, top, bar, std::min(plot.height(), 320.0));
    layout.footer = QRectF(gap, plot.bottom() + gap, size.width() - 2 * gap, line);
    return layout;
}

QRectF MapLayout::rowSlot(int slot, int slots, double top, double height) const
{
    const double width = rowStrip.width() / std::max(slots, 1);
    return {rowStrip.left() + slot * width, top, width, height};
}

QRectF MapLayout::columnSlot(int slot, int slots, double left, double width) const
{
    const double height = columnStrip.height() / std::max(slots, 1);
    return {left, columnStrip.top() + slot * height, width, height};
}

QString siteName(const AxisChoices& choices)
{
    const core::RouterAddress address = choices.address();
    const auto site = core::toString(address.site);
    const QString name = QString::fromLatin1(site.data(), static_cast<qsizetype>(site.size()));
    return address.head ? name + QStringLiteral(".h%1").arg(*address.head) : name;
}

QString mapName(const core::MapRef& map, const core::AttentionKeep& block)
{
    const auto withKeyHead = [&block](QString name, int keyHead) {
        return block.keyHeads > 1 ? name + QStringLiteral(", key head %1").arg(keyHead) : name;
    };
    if (!block.slots)
        return QStringLiteral("head %1").arg(map.index);
    if (map.by == core::MapRef::By::Expert)
        return withKeyHead(QStringLiteral("expert %1").arg(map.index), map.keyHead);
    const int keyHeads = std::max(block.keyHeads, 1);
    return withKeyHead(QStringLiteral("slot %1").arg(map.index / keyHeads), map.index % keyHeads);
}

QString mapTitle(const core::MapRef& map, const core::AttentionKeep& block)
{
    return QString::fromStdString(map.address.toString()) + QStringLiteral(", ") + mapName(map, block);
}

} // namespace headscope::widgets
