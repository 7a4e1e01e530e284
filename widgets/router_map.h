// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/trace/trace.h"
#include "widgets/router_map_layout.h"
#include "widgets/selection.h"

#include <QAbstractScrollArea>
#include <QPointer>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace headscope::widgets {

class RouterMapKey;

/// Other values than the entropy of the load for the cells of a router map.
struct RouterMapValues {
    std::vector<double> cells; // of RouterGrid::cells; NaN: blank
    double low = 0;            // of the colour scale
    double high = 1;
    QString title;                               // of the colour bar
    std::function<QString(std::size_t)> toolTip; // of a cell, rich text
};

/// All routers of a model: layers × sites (× heads). The colour of a cell is the entropy of its load over the text; a corner
/// says that experts were never chosen. Layers that apply the same weights have the same letter, and their repeats stand
/// apart. Click and arrows choose the router.
class RouterMap : public QAbstractScrollArea
{
    Q_OBJECT

public:
    explicit RouterMap(QWidget* parent = nullptr);

    /// nullptr: there is no model.
    void setTrace(std::shared_ptr<const core::Trace> trace);
    /// Where the scale of the entropies begins, for maps that stand beside each other; none: as fits.
    void setLowEntropy(std::optional<double> low);
    /// Until the next setTrace.
    void setValues(RouterMapValues values);
    void setSelection(Selection* selection);
    /// The trace is of an older text: dimmed until the next setTrace or setStale(false).
    void setStale(bool stale);
    bool isStale() const { return m_stale; }

    const RouterGrid& grid() const { return m_grid; }
    const core::Load& load(std::size_t cell) const { return m_loads[cell]; }
    std::optional<std::size_t> chosenCell() const { return m_chosen; }
    /// Where a cell is in the viewport.
    QRect cellRect(std::size_t cell) const;
    /// The colour of a cell.
    QColor cellColor(std::size_t cell) const;
    /// The value of the scale's first colour.
    double lowEnd() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void onSelectionChanged(Selection::Fields what);
    void updateChosen();
    void relayout();
    void choose(std::size_t cell);
    void ensureVisible(std::size_t cell);
    std::optional<std::size_t> keyTarget(int key) const;
    std::optional<std::size_t> cellUnder(QPoint viewportPoint) const;
    void setHovered(std::optional<std::size_t> cell);
    QPoint scrolled() const;
    QString message() const; // instead of a map
    QString toolTipOf(std::size_t cell) const;
    double valueOf(std::size_t cell) const;

    void drawMap(QPainter& painter) const;
    void drawHeaders(QPainter& painter) const;
    void drawHeadNumbers(QPainter& painter, const RouterColumnGroup& group, int top) const;
    void drawRowLabels(QPainter& painter) const;
    void drawCell(QPainter& painter, std::size_t cell) const;

    RouterMapKey* m_key = nullptr;
    std::shared_ptr<const core::Trace> m_trace;
    QPointer<Selection> m_selection;
    bool m_stale = false;
    RouterGrid m_grid;
    std::vector<core::Load> m_loads; // of cells
    std::optional<double> m_lowEntropy;
    std::optional<RouterMapValues> m_values; // instead of the entropies of the loads
    RouterMapLayout m_layout;
    std::optional<std::size_t> m_chosen;
    std::optional<std::size_t> m_hovered;
};

} // namespace headscope::widgets
