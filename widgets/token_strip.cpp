// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/token_strip.h"

#include "widgets/token_strip_header.h"

#include <QEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope::widgets {

namespace {

constexpr int outlineReach = 5; // pixels around an item that its outlines may touch
constexpr double stalePale = 0.55;

/// Experts of the router with most of them, so that changing the router moves no chip.
int mostExperts(const core::Trace& trace)
{
    int most = 0;
    for (const auto& site : trace.sites)
        most = std::max(most, site->router.experts);
    return most;
}

} // namespace

TokenStrip::TokenStrip(QWidget* parent) : QAbstractScrollArea(parent), m_header(new TokenStripHeader(this))
{
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Tokens"));
    rebuildPainter();
    placeHeader();
    updateCaption();
}

void TokenStrip::setTrace(std::shared_ptr<const core::Trace> trace)
{
    m_trace = std::move(trace);
    if (std::exchange(m_stale, false) || hasOverlays())
        viewport()->update();
    m_underMouse.reset();
    m_anchor.reset();
    const StripContents before = std::exchange(m_shown, {});
    const StripMetrics metricsBefore = m_metrics;
    const int scrollBefore = verticalScrollBar()->value();
    rebuildPainter();
    m_shown.layout = before.layout; // tells where the strip is scrolled to
    rebuildItems();
    rebuildShades();
    const bool inPlace = m_metrics == metricsBefore && verticalScrollBar()->value() == scrollBefore;
    if (inPlace && !before.items.items.empty() && !m_shown.items.items.empty())
        refreshChanges(before);
    else
        refresh();
    if (hasOverlays())
        viewport()->update();
}

void TokenStrip::setSelection(Selection* selection)
{
    if (m_selection)
        m_selection->disconnect(this);
    m_selection = selection;
    if (selection)
        connect(selection, &Selection::changed, this, &TokenStrip::onSelectionChanged);
    rebuildItems();
    rebuildShades();
    refresh();
}

void TokenStrip::setStale(bool stale)
{
    if (m_stale == stale)
        return;
    m_stale = stale;
    viewport()->update();
}

void TokenStrip::reveal(std::size_t byte)
{
    if (!text())
        return;
    const auto [first, last] = m_shown.items.touching(*text(), {byte, byte + 1});
    if (first < last)
        ensureVisible(first);
}

QRect TokenStrip::itemRect(std::size_t item) const
{
    return m_shown.layout.rect(item).translated(0, -verticalScrollBar()->value());
}

QSize TokenStrip::sizeHint() const
{
    return {640, m_header->sizeHint().height() + 5 * (m_metrics.itemHeight + m_metrics.lineGap)};
}

QSize TokenStrip::minimumSizeHint() const
{
    return {160, m_header->sizeHint().height() + 2 * m_metrics.margin + m_metrics.itemHeight};
}

int TokenStrip::stream() const
{
    const int wanted = m_selection ? m_selection->state().stream : 0;
    return m_trace ? std::clamp(wanted, 0, static_cast<int>(m_trace->streams.size()) - 1) : 0;
}

const core::TokenizedText* TokenStrip::text() const
{
    return m_trace && !m_trace->streams.empty() ? &m_trace->text(stream()) : nullptr;
}

std::optional<core::RouterAddress> TokenStrip::router() const
{
    return m_selection ? m_selection->state().router : std::nullopt;
}

void TokenStrip::onSelectionChanged(Selection::Fields what)
{
    using Field = Selection::Field;
    if (what & Field::Stream) {
        rebuildItems();
        rebuildShades();
        refresh();
        return;
    }
    if (what & (Field::Router | Field::Expert)) {
        rebuildShades();
        refresh();
    }
    if (what & Field::Bytes)
        updateSelected();
    if (what & Field::Hover)
        updateHovered();
}

void TokenStrip::rebuildItems()
{
    m_shown.items = text() ? stripItems(*text()) : StripItems{};
    m_labelWidths = m_painter.labelWidths(m_shown.items.labels);
    m_current.reset();
    m_selected = m_hovered = {};
    relayout();
    updateSelected();
    updateHovered();
}

void TokenStrip::rebuildShades()
{
    m_shown.shades = {};
    const auto address = router();
    const auto* site = m_trace && address ? m_trace->site(*address) : nullptr;
    const int head = site ? site->headOf(*address) : -1;
    if (head >= 0 && site->router.stream == stream())
        m_shown.shades = routerShades(*site, head, m_selection->state().expert);
    updateCaption();
}

void TokenStrip::rebuildPainter()
{
    const int experts = m_trace ? mostExperts(*m_trace) : 0;
    const Theme theme = themeOf(palette());
    if (m_painter.font() != font() || m_painter.theme() != theme || m_painter.experts() != experts)
        m_painter = TokenStripPainter(font(), theme, experts);
    m_metrics = m_painter.metrics(viewport()->width());
}

