// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/trace/trace.h"
#include "widgets/router_shades.h"
#include "widgets/selection.h"
#include "widgets/token_strip_changes.h"
#include "widgets/token_strip_layout.h"
#include "widgets/token_strip_painter.h"

#include <QAbstractScrollArea>
#include <QPixmap>
#include <QPointer>

#include <memory>
#include <optional>
#include <utility>

namespace headscope::widgets {

class TokenStripHeader;

/// The tokens of a text as chips in flowing lines, coloured by the chosen router's expert with the largest gate (or by the
/// chosen expert where it was chosen); the colour is the stronger the larger the gate. Doubtful choices have a dashed
/// outline, bytes that the tokenizer dropped a dotted one, special tokens round ends; tokens of one group touch.
///
/// Click selects (the bytes of) a token, Shift and dragging extend; arrows, Home, End move, with Ctrl to the ends of the
/// text; Ctrl+A selects all, Esc nothing. Only what is visible is painted, from a cached picture.
class TokenStrip : public QAbstractScrollArea
{
    Q_OBJECT

public:
    explicit TokenStrip(QWidget* parent = nullptr);

    /// nullptr: there is no model. The trace's stream is the selection's, or its last when it has fewer.
    void setTrace(std::shared_ptr<const core::Trace> trace);
    void setSelection(Selection* selection);
    /// The trace is of an older text: dimmed until the next setTrace or setStale(false).
    void setStale(bool stale);
    bool isStale() const { return m_stale; }

    const StripItems& items() const { return m_shown.items; }
    const TokenStripLayout& layout() const { return m_shown.layout; }
    const RouterShades& shades() const { return m_shown.shades; }
    /// Items that the selection's bytes touch, as [first, last).
    std::pair<std::size_t, std::size_t> selectedItems() const { return m_selected; }
    /// Scrolls to the token that holds a byte.
    void reveal(std::size_t byte);
    /// Where an item is in the viewport.
    QRect itemRect(std::size_t item) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void changeEvent(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    using ItemRange = std::pair<std::size_t, std::size_t>; // [first, last)

    const core::TokenizedText* text() const;
    int stream() const;
    std::optional<core::RouterAddress> router() const;

    void onSelectionChanged(Selection::Fields what);
    void rebuildItems();
    void rebuildShades();
    void rebuildPainter();
    void relayout();
    void placeHeader();
    void updateScrollBar();
    void updateCaption();
    void updateSelected();
    void updateHovered();
    void refresh();
    void refreshChanges(const StripContents& before);
    bool hasOverlays() const;

    void renderBand(int top, int bottom);
    void drawOverlays(QPainter& painter);
    void drawHint(QPainter& painter) const;
    void updateItems(ItemRange items);
    void ensureVisible(std::size_t item);

    enum class Extend { No, Yes };
    void moveTo(std::size_t item, Extend extend);
    void select(std::size_t from, std::size_t to);
    std::optional<std::size_t> keyTarget(const QKeyEvent& event) const;
    void setHoveredItem(std::optional<std::size_t> item);
    QString tooltipOf(std::size_t item) const;
    void announce(std::size_t item);
    QPoint toStrip(QPoint viewportPoint) const;

    TokenStripHeader* m_header = nullptr;
    std::shared_ptr<const core::Trace> m_trace;
    QPointer<Selection> m_selection;
    bool m_stale = false;

    StripContents m_shown;
    std::vector<int> m_labelWidths;
    StripMetrics m_metrics;
    TokenStripPainter m_painter;

    ItemRange m_selected;
    ItemRange m_hovered;
    std::optional<std::size_t> m_underMouse;
    std::optional<std::size_t> m_current; // keyboard's place
    std::optional<std::size_t> m_anchor;  // where a range began
    bool m_choosing = false;              // this view is writing the selection

    QPixmap m_cache; // of the viewport, chips only
};

} // namespace headscope::widgets
