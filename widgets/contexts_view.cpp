// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/contexts_view.h"

#include "widgets/context_delegate.h"
#include "widgets/context_item_model.h"
#include "widgets/flat_header.h"
#include "widgets/number_text.h"
#include "widgets/visible_text.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

QString number(std::uint64_t count)
{
    return countText(static_cast<std::int64_t>(count));
}

/// "2 898 occurrences in 365 windows; 100 of the windows run, with 801 occurrences"
QString summaryOf(const core::Contexts& contexts, bool isSearching)
{
    if (contexts.windows == 0)
        return isSearching ? QString() : ContextsView::tr("It does not occur in this corpus.");
    QString text = ContextsView::tr("%1 in %2")
                       .arg(counted(static_cast<std::int64_t>(contexts.corpus.positions), ContextsView::tr("occurrence"),
                                    ContextsView::tr("occurrences")),
                            counted(static_cast<std::int64_t>(contexts.windows), ContextsView::tr("window"),
                                    ContextsView::tr("windows")));
    if (contexts.behind > 0)
        text += ContextsView::tr(", besides %1 behind documents, which do not count").arg(number(contexts.behind));
    if (!contexts.whole())
        text +=
            ContextsView::tr("; %1 of the windows run, with %2")
                .arg(number(contexts.windowsRun), counted(static_cast<std::int64_t>(contexts.positionsRun),
                                                          ContextsView::tr("occurrence"), ContextsView::tr("occurrences")));
    return text;
}

} // namespace

ContextsView::ContextsView(QWidget* parent) : QWidget(parent), m_model(new ContextItemModel(this))
{
    makeTable();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHeader());
    column->addWidget(m_table, 1);
    setSearching(std::nullopt);
    setNote({});
    showWhat();
}

QWidget* ContextsView::makeHeader()
{
    m_title = new QLabel;
    QFont bold = m_title->font();
    bold.setBold(true);
    m_title->setFont(bold);
    m_title->setTextFormat(Qt::PlainText);
    m_summary = new QLabel;
    m_summary->setForegroundRole(QPalette::PlaceholderText);
    m_summary->setMinimumWidth(0);
    m_summary->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_note = new QLabel;
    m_note->setWordWrap(true);
    m_note->setTextFormat(Qt::PlainText);
    m_note->setContentsMargins(0, 0, 0, 2);

    m_search = new QWidget;
    auto* search = new QHBoxLayout(m_search);
    search->setContentsMargins(0, 0, 0, 0);
    m_progress = new QProgressBar;
    m_progress->setRange(0, 1000);
    m_progress->setTextVisible(false);
    m_progress->setMaximumHeight(12);
    m_progress->setFixedWidth(140);
    m_progress->setAccessibleName(tr("Progress of the search"));
    m_progressText = new QLabel;
    auto* stop = new QPushButton(tr("Stop"));
    stop->setObjectName(QStringLiteral("stopSearch"));
    stop->setToolTip(tr("What has been found so far stays"));
    connect(stop, &QPushButton::clicked, this, &ContextsView::stopAsked);
    search->addWidget(m_progressText);
    search->addWidget(m_progress);
    search->addWidget(stop);

    m_export = new QPushButton(tr("Export…"));
    m_export->setObjectName(QStringLiteral("exportContexts"));
    m_export->setToolTip(tr("These contexts as CSV, TSV, JSON, Markdown or LaTeX, by the end of the file's name"));
    connect(m_export, &QPushButton::clicked, this, &ContextsView::exportAsked);

    auto* close = new QToolButton;
    close->setText(QStringLiteral("\u00d7"));
    close->setAutoRaise(true);
    close->setToolTip(tr("Close the contexts"));
    close->setAccessibleName(tr("Close the contexts"));
    connect(close, &QToolButton::clicked, this, &ContextsView::closeAsked);

    auto* header = new QWidget;
    auto* column = new QVBoxLayout(header);
    column->setContentsMargins(8, 2, 4, 2);
    column->setSpacing(2);
    auto* line = new QHBoxLayout;
    line->addWidget(m_title);
    line->addSpacing(8);
    line->addWidget(m_summary, 1);
    line->addWidget(m_search);
    line->addWidget(m_export);
    line->addWidget(close);
    column->addLayout(line);
    column->addWidget(m_note);
    return header;
}