void TokenStrip::relayout()
{
    const int oldTop = verticalScrollBar()->value();
    const auto anchor = m_shown.layout.nearest({0, oldTop}); // stays at the top when lines break elsewhere
    m_metrics = m_painter.metrics(viewport()->width());
    const bool sameItems = m_shown.layout.size() == m_shown.items.items.size();
    m_shown.layout = TokenStripLayout(m_shown.items.items, m_labelWidths, m_metrics);
    updateScrollBar();
    if (anchor && sameItems && oldTop > 0)
        verticalScrollBar()->setValue(m_shown.layout.rect(*anchor).top() - m_metrics.margin);
}

void TokenStrip::updateScrollBar()
{
    auto* bar = verticalScrollBar();
    bar->setRange(0, std::max(0, m_shown.layout.height() - viewport()->height()));
    bar->setPageStep(viewport()->height());
    bar->setSingleStep(m_metrics.itemHeight + m_metrics.lineGap);
}

void TokenStrip::placeHeader()
{
    const int height = m_header->sizeHint().height();
    setViewportMargins(0, height, 0, 0);
    m_header->setGeometry(viewport()->x(), 0, viewport()->width(), height); // beside the scroll bar
}

void TokenStrip::updateCaption()
{
    TokenStripHeader::Caption caption;
    const auto address = router();
    const auto* site = m_trace && address ? m_trace->site(*address) : nullptr;
    if (!m_trace) {
        caption.title = tr("Tokens");
    } else if (m_trace->sites.empty()) {
        caption.title = tr("This model has no routers");
    } else if (!address) {
        caption.title = tr("No router chosen");
        caption.legend = tr("choose one in the router map to colour the tokens");
    } else if (!site || site->headOf(*address) < 0) {
        caption.title = tr("%1 is no router of this model").arg(QString::fromStdString(address->toString()));
    } else {
        caption.title = QString::fromStdString(site->address(site->headOf(*address)).toString());
        caption.legend = QString::fromStdString(site->router.legend());
        if (site->router.stream != stream()) {
            caption.legend = tr("routes the other text");
        } else {
            caption.largestGate = m_shown.shades.largestGate;
            caption.expert = m_selection->state().expert;
            if (caption.expert)
                caption.title = tr("%1, expert %2 only").arg(caption.title).arg(*caption.expert);
        }
    }
    m_header->setCaption(caption);
}

void TokenStrip::updateSelected()
{
    const auto before = m_selected;
    const auto bytes = m_selection && text() ? m_selection->state().bytes : std::nullopt;
    m_selected = bytes ? m_shown.items.touching(*text(), *bytes) : ItemRange{};
    if (m_selected == before)
        return;
    updateItems(before);
    updateItems(m_selected);
    if (m_choosing || m_selected.first == m_selected.second)
        return;
    m_anchor = m_selected.first;
    m_current = m_selected.first;
    ensureVisible(m_selected.first);
}

void TokenStrip::updateHovered()
{
    const auto before = m_hovered;
    const auto bytes = m_selection && text() ? m_selection->state().hover : std::nullopt;
    m_hovered = bytes ? m_shown.items.touching(*text(), *bytes) : ItemRange{};
    if (m_hovered == before && !m_underMouse)
        return;
    updateItems(before);
    updateItems(m_hovered);
}

/// Something is drawn over the chips, which moves when they do.
bool TokenStrip::hasOverlays() const
{
    return hasFocus() || m_underMouse || m_selected.first < m_selected.second || m_hovered.first < m_hovered.second;
}

/// The chips look different: paint them anew.
void TokenStrip::refresh()
{
    m_cache = {};
    viewport()->update();
}

/// Only some lines look different from what the cached picture shows: those are painted anew.
void TokenStrip::refreshChanges(const StripContents& before)
{
    if (m_cache.size() != viewport()->size() * devicePixelRatioF())
        return refresh();
    const int scroll = verticalScrollBar()->value();
    const int height = viewport()->height();
    const auto [first, last] = m_shown.layout.linesIn(scroll, scroll + height);
    int top = -1; // of the run of changed lines, in the viewport
    const auto paint = [&](int bottom) {
        if (top < 0 || bottom <= top)
            return;
        renderBand(top, bottom);
        viewport()->update(0, top, viewport()->width(), bottom - top);
        top = -1;
    };
    for (std::size_t line = first; line < last; ++line) {
        const auto [lineTop, lineBottom] = m_shown.layout.band(line);
        if (sameLine(before, m_shown, line))
            paint(lineTop - scroll);
        else if (top < 0)
            top = std::max(0, lineTop - scroll);
    }
    if (top < 0 && last == m_shown.layout.lines().size() && before.layout.height() != m_shown.layout.height())
        top = std::max(0, last > 0 ? m_shown.layout.band(last - 1).second - scroll : 0); // fewer lines than before
    paint(height);
}

// ---- painting

void TokenStrip::renderBand(int top, int bottom)
{
    QPainter painter(&m_cache);
    const int scroll = verticalScrollBar()->value();
    painter.setClipRect(0, top, viewport()->width(), bottom - top);
    painter.fillRect(0, top, viewport()->width(), bottom - top, m_painter.theme().base);
    painter.translate(0, -scroll);
    m_painter.drawBand(painter, m_shown.items, m_shown.layout, m_shown.shades, top + scroll, bottom + scroll);
}

