// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cost_view.h"

#include "widgets/custom_plot.h"
#include "widgets/number_text.h"
#include "widgets/palette.h"
#include "widgets/plot_theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSpinBox>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>

namespace headscope::widgets {

namespace {

constexpr int longest = 1 << 20;
constexpr int memories = 4;         // 0, 1, 2, 3 times the length
constexpr std::array colours{0, 1}; // of A and B, of the palette

struct Row {
    QString title;
    QString a, b;
};

QString sized(double value)
{
    constexpr std::array units{"", "k", "M", "G", "T", "P"};
    std::size_t unit = 0;
    while (std::abs(value) >= 1000 && unit + 1 < units.size()) {
        value /= 1000;
        ++unit;
    }
    const int decimals = unit == 0 ? 0 : std::abs(value) < 10 ? 2 : 1;
    return QStringLiteral("%1 %2").arg(fixedNumber(value, decimals), QLatin1String(units[unit])).trimmed();
}

std::vector<Row> rowsOf(const core::ModelInfo& a, const core::ModelInfo& b, const core::SequenceLength& length)
{
    const core::ModelCost ofA = core::modelCost(a, length);
    const core::ModelCost ofB = core::modelCost(b, length);
    const auto row = [&](const QString& title, auto member) {
        return Row{title, countText(ofA.all.*member), countText(ofB.all.*member)};
    };
    const auto size = [&](const QString& title, auto member) {
        return Row{title, sized(ofA.all.*member), sized(ofB.all.*member)};
    };
    using Cost = core::AttentionCost;
    return {size(CostView::tr("multiply-accumulates"), &Cost::multiplyAccumulates),
            size(CostView::tr("of the routers, besides"), &Cost::routing),
            size(CostView::tr("stored floats"), &Cost::storedFloats),
            row(CostView::tr("attention matrices"), &Cost::attentionMatrices),
            row(CostView::tr("projection matrices stored"), &Cost::matricesStored),
            row(CostView::tr("projection matrices computed"), &Cost::matricesComputed),
            row(CostView::tr("parameters of projections"), &Cost::parameters),
            {CostView::tr("parameters of the model"), countText(a.parameters), countText(b.parameters)}};
}

/// Lengths from a sixteenth to sixteen times the chosen one, each the next but by a factor.
std::vector<std::int64_t> lengthsAround(std::int64_t tokens)
{
    constexpr int steps = 64;
    std::vector<std::int64_t> lengths;
    for (int i = 0; i <= steps; ++i) {
        const double factor = std::pow(2.0, -4.0 + 8.0 * i / steps);
        const auto next = static_cast<std::int64_t>(std::llround(static_cast<double>(tokens) * factor));
        if (next > 0 && (lengths.empty() || next > lengths.back()))
            lengths.push_back(next);
    }
    return lengths;
}

} // namespace

CostView::CostView(QWidget* parent) : QWidget(parent)
{
    m_table = new QTableWidget(0, 3);
    m_table->setHorizontalHeaderLabels({QString(), tr("A"), tr("B")});
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setSelectionMode(QAbstractItemView::NoSelection);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setShowGrid(false);
    m_table->setTabKeyNavigation(false);
    m_table->verticalHeader()->hide();
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->verticalHeader()->setDefaultSectionSize(QFontMetrics(m_table->font()).height() + 5);
    m_table->verticalHeader()->setMinimumSectionSize(QFontMetrics(m_table->font()).height() + 3);
    m_table->setAccessibleName(tr("What the attention of both models costs"));
    m_note = new QLabel(tr("All layers, one sequence, counted as in the SwitchHead paper (Eq. 11–13)."));
    m_note->setWordWrap(true);
    m_note->setForegroundRole(QPalette::PlaceholderText);
    m_note->setContentsMargins(8, 0, 8, 4);

    m_plot = new QCustomPlot;
    m_plot->setMinimumSize(220, 140);
    m_plot->setAccessibleName(tr("Cost over the length of the sequence"));
    m_plot->xAxis->setLabel(tr("tokens"));
    for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
        axis->setScaleType(QCPAxis::stLogarithmic);
        axis->setTicker(QSharedPointer<QCPAxisTickerLog>::create());
        axis->setNumberFormat(QStringLiteral("eb"));
        axis->setNumberPrecision(0);
    }
    for (const QString& name : {tr("A"), tr("B")})
        m_plot->addGraph()->setName(name);
    m_plot->legend->setVisible(true);
    m_plot->axisRect()->insetLayout()->setInsetAlignment(0, Qt::AlignLeft | Qt::AlignTop);

    auto* left = new QVBoxLayout;
    left->setSpacing(2);
    left->addWidget(makeChoices());
    left->addWidget(m_table, 1);
    left->addWidget(m_note);
    auto* line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->addLayout(left, 1);
    line->addWidget(m_plot, 1);
    recolor();
}

