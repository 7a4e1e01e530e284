// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/compare_strip_painter.h"
#include "widgets/selection.h"

#include <QAbstractScrollArea>
#include <QPixmap>
#include <QPointer>

#include <optional>
#include <utility>
#include <vector>

namespace headscope::widgets {

/// The tokens of two models on one text in pairs of lines: A above, B below, under every token its chosen experts of one
/// pair of routers, and between both a band for the bytes they have in common, tinted by how well the models agree. Columns
/// that agree can be left out.
///
/// Follows and writes Selection::bytes and hover as the token strip does: click selects, Shift and dragging extend, arrows,
/// Home, End move.
class CompareStrip : public QAbstractScrollArea
{
    Q_OBJECT

public:
    enum class Columns { All, OnlyDifferences };

    explicit CompareStrip(QWidget* parent = nullptr);

    void setSelection(Selection* selection);
    /// `pair`: of comparison->routers. Invalid models: nothing is shown.
    void setModels(const ComparedModels& models, std::size_t pair);
    void setPair(std::size_t pair);
    void setTint(CompareTint tint);
    void setColumns(Columns columns);

    std::size_t pair() const { return m_pair; }
    CompareTint tint() const { return m_tint; }
    Columns columns() const { return m_which; }
    const CompareStripContents& contents() const { return m_shown; }
    /// Places [first, last) that the selection's bytes (the bytes under the mouse) touch.
    std::pair<std::size_t, std::size_t> selectedPlaces() const { return m_selected; }
    std::pair<std::size_t, std::size_t> hoveredPlaces() const { return m_hovered; }
    /// Where a place is in the viewport.
    QRect placeRect(std::size_t place) const;
    QString toolTipOf(std::size_t place) const;
    /// Scrolls to what holds a byte.
    void reveal(std::size_t byte);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    /// Other tints are shown: their scale or title may be another.
    void tintsChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void changeEvent(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    using Range = std::pair<std::size_t, std::size_t>; // [first, last)

    void rebuild();
    void rebuildTints();
    void relayout();
    std::vector<bool> leftOut() const;
    Range placesTouching(const std::optional<core::ByteRange>& bytes) const;
    void selectionChanged(Selection::Fields what);
    void updateMarks();
    void moveTo(std::size_t place, bool extend);
    std::optional<std::size_t> keyTarget(const QKeyEvent& event) const;
    core::ByteRange bytesOf(std::size_t firstPlace, std::size_t lastPlace) const;
    void ensureVisible(std::size_t place);
    QPoint toStrip(QPoint viewportPoint) const;
    void refresh();

    ComparedModels m_models;
    std::size_t m_pair = 0;
    CompareTint m_tint = CompareTint::Agreement;
    Columns m_which = Columns::All;
    QPointer<Selection> m_selection;

    CompareStripPainter m_painter;
    CompareStripContents m_shown;
    std::vector<int> m_widthsA;
    std::vector<int> m_widthsB;
    Range m_selected;
    Range m_hovered;
    std::optional<std::size_t> m_current; // keyboard's place
    std::optional<std::size_t> m_anchor;
    bool m_choosing = false; // this view is writing the selection
    QPixmap m_cache;         // of the viewport, without outlines
};

} // namespace headscope::widgets