void TokenStrip::paintEvent(QPaintEvent* event)
{
    const double ratio = devicePixelRatioF();
    const QSize size = viewport()->size() * ratio;
    if (m_cache.size() != size || m_cache.devicePixelRatio() != ratio) {
        m_cache = QPixmap(size);
        m_cache.setDevicePixelRatio(ratio);
        renderBand(0, viewport()->height());
    }
    QPainter painter(viewport());
    painter.setClipRegion(event->region());
    painter.drawPixmap(0, 0, m_cache);
    if (m_shown.items.items.empty()) {
        drawHint(painter);
    } else {
        painter.setRenderHint(QPainter::Antialiasing);
        drawOverlays(painter);
    }
    if (hasFocus()) {
        painter.setPen(QPen(m_painter.theme().highlight, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(viewport()->rect()).adjusted(1, 1, -1, -1));
    }
}

void TokenStrip::drawOverlays(QPainter& painter)
{
    const Theme& theme = m_painter.theme();
    if (m_stale) {
        QColor veil = theme.base;
        veil.setAlphaF(static_cast<float>(stalePale));
        painter.fillRect(viewport()->rect(), veil);
    }
    painter.save();
    painter.translate(0, -verticalScrollBar()->value());
    m_painter.drawOutline(painter, m_shown.layout, m_hovered, theme.hover, 1.5);
    if (m_underMouse && m_hovered.first == m_hovered.second) // a token without bytes
        m_painter.drawOutline(painter, m_shown.layout, {*m_underMouse, *m_underMouse + 1}, theme.hover, 1.5);
    m_painter.drawOutline(painter, m_shown.layout, m_selected, theme.highlight, 2.4);
    if (hasFocus() && m_current && *m_current < m_shown.layout.size()) {
        const QRect rect = m_shown.layout.rect(*m_current);
        painter.fillRect(QRectF(rect.left() + 3, rect.bottom() + 3, rect.width() - 6, 2), theme.text);
    }
    painter.restore();
}

void TokenStrip::drawHint(QPainter& painter) const
{
    painter.setPen(m_painter.theme().mutedText);
    painter.drawText(viewport()->rect().adjusted(12, 8, -12, -8), Qt::AlignCenter | Qt::TextWordWrap,
                     m_trace ? tr("No tokens: the text is empty") : tr("Open a checkpoint to see its tokens"));
}

void TokenStrip::updateItems(ItemRange items)
{
    if (items.first >= items.second || items.second > m_shown.layout.size())
        return;
    const int top = m_shown.layout.rect(items.first).top();
    const QRect last = m_shown.layout.rect(items.second - 1);
    const bool oneLine = top == last.top();
    const QRect area =
        oneLine ? m_shown.layout.rect(items.first).united(last) : QRect(0, top, viewport()->width(), last.bottom() + 1 - top);
    viewport()->update(area.translated(0, -verticalScrollBar()->value())
                           .adjusted(-outlineReach, -outlineReach, outlineReach, outlineReach));
}

void TokenStrip::ensureVisible(std::size_t item)
{
    const QRect rect = m_shown.layout.rect(item);
    auto* bar = verticalScrollBar();
    if (rect.top() - m_metrics.margin < bar->value())
        bar->setValue(rect.top() - m_metrics.margin);
    else if (rect.bottom() + m_metrics.margin > bar->value() + viewport()->height())
        bar->setValue(rect.bottom() + m_metrics.margin - viewport()->height());
}

void TokenStrip::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    placeHeader();
    if (viewport()->width() == m_metrics.width)
        return updateScrollBar();
    relayout();
    refresh();
}

void TokenStrip::scrollContentsBy(int, int dy)
{
    const double ratio = m_cache.devicePixelRatio();
    const double deviceStep = dy * ratio;
    const bool whole = deviceStep == std::floor(deviceStep);
    if (m_cache.isNull() || !whole || std::abs(dy) >= viewport()->height()) {
        refresh();
        return;
    }
    m_cache.scroll(0, static_cast<int>(deviceStep), m_cache.rect());
    const int height = viewport()->height();
    if (dy > 0)
        renderBand(0, dy);
    else
        renderBand(height + dy, height);
    viewport()->update();
}

void TokenStrip::changeEvent(QEvent* event)
{
    QAbstractScrollArea::changeEvent(event);
    const auto type = event->type();
    if (type != QEvent::PaletteChange && type != QEvent::FontChange)
        return;
    rebuildPainter();
    m_labelWidths = m_painter.labelWidths(m_shown.items.labels);
    placeHeader();
    relayout();
    refresh();
}

void TokenStrip::focusInEvent(QFocusEvent* event)
{
    QAbstractScrollArea::focusInEvent(event);
    if (!m_current && m_shown.layout.size() > 0)
        m_current = m_selected.first < m_selected.second ? m_selected.first : 0;
    viewport()->update();
}

void TokenStrip::focusOutEvent(QFocusEvent* event)
{
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

} // namespace headscope::widgets