void ContextsView::makeTable()
{
    m_table = new QTableView;
    m_table->setModel(m_model);
    m_table->setItemDelegate(new ContextDelegate(m_table));
    m_table->setAccessibleName(tr("Contexts: keyword in context"));
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->setTabKeyNavigation(false);
    m_table->setCornerButtonEnabled(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_table->setMinimumHeight(60);
    m_table->verticalHeader()->hide();
    m_table->setHorizontalHeader(new FlatHeader(Qt::Horizontal));
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    widenColumns();
    connect(m_table, &QTableView::activated, this, [this](const QModelIndex& index) {
        if (const core::Context* context = m_model->context(index.row()))
            Q_EMIT activated(core::Context(*context)); // what hears it may replace the contexts
    });
}

void ContextsView::widenColumns()
{
    const QFontMetrics metrics(m_table->font());
    m_table->verticalHeader()->setMinimumSectionSize(metrics.height() + 2);
    m_table->verticalHeader()->setDefaultSectionSize(metrics.height() + 5);
    m_table->setColumnWidth(ContextItemModel::GateColumn, metrics.horizontalAdvance(QStringLiteral("00: 0.00")) + 20);
    m_table->setColumnWidth(ContextItemModel::OthersColumn, metrics.horizontalAdvance(tr("other experts")) + 20);
    m_table->setColumnWidth(ContextItemModel::DocumentColumn, metrics.horizontalAdvance(u'M') * 13);
    m_table->setColumnWidth(ContextItemModel::RouterColumn,
                            metrics.horizontalAdvance(QStringLiteral("layers.00.self.v.h00")) + 12);
}

void ContextsView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange && m_table)
        widenColumns();
}

void ContextsView::setContexts(std::shared_ptr<const core::Contexts> contexts, const QString& row, std::optional<int> expert)
{
    const bool isSame = m_contexts && contexts && row == m_row && expert == m_expert;
    const int current = isSame ? m_table->currentIndex().row() : -1;
    m_contexts = std::move(contexts);
    m_row = row;
    m_expert = expert;
    m_model->setContexts(m_contexts, expert);
    m_table->clearSpans();
    for (int title = 0; title < m_model->rowCount(); ++title)
        if (m_model->isTitle(title))
            m_table->setSpan(title, 0, 1, ContextItemModel::columns);
    m_table->setColumnHidden(ContextItemModel::RouterColumn, !m_model->hasSeveralRouters());
    if (current > 0 && current < m_model->rowCount())
        m_table->setCurrentIndex(m_model->index(current, ContextItemModel::TextColumn));
    showWhat();
}

void ContextsView::setSearching(const std::optional<SearchState>& state)
{
    m_isSearching = state.has_value();
    m_search->setVisible(m_isSearching);
    if (state) {
        m_progress->setValue(static_cast<int>(std::lround(1000 * std::clamp(state->fraction, 0.0, 1.0))));
        m_progressText->setText(state->text);
    }
    showWhat();
}

void ContextsView::setNote(const QString& sentence)
{
    m_note->setText(sentence);
    m_note->setVisible(!sentence.isEmpty());
}

void ContextsView::showWhat()
{
    m_title->setText(m_row.isEmpty() ? tr("Contexts")
                     : m_expert      ? tr("Contexts of %1, expert %2").arg(isolated(m_row), QString::number(*m_expert))
                                     : tr("Contexts of %1").arg(isolated(m_row)));
    m_export->setEnabled(m_contexts != nullptr && !m_isSearching);
    const QString summary = m_contexts ? summaryOf(*m_contexts, m_isSearching) : QString();
    m_summary->setText(summary);
    m_summary->setToolTip(summary);
}

QString ContextsView::title() const
{
    return m_title->text();
}

QString ContextsView::note() const
{
    return m_note->text();
}

} // namespace headscope::widgets
