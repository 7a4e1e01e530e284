// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/token_table.h"

#include "widgets/expert_delegate.h"
#include "widgets/flat_header.h"
#include "widgets/theme.h"

#include <QAbstractButton>
#include <QEvent>
#include <QHeaderView>
#include <QMouseEvent>
#include <QPainter>
#include <QScopedValueRollback>

#include <algorithm>

namespace headscope::widgets {

TokenTable::TokenTable(TokenItemModel* model, QWidget* parent) : QTableView(parent), m_model(model)
{
    setModel(model);
    setItemDelegate(new ExpertDelegate(this));
    setSelectionMode(NoSelection); // rows are selected by what the shared selection says
    setShowGrid(false);
    setFrameShape(NoFrame);
    setMouseTracking(true);
    setHorizontalScrollMode(ScrollPerPixel);
    setCornerButtonEnabled(false);
    setWordWrap(false);
    setTabKeyNavigation(false);
    setHorizontalHeader(new FlatHeader(Qt::Horizontal));
    setVerticalHeader(new FlatHeader(Qt::Vertical));
    for (QHeaderView* header : {horizontalHeader(), verticalHeader()}) {
        // A head selects by the shared selection too.
        disconnect(header, &QHeaderView::sectionPressed, this, nullptr);
        disconnect(header, &QHeaderView::sectionEntered, this, nullptr);
    }
    if (auto* corner = findChild<QAbstractButton*>()) // where the heads meet; the style's bevel would stand out
        corner->installEventFilter(this);
    verticalHeader()->setMaximumWidth(180);
    connect(verticalHeader(), &QHeaderView::sectionClicked, this, [this](int row) { choose(row, -1); });
    connect(horizontalHeader(), &QHeaderView::sectionClicked, this, &TokenTable::headerChosen);
    connect(this, &QTableView::clicked, this, [this](const QModelIndex& index) { choose(index.row(), index.column()); });
    const auto followQuietly = [this] { follow(Scroll::No); };
    connect(model, &QAbstractItemModel::dataChanged, this, followQuietly);
    connect(model, &QAbstractItemModel::rowsInserted, this, followQuietly);
    connect(model, &QAbstractItemModel::modelReset, this, followQuietly);
    sizeRows();
}

void TokenTable::sizeRows()
{
    const QFontMetrics metrics(font());
    verticalHeader()->setMinimumSectionSize(metrics.height() + 4);
    verticalHeader()->setDefaultSectionSize(metrics.height() + 7);
    horizontalHeader()->setDefaultSectionSize(metrics.horizontalAdvance(QStringLiteral("−0.000")) + 16);
}

void TokenTable::changeEvent(QEvent* event)
{
    QTableView::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        sizeRows();
}

void TokenTable::setSelection(Selection* selection)
{
    if (m_selection)
        disconnect(m_selection, nullptr, this, nullptr);
    m_selection = selection;
    if (m_selection)
        connect(m_selection, &Selection::changed, this, [this](Selection::Fields what) {
            using enum Selection::Field;
            if (what & (Selection::Fields(Bytes) | Stream | Hover))
                follow(what & (Selection::Fields(Bytes) | Stream) ? Scroll::ToSelection : Scroll::No);
        });
    follow(Scroll::ToSelection);
}

void TokenTable::setMarkedColumn(int column)
{
    if (column == m_markedColumn)
        return;
    m_markedColumn = column;
    viewport()->update();
}

bool TokenTable::eventFilter(QObject* watched, QEvent* event)
{
    auto* corner = qobject_cast<QAbstractButton*>(watched);
    if (!corner || event->type() != QEvent::Paint)
        return QTableView::eventFilter(watched, event);
    QPainter painter(corner);
    const Theme theme = themeOf(palette());
    painter.fillRect(corner->rect(), theme.window);
    painter.setPen(theme.grid);
    painter.drawLine(corner->rect().bottomLeft(), corner->rect().bottomRight());
    return true;
}

core::TokenRange TokenTable::rowsOf(const std::optional<core::ByteRange>& bytes) const
{
    if (!bytes || !m_selection || m_selection->state().stream != m_model->stream() || m_model->rowCount() == 0)
        return {};
    return core::tokensTouching(m_model->trace()->text(m_model->stream()).tokens, *bytes);
}

void TokenTable::reveal(std::size_t byte)
{
    if (m_model->rowCount() == 0)
        return;
    const auto rows = core::tokensTouching(m_model->trace()->text(m_model->stream()).tokens, {byte, byte + 1});
    if (!rows.empty())
        scrollTo(m_model->index(static_cast<int>(rows.first), std::max(columnAt(0), 0)));
}

void TokenTable::follow(Scroll scroll)
{
    if (!m_selection)
        return;
    const QScopedValueRollback guard(m_following, true);
    const core::TokenRange selected = rowsOf(m_selection->state().bytes);
    const core::TokenRange hovered = rowsOf(m_selection->state().hover);
    if (hovered != m_hoveredRows) {
        viewport()->update(rectOf(m_hoveredRows));
        m_hoveredRows = hovered;
        viewport()->update(rectOf(m_hoveredRows));
    }
    m_selectedRows = selected;
    viewport()->update();
    if (selected.empty()) {
        selectionModel()->clearSelection();
        return;
    }
    const int first = static_cast<int>(selected.first);
    const int last = static_cast<int>(selected.last) - 1;
    selectionModel()->select(QItemSelection(m_model->index(first, 0), m_model->index(last, m_model->columnCount() - 1)),
                             QItemSelectionModel::ClearAndSelect);
    const QModelIndex current = currentIndex();
    if (!current.isValid() || current.row() < first || current.row() > last)
        selectionModel()->setCurrentIndex(m_model->index(first, std::max(current.column(), 0)),
                                          QItemSelectionModel::NoUpdate);
    if (scroll == Scroll::ToSelection)
        scrollTo(m_model->index(currentIndex().row(), std::max(currentIndex().column(), 0)));
}

void TokenTable::choose(int row, int column)
{
    if (m_selection) {
        SelectionState state = m_selection->state();
        state.stream = m_model->stream();
        state.bytes = m_model->token(row).span;
        m_selection->setState(state);
    }
    Q_EMIT columnChosen(row, column);
}

void TokenTable::currentChanged(const QModelIndex& current, const QModelIndex& previous)
{
    QTableView::currentChanged(current, previous);
    if (current.isValid() && !m_following)
        choose(current.row(), current.column());
}

void TokenTable::pointAt(int row)
{
    if (!m_selection || m_selection->state().stream != m_model->stream())
        return;
    m_selection->setHover(row < 0 ? std::nullopt : std::optional(m_model->token(row).span));
}

void TokenTable::mouseMoveEvent(QMouseEvent* event)
{
    QTableView::mouseMoveEvent(event);
    pointAt(rowAt(event->position().toPoint().y()));
}

bool TokenTable::viewportEvent(QEvent* event)
{
    if (event->type() == QEvent::Leave)
        pointAt(-1);
    return QTableView::viewportEvent(event);
}

QRect TokenTable::rectOf(core::TokenRange rows) const
{
    if (rows.empty() || rows.last > static_cast<std::size_t>(m_model->rowCount()))
        return {};
    const int first = static_cast<int>(rows.first);
    const int last = static_cast<int>(rows.last) - 1;
    const int top = rowViewportPosition(first);
    const int width = std::min(horizontalHeader()->length() - horizontalHeader()->offset(), viewport()->width());
    return {0, top, width, rowViewportPosition(last) + rowHeight(last) - top};
}

void TokenTable::paintEvent(QPaintEvent* event)
{
    QTableView::paintEvent(event);
    const Theme theme = themeOf(palette());
    QPainter painter(viewport());
    const auto outline = [&painter](const QRect& rect, const QColor& color, int width) {
        if (rect.isEmpty())
            return;
        const double inset = width / 2.0;
        painter.setPen(QPen(color, width, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        painter.drawRect(QRectF(rect).adjusted(inset, inset, -inset, -inset));
    };
    if (m_markedColumn >= 0 && m_markedColumn < m_model->columnCount() && m_model->rowCount() > 0) {
        const int left = columnViewportPosition(m_markedColumn);
        const int bottom = std::min(viewport()->height(), verticalHeader()->length() - verticalHeader()->offset());
        outline(QRect(left, -4, columnWidth(m_markedColumn), bottom + 4), theme.highlight, 1);
    }
    outline(rectOf(m_hoveredRows), theme.hover, 1);
    outline(rectOf(m_selectedRows), theme.highlight, 2);
}

} // namespace headscope::widgets
