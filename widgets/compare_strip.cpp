// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare_strip.h"

#include "widgets/compare_tooltip.h"

#include <QEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>

namespace headscope::widgets {

CompareStrip::CompareStrip(QWidget* parent) : QAbstractScrollArea(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    setAccessibleName(tr("Tokens of both models"));
    rebuild();
}

void CompareStrip::setSelection(Selection* selection)
{
    if (m_selection)
        m_selection->disconnect(this);
    m_selection = selection;
    if (selection)
        connect(selection, &Selection::changed, this, &CompareStrip::selectionChanged);
    updateMarks();
}

void CompareStrip::setModels(const ComparedModels& models, std::size_t pair)
{
    m_models = models;
    m_pair = pair;
    m_shown.columns = m_models.valid() ? compareColumns(m_models.traces.a->text(), m_models.traces.b->text(),
                                                        m_models.comparison->alignment)
                                       : CompareColumns{};
    m_current.reset();
    m_anchor.reset();
    rebuild();
}

void CompareStrip::setPair(std::size_t pair)
{
    if (pair == m_pair)
        return;
    m_pair = pair;
    rebuild();
}

void CompareStrip::setTint(CompareTint tint)
{
    if (tint == m_tint)
        return;
    m_tint = tint;
    rebuildTints();
    refresh();
}

void CompareStrip::setColumns(Columns columns)
{
    if (columns == m_which)
        return;
    m_which = columns;
    m_current.reset();
    m_anchor.reset();
    relayout();
}

void CompareStrip::rebuild()
{
    if (m_painter.font() != font() || m_painter.theme() != themeOf(palette()))
        m_painter = CompareStripPainter(font(), themeOf(palette()));
    const bool known = m_models.valid() && m_pair < m_models.comparison->routers.size();
    m_shown.routerA = known ? shownRouterOfA(*m_models.traces.a, m_models.comparison->routers[m_pair]) : ShownRouter{};
    m_shown.routerB = known ? shownRouterOfB(*m_models.traces.b, m_models.comparison->routers[m_pair]) : ShownRouter{};
    m_widthsA = m_painter.widths(m_shown.columns.a, m_shown.routerA);
    m_widthsB = m_painter.widths(m_shown.columns.b, m_shown.routerB);
    if (!m_painter.metrics(0, m_shown.columns.sameTokens).labelsOfB) // labels are shared, but the experts of B need room
        for (std::size_t i = 0; i < std::min(m_widthsA.size(), m_widthsB.size()); ++i)
            m_widthsA[i] = m_widthsB[i] = std::max(m_widthsA[i], m_widthsB[i]);
    rebuildTints();
    relayout();
}

void CompareStrip::rebuildTints()
{
    m_shown.tints = m_models.valid() ? unitTints(*m_models.comparison, m_pair, m_tint) : UnitTints{};
    Q_EMIT tintsChanged();
}

/// [columns]: those whose unit agrees fully in this router. What only one model has is a difference.
std::vector<bool> CompareStrip::leftOut() const
{
    std::vector<bool> out(m_shown.columns.columns.size(), false);
    if (m_which == Columns::All || !m_models.valid() || m_pair >= m_models.comparison->routers.size())
        return out;
    const std::vector<float>& agreement = m_models.comparison->routers[m_pair].unitAgreement;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto& unit = m_shown.columns.columns[i].unit;
        out[i] = unit && *unit < agreement.size() && agreement[*unit] > 1 - 1e-6F;
    }
    return out;
}

