// SPDX-License-Identifier: GPL-3.0-or-later
// TokenStrip's mouse, keyboard and tooltips.
#include "widgets/token_strip.h"
#include "widgets/token_tooltip.h"

#include <QAccessible>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>

namespace headscope::widgets {

QPoint TokenStrip::toStrip(QPoint viewportPoint) const
{
    return viewportPoint + QPoint(0, verticalScrollBar()->value());
}

bool TokenStrip::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const auto item = m_shown.layout.at(toStrip(help->pos()));
        if (item)
            QToolTip::showText(help->globalPos(), tooltipOf(*item), viewport(), itemRect(*item));
        else
            QToolTip::hideText();
        return true;
    }
    if (event->type() == QEvent::Leave)
        setHoveredItem(std::nullopt);
    return QAbstractScrollArea::viewportEvent(event);
}

void TokenStrip::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const auto item = m_shown.layout.at(toStrip(event->position().toPoint()));
    if (item)
        moveTo(*item, event->modifiers() & Qt::ShiftModifier ? Extend::Yes : Extend::No);
    else if (m_selection && !(event->modifiers() & Qt::ShiftModifier))
        m_selection->setBytes(std::nullopt);
}

void TokenStrip::mouseMoveEvent(QMouseEvent* event)
{
    const QPoint point = toStrip(event->position().toPoint());
    if (event->buttons() & Qt::LeftButton) {
        const auto item = m_shown.layout.nearest(point);
        if (item && m_anchor && item != m_current)
            moveTo(*item, Extend::Yes);
        return;
    }
    setHoveredItem(m_shown.layout.at(point));
}

void TokenStrip::mouseReleaseEvent(QMouseEvent* event)
{
    setHoveredItem(m_shown.layout.at(toStrip(event->position().toPoint())));
}

void TokenStrip::setHoveredItem(std::optional<std::size_t> item)
{
    if (item == m_underMouse)
        return;
    if (m_underMouse && *m_underMouse < m_shown.layout.size())
        updateItems({*m_underMouse, *m_underMouse + 1});
    m_underMouse = item;
    if (item)
        updateItems({*item, *item + 1});
    if (m_selection)
        m_selection->setHover(item ? m_shown.items.bytesOf(*text(), *item, *item + 1) : std::nullopt);
}

QString TokenStrip::tooltipOf(std::size_t item) const
{
    const auto& entry = m_shown.items.items[item];
    if (entry.kind == StripItem::Kind::Gap)
        return gapTooltip(*text(), text()->gaps[entry.index]);
    return tokenTooltip(*m_trace, stream(), entry.index, router());
}

void TokenStrip::keyPressEvent(QKeyEvent* event)
{
    if (m_shown.layout.size() == 0) {
        QAbstractScrollArea::keyPressEvent(event);
        return;
    }
    if (event->matches(QKeySequence::SelectAll)) {
        m_anchor = 0;
        m_current = m_shown.layout.size() - 1;
        select(0, m_shown.layout.size() - 1);
    } else if (event->key() == Qt::Key_Escape && m_selected.first < m_selected.second) {
        m_selection->setBytes(std::nullopt);
    } else if (const auto target = keyTarget(*event)) {
        moveTo(*target, event->modifiers() & Qt::ShiftModifier ? Extend::Yes : Extend::No);
    } else {
        QAbstractScrollArea::keyPressEvent(event);
        return;
    }
    event->accept();
}

/// Where a key leads from the current item; groups are passed in one step.
std::optional<std::size_t> TokenStrip::keyTarget(const QKeyEvent& event) const
{
    const std::size_t last = m_shown.layout.size() - 1;
    const std::size_t current = std::min(m_current.value_or(0), last);
    const auto group = m_shown.items.wholeGroups(current, current + 1);
    const auto& line = m_shown.layout.lines()[m_shown.layout.lineOf(current)];
    const bool wholeText = event.modifiers() & Qt::ControlModifier;
    const int page = std::max(1, viewport()->height() / (m_metrics.itemHeight + m_metrics.lineGap) - 1);
    const auto pages = [&](int direction) {
        std::size_t item = current;
        for (int step = 0; step < page; ++step)
            item = m_shown.layout.vertical(item, direction);
        return item;
    };
    switch (event.key()) {
    case Qt::Key_Left: return group.first == 0 ? 0 : group.first - 1;
    case Qt::Key_Right: return std::min(group.second, last);
    case Qt::Key_Up: return m_shown.layout.vertical(current, -1);
    case Qt::Key_Down: return m_shown.layout.vertical(current, +1);
    case Qt::Key_PageUp: return pages(-1);
    case Qt::Key_PageDown: return pages(+1);
    case Qt::Key_Home: return wholeText ? 0 : line.first;
    case Qt::Key_End: return wholeText ? last : line.last - 1;
    case Qt::Key_Space: return current;
    default: return std::nullopt;
    }
}

void TokenStrip::moveTo(std::size_t item, Extend extend)
{
    if (m_current && *m_current < m_shown.layout.size())
        updateItems({*m_current, *m_current + 1});
    m_current = item;
    if (extend == Extend::No || !m_anchor || *m_anchor >= m_shown.layout.size())
        m_anchor = item;
    select(std::min(*m_anchor, item), std::max(*m_anchor, item));
    updateItems({item, item + 1});
    ensureVisible(item);
    announce(item);
}

/// Both ends included. Tokens without bytes alone (a BOS) select nothing: other views could not know them.
void TokenStrip::select(std::size_t from, std::size_t to)
{
    if (!m_selection)
        return;
    m_choosing = true;
    m_selection->setBytes(m_shown.items.bytesOf(*text(), from, to + 1));
    m_choosing = false;
}

void TokenStrip::announce(std::size_t item)
{
    const auto& entry = m_shown.items.items[item];
    if (entry.kind == StripItem::Kind::Gap)
        return;
    setAccessibleDescription(tokenSentence(*m_trace, stream(), entry.index, router()));
    QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&changed);
}

} // namespace headscope::widgets
