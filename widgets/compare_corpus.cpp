// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare_corpus.h"

#include "widgets/message_label.h"
#include "widgets/number_text.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QStackedLayout>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::widgets {

CompareCorpus::CompareCorpus(QWidget* parent)
    : QWidget(parent), m_model(new TokenDifferenceItemModel(this)), m_summary(new QLabel), m_table(new QTableView),
      m_message(makeMessageLabel(this)), m_stack(new QStackedLayout(this))
{
    m_table->setModel(m_model);
    m_table->setAccessibleName(tr("Tokens and matched experts over the corpus"));
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->setTabKeyNavigation(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->verticalHeader()->setVisible(false);
    const QFontMetrics metrics(m_table->font());
    m_table->verticalHeader()->setMinimumSectionSize(metrics.height() + 3);
    m_table->verticalHeader()->setDefaultSectionSize(metrics.height() + 5);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setSortIndicatorClearable(true);
    m_table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
    m_table->setSortingEnabled(true);
    for (int column = 0; column < m_model->columnCount(); ++column) {
        const int title = metrics.horizontalAdvance(m_model->headerData(column, Qt::Horizontal).toString()) + 22;
        m_table->setColumnWidth(column,
                                column == TokenDifferenceItemModel::Token ? metrics.horizontalAdvance(u'M') * 13 : title);
    }
    m_summary->setWordWrap(true);
    m_summary->setForegroundRole(QPalette::PlaceholderText);
    auto* button = new QPushButton(tr("Export…"));
    button->setToolTip(tr("This table as CSV, TSV, JSON, Markdown or LaTeX"));
    connect(button, &QPushButton::clicked, this, &CompareCorpus::exportAsked);
    auto* line = new QHBoxLayout;
    line->setContentsMargins(8, 0, 8, 0);
    line->addWidget(m_summary, 1);
    line->addWidget(button, 0, Qt::AlignTop);
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    column->addLayout(line);
    column->addWidget(m_table, 1);
    m_stack->addWidget(m_message);
    m_stack->addWidget(page);
}

void CompareCorpus::setTokens(std::shared_ptr<const ComparedTokens> tokens)
{
    m_model->setTokens(tokens);
    if (!tokens)
        return;
    const core::CountedRouterComparison& pair = tokens->comparison->routers[tokens->router];
    m_summary->setText(tr("%1. As far as the token decides, agreement %2 (chance %3); divergence of the loads %4 bits. %5")
                           .arg(counted(m_model->rowCount(), tr("token with a pair of matched experts"),
                                        tr("tokens with pairs of matched experts")),
                                fixedNumber(pair.expectedAgreement, 3), fixedNumber(pair.chance, 3),
                                fixedNumber(pair.loadDivergence, 3),
                                tokens->comparison->sameCorpus ? tr("Both were counted on one corpus.")
                                                               : tr("The two were counted on different corpora.")));
    m_summary->setToolTip(QString::fromStdString(tokens->comparison->whyMatching));
    m_stack->setCurrentIndex(1);
}

void CompareCorpus::setMessage(const QString& sentence)
{
    m_message->setText(sentence);
    m_stack->setCurrentIndex(0);
}

QString CompareCorpus::summary() const
{
    return m_summary->text();
}

QString CompareCorpus::message() const
{
    return m_stack->currentIndex() == 0 ? m_message->text() : QString();
}

void CompareCorpus::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    Q_EMIT shown();
}

} // namespace headscope::widgets