void CompareStrip::relayout()
{
    const CompareMetrics metrics = m_painter.metrics(viewport()->width(), m_shown.columns.sameTokens);
    m_shown.layout = CompareLayout(m_shown.columns, m_widthsA, m_widthsB, leftOut(), metrics);
    verticalScrollBar()->setRange(0, std::max(0, m_shown.layout.height() - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(metrics.lineHeight() + metrics.lineGap);
    const std::size_t places = m_shown.layout.places().size();
    if (m_current && *m_current >= places)
        m_current.reset();
    if (m_anchor && *m_anchor >= places)
        m_anchor.reset();
    updateMarks();
    refresh();
}

CompareStrip::Range CompareStrip::placesTouching(const std::optional<core::ByteRange>& bytes) const
{
    if (!bytes)
        return {};
    const auto [first, last] = m_shown.columns.touching(*bytes);
    if (first == last)
        return {};
    return {m_shown.layout.placeOf(first), m_shown.layout.placeOf(last - 1) + 1};
}

void CompareStrip::selectionChanged(Selection::Fields what)
{
    if (what & (Selection::Field::Bytes | Selection::Field::Hover | Selection::Field::Stream))
        updateMarks();
}

void CompareStrip::updateMarks()
{
    const Range selected = m_selection ? placesTouching(m_selection->state().bytes) : Range{};
    const Range hovered = m_selection ? placesTouching(m_selection->state().hover) : Range{};
    if (selected == m_selected && hovered == m_hovered)
        return;
    const bool other = selected != m_selected;
    m_selected = selected;
    m_hovered = hovered;
    viewport()->update();
    if (!other || m_choosing || selected.first == selected.second)
        return;
    m_anchor = m_current = selected.first;
    ensureVisible(selected.first);
}

QRect CompareStrip::placeRect(std::size_t place) const
{
    return m_shown.layout.rect(place).translated(0, -verticalScrollBar()->value());
}

QString CompareStrip::toolTipOf(std::size_t place) const
{
    const CompareLayout::Place& at = m_shown.layout.places()[place];
    return at.leftOut ? leftOutTooltip(m_models, m_shown.columns, at.first, at.last)
                      : compareTooltip(m_models, m_shown, at.first);
}

void CompareStrip::reveal(std::size_t byte)
{
    if (const auto [first, last] = placesTouching(core::ByteRange{byte, byte + 1}); first < last)
        ensureVisible(first);
}

void CompareStrip::ensureVisible(std::size_t place)
{
    const QRect rect = m_shown.layout.rect(place);
    QScrollBar* bar = verticalScrollBar();
    const int around = m_shown.layout.metrics().lineGap;
    if (rect.top() - around < bar->value())
        bar->setValue(rect.top() - around);
    else if (rect.bottom() + around > bar->value() + viewport()->height())
        bar->setValue(std::min(rect.bottom() + around - viewport()->height(), rect.top() - around));
}

QSize CompareStrip::sizeHint() const
{
    const CompareMetrics& metrics = m_shown.layout.metrics();
    return {760, 3 * (metrics.lineHeight() + metrics.lineGap) + metrics.margin};
}

QSize CompareStrip::minimumSizeHint() const
{
    return {200, m_shown.layout.metrics().lineHeight() + 2 * m_shown.layout.metrics().margin};
}

// ---- mouse and keyboard

QPoint CompareStrip::toStrip(QPoint viewportPoint) const
{
    return viewportPoint + QPoint(0, verticalScrollBar()->value());
}

bool CompareStrip::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        if (const auto place = m_shown.layout.at(toStrip(help->pos())))
            QToolTip::showText(help->globalPos(), toolTipOf(*place), viewport(), placeRect(*place));
        else
            QToolTip::hideText();
        return true;
    }
    if (event->type() == QEvent::Leave && m_selection)
        m_selection->setHover(std::nullopt);
    return QAbstractScrollArea::viewportEvent(event);
}

core::ByteRange CompareStrip::bytesOf(std::size_t firstPlace, std::size_t lastPlace) const
{
    std::optional<core::ByteRange> bytes;
    for (std::size_t place = firstPlace; place < lastPlace; ++place) {
        const CompareLayout::Place& at = m_shown.layout.places()[place];
        for (std::uint32_t column = at.first; column < at.last; ++column) {
            const core::ByteRange own = m_shown.columns.columns[column].bytes;
            if (!own.empty())
                bytes = bytes ? core::ByteRange{std::min(bytes->begin, own.begin), std::max(bytes->end, own.end)} : own;
        }
    }
    return bytes.value_or(core::ByteRange{});
}

void CompareStrip::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    if (const auto place = m_shown.layout.at(toStrip(event->position().toPoint())))
        moveTo(*place, event->modifiers() & Qt::ShiftModifier);
    else if (m_selection && !(event->modifiers() & Qt::ShiftModifier))
        m_selection->setBytes(std::nullopt);
}

void CompareStrip::mouseMoveEvent(QMouseEvent* event)
{
    const auto place = m_shown.layout.at(toStrip(event->position().toPoint()));
    if (event->buttons() & Qt::LeftButton) {
        if (place && m_anchor && place != m_current)
            moveTo(*place, true);
        return;
    }
    if (!m_selection)
        return;
    const core::ByteRange bytes = place ? bytesOf(*place, *place + 1) : core::ByteRange{};
    m_selection->setHover(bytes.empty() ? std::nullopt : std::optional(bytes));
}