QWidget* CostView::makeChoices()
{
    m_tokens = new QSpinBox;
    m_tokens->setRange(1, longest);
    m_tokens->setAccessibleName(tr("Tokens of the sequence"));
    m_tokens->setKeyboardTracking(true);
    m_memory = new QComboBox;
    m_memory->setAccessibleName(tr("Memory before the sequence"));
    m_memory->setToolTip(tr("Tokens before the sequence that are attended to (Transformer-XL memory)"));
    m_memory->addItem(tr("no memory"));
    for (int i = 1; i < memories; ++i)
        m_memory->addItem(tr("memory of %1 ×").arg(i));
    m_quantity = new QComboBox;
    m_quantity->setAccessibleName(tr("What the plot shows"));
    m_quantity->addItems({tr("multiply-accumulates"), tr("stored floats")});
    connect(m_tokens, &QSpinBox::valueChanged, this, [this] {
        showTable();
        showPlot();
    });
    connect(m_memory, &QComboBox::currentIndexChanged, this, [this] {
        showTable();
        showPlot();
    });
    connect(m_quantity, &QComboBox::currentIndexChanged, this, [this] { showPlot(); });
    auto* choices = new QWidget;
    auto* line = new QHBoxLayout(choices);
    line->setContentsMargins(8, 0, 8, 0);
    line->addWidget(new QLabel(tr("tokens:")));
    line->addWidget(m_tokens);
    line->addWidget(m_memory);
    line->addStretch(1);
    line->addWidget(new QLabel(tr("plot:")));
    line->addWidget(m_quantity);
    return choices;
}

void CostView::setModels(std::shared_ptr<const core::ModelInfo> a, std::shared_ptr<const core::ModelInfo> b)
{
    if (a == m_a && b == m_b)
        return;
    m_a = std::move(a);
    m_b = std::move(b);
    if (m_a && m_b) {
        if (const auto trained = core::trainedLength(*m_a))
            setLength(*trained);
        else if (const auto other = core::trainedLength(*m_b))
            setLength(*other);
    }
    showTable();
    showPlot();
}

void CostView::setLength(const core::SequenceLength& length)
{
    m_tokens->setValue(static_cast<int>(std::clamp<std::int64_t>(length.tokens, 1, longest)));
    const auto memory =
        length.tokens == 0 ? 0 : std::lround(static_cast<double>(length.memory) / static_cast<double>(length.tokens));
    m_memory->setCurrentIndex(static_cast<int>(std::clamp<long>(memory, 0, memories - 1)));
}

void CostView::setQuantity(Quantity quantity)
{
    m_quantity->setCurrentIndex(static_cast<int>(quantity));
}

core::SequenceLength CostView::length() const
{
    return {.tokens = m_tokens->value(), .memory = std::int64_t{m_tokens->value()} * m_memory->currentIndex()};
}

CostView::Quantity CostView::quantity() const
{
    return static_cast<Quantity>(m_quantity->currentIndex());
}

void CostView::showTable()
{
    const auto rows = m_a && m_b ? rowsOf(*m_a, *m_b, length()) : std::vector<Row>();
    m_table->setRowCount(static_cast<int>(rows.size()));
    for (int row = 0; row < m_table->rowCount(); ++row) {
        const Row& from = rows[static_cast<std::size_t>(row)];
        const std::array texts{from.title, from.a, from.b};
        for (int column = 0; column < 3; ++column) {
            auto* item = new QTableWidgetItem(texts[static_cast<std::size_t>(column)]);
            item->setTextAlignment((column == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
            m_table->setItem(row, column, item);
        }
    }
}

double CostView::value(const core::ModelInfo& model, const core::SequenceLength& length) const
{
    const core::AttentionCost cost = core::modelCost(model, length).all;
    return quantity() == Quantity::MultiplyAccumulates ? cost.multiplyAccumulates : cost.storedFloats;
}

void CostView::showPlot()
{
    for (int graph = 0; graph < m_plot->graphCount(); ++graph)
        m_plot->graph(graph)->data()->clear();
    if (m_a && m_b) {
        const core::SequenceLength now = length();
        for (const std::int64_t tokens : lengthsAround(now.tokens)) {
            const core::SequenceLength at{.tokens = tokens, .memory = tokens * m_memory->currentIndex()};
            m_plot->graph(0)->addData(static_cast<double>(tokens), value(*m_a, at));
            m_plot->graph(1)->addData(static_cast<double>(tokens), value(*m_b, at));
        }
    }
    m_plot->yAxis->setLabel(m_quantity->currentText());
    m_plot->rescaleAxes();
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void CostView::recolor()
{
    const Theme theme = themeOf(palette());
    setPlotTheme(*m_plot, theme, font());
    for (int graph = 0; graph < m_plot->graphCount(); ++graph)
        m_plot->graph(graph)->setPen(
            QPen(expertColor(colours[static_cast<std::size_t>(graph)]), 2, graph == 0 ? Qt::SolidLine : Qt::DashLine));
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void CostView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        recolor();
}

QString CostView::cell(int row, int column) const
{
    const QTableWidgetItem* const item = m_table->item(row, column + 1);
    return item == nullptr ? QString() : item->text();
}

QString CostView::rowTitle(int row) const
{
    const QTableWidgetItem* const item = m_table->item(row, 0);
    return item == nullptr ? QString() : item->text();
}

int CostView::rows() const
{
    return m_table->rowCount();
}

std::pair<double, double> CostView::plotted(std::int64_t tokens) const
{
    const auto at = [&](int graph) {
        const auto found = m_plot->graph(graph)->data()->findBegin(static_cast<double>(tokens), false);
        return found == m_plot->graph(graph)->data()->constEnd() ? std::nan("") : found->value;
    };
    return {at(0), at(1)};
}

} // namespace headscope::widgets