/// Columns without bytes (a BOS) select nothing: other views could not know them.
void CompareStrip::moveTo(std::size_t place, bool extend)
{
    m_current = place;
    if (!extend || !m_anchor)
        m_anchor = place;
    ensureVisible(place);
    viewport()->update();
    if (!m_selection)
        return;
    const core::ByteRange bytes = bytesOf(std::min(*m_anchor, place), std::max(*m_anchor, place) + 1);
    m_choosing = true;
    m_selection->setBytes(bytes.empty() ? std::nullopt : std::optional(bytes));
    m_choosing = false;
}

std::optional<std::size_t> CompareStrip::keyTarget(const QKeyEvent& event) const
{
    const CompareLayout& layout = m_shown.layout;
    const std::size_t last = layout.places().size() - 1;
    const std::size_t current = std::min(m_current.value_or(0), last);
    const std::size_t line = layout.lineOf(current);
    const auto below = [&](std::size_t other) {
        const QPoint middle = layout.rect(current).center();
        for (std::size_t place = layout.lines()[other].first; place < layout.lines()[other].last; ++place)
            if (layout.rect(place).right() >= middle.x())
                return place;
        return std::size_t{layout.lines()[other].last} - 1;
    };
    const bool wholeText = event.modifiers() & Qt::ControlModifier;
    switch (event.key()) {
    case Qt::Key_Left: return current == 0 ? 0 : current - 1;
    case Qt::Key_Right: return std::min(current + 1, last);
    case Qt::Key_Up: return line == 0 ? current : below(line - 1);
    case Qt::Key_Down: return line + 1 == layout.lines().size() ? current : below(line + 1);
    case Qt::Key_Home: return wholeText ? 0 : layout.lines()[line].first;
    case Qt::Key_End: return wholeText ? last : layout.lines()[line].last - 1;
    default: return std::nullopt;
    }
}

void CompareStrip::keyPressEvent(QKeyEvent* event)
{
    if (m_shown.layout.places().empty())
        return QAbstractScrollArea::keyPressEvent(event);
    if (event->matches(QKeySequence::SelectAll)) {
        m_anchor = 0;
        moveTo(m_shown.layout.places().size() - 1, true);
    } else if (event->key() == Qt::Key_Escape && m_selected.first < m_selected.second) {
        m_selection->setBytes(std::nullopt);
    } else if (const auto target = keyTarget(*event)) {
        moveTo(*target, event->modifiers() & Qt::ShiftModifier);
    } else {
        return QAbstractScrollArea::keyPressEvent(event);
    }
    event->accept();
}

// ---- painting

void CompareStrip::refresh()
{
    m_cache = {};
    viewport()->update();
}

void CompareStrip::paintEvent(QPaintEvent* event)
{
    const double ratio = devicePixelRatioF();
    const QSize size = viewport()->size() * ratio;
    const int scroll = verticalScrollBar()->value();
    if (m_cache.size() != size || m_cache.devicePixelRatio() != ratio) {
        m_cache = QPixmap(size);
        m_cache.setDevicePixelRatio(ratio);
        m_cache.fill(m_painter.theme().base);
        QPainter painter(&m_cache);
        painter.translate(0, -scroll);
        m_painter.drawBand(painter, m_shown, scroll, scroll + viewport()->height());
    }
    QPainter painter(viewport());
    painter.setClipRegion(event->region());
    painter.drawPixmap(0, 0, m_cache);
    const Theme& theme = m_painter.theme();
    if (m_shown.columns.columns.empty() && m_models.valid()) {
        painter.setPen(theme.mutedText);
        painter.drawText(viewport()->rect(), Qt::AlignCenter, tr("The text is empty"));
        return;
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(0, -scroll);
    m_painter.drawOutline(painter, m_shown.layout, m_selected, theme.highlight, 2);
    m_painter.drawOutline(painter, m_shown.layout, m_hovered, theme.hover, 1.5);
    if (hasFocus() && m_current)
        m_painter.drawOutline(painter, m_shown.layout, {*m_current, *m_current + 1}, theme.text, 1);
    painter.resetTransform();
    if (hasFocus()) {
        painter.setPen(QPen(theme.highlight, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(viewport()->rect()).adjusted(1, 1, -1, -1));
    }
}

void CompareStrip::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    relayout();
}

void CompareStrip::scrollContentsBy(int, int)
{
    refresh();
}

void CompareStrip::changeEvent(QEvent* event)
{
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange)
        rebuild();
}

void CompareStrip::focusInEvent(QFocusEvent* event)
{
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void CompareStrip::focusOutEvent(QFocusEvent* event)
{
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

} // namespace headscope::widgets
