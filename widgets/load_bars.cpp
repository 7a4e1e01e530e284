// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/load_bars.h"

#include "widgets/custom_plot.h"
#include "widgets/number_text.h"
#include "widgets/oklab.h"
#include "widgets/palette.h"
#include "widgets/plot_theme.h"
#include "widgets/theme.h"

#include <QHelpEvent>
#include <QLabel>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headscope::widgets {

namespace {

constexpr double barWidth = 0.38; // of the distance between experts; two bars each

double sum(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0);
}

QString deadExperts(const core::Load& load)
{
    constexpr int most = 12;
    QStringList names;
    for (std::size_t expert = 0; expert < load.selections.size(); ++expert)
        if (load.selections[expert] == 0)
            names << QString::number(expert);
    const auto more = names.size() - most;
    if (more > 0)
        names = names.mid(0, most) << QStringLiteral("… (%1 more)").arg(more);
    return names.join(QStringLiteral(", "));
}

} // namespace

QString loadSentence(const core::Load& load, std::int64_t positions)
{
    if (positions == 0)
        return {};
    QString text = QStringLiteral("Entropy %1 of log E; uniform routing would give about %2 with %3.")
                       .arg(fixedNumber(load.entropy, 3), fixedNumber(load.expectedEntropy, 3),
                            counted(positions, QStringLiteral("token"), QStringLiteral("tokens")));
    if (load.dead > 0)
        text += QStringLiteral(" <b>Never chosen: %1.</b>").arg(deadExperts(load));
    return text;
}

LoadBars::LoadBars(QWidget* parent) : QWidget(parent), m_plot(new QCustomPlot), m_summary(new QLabel)
{
    m_summary->setWordWrap(true);
    m_summary->setTextFormat(Qt::RichText);
    m_summary->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_summary->setContentsMargins(8, 0, 8, 8);
    m_plot->setParent(this);
    m_summary->setParent(this);
    setMinimumSize(160, 200);
    m_plot->setAccessibleName(tr("Load of the experts"));
    m_plot->installEventFilter(this);
    m_plot->setMouseTracking(true);
    m_plot->xAxis->setLabel(tr("expert"));
    m_plot->yAxis->setLabel(tr("share"));
    m_plot->axisRect()->setupFullAxesBox(true);
    m_plot->xAxis2->setTicks(false);
    m_plot->yAxis2->setTicks(false);
    m_plot->xAxis->grid()->setVisible(false);
    m_plot->legend->setVisible(false);
}

void LoadBars::setSite(const std::shared_ptr<const core::SiteRouting>& site, int head)
{
    if (site)
        setLoad(core::loadOf(*site, head), site->tokens, site->router.chosen);
    else
        setLoad({}, 0, 0);
}

void LoadBars::setLoad(core::Load load, std::int64_t positions, int chosen)
{
    m_load = std::move(load);
    m_positions = positions;
    m_chosen = chosen;
    fill();
}

void LoadBars::setMarkedExpert(std::optional<int> expert)
{
    if (expert == m_marked)
        return;
    m_marked = expert;
    recolor();
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

double LoadBars::shareOfSelections(int expert) const
{
    const auto all = std::accumulate(m_load.selections.begin(), m_load.selections.end(), std::int64_t{0});
    return all > 0 ? static_cast<double>(m_load.selections[static_cast<std::size_t>(expert)]) / static_cast<double>(all) : 0;
}

double LoadBars::shareOfGates(int expert) const
{
    const double all = sum(m_load.gateMass);
    return all > 0 ? m_load.gateMass[static_cast<std::size_t>(expert)] / all : 0;
}

void LoadBars::fill()
{
    const int experts = static_cast<int>(m_load.selections.size());
    if (m_plot->plottableCount() != 2 * experts)
        makeBars(experts);
    double largest = experts > 0 ? 1.0 / experts : 0;
    for (int expert = 0; expert < experts; ++expert) {
        const double selections = shareOfSelections(expert);
        const double gates = shareOfGates(expert);
        largest = std::max({largest, selections, gates});
        const auto set = [&](int place, double offset, double value) {
            qobject_cast<QCPBars*>(m_plot->plottable(place))->setData({expert + offset}, {value}, true);
        };
        set(2 * expert, -barWidth / 2, selections);
        set(2 * expert + 1, barWidth / 2, gates);
    }
    m_plot->yAxis->setRange(0, std::max(largest * 1.08, 0.01));
    writeSummary();
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

/// Two bars for each expert: a bar object has one colour.
void LoadBars::makeBars(int experts)
{
    m_plot->clearPlottables();
    m_plot->clearItems();
    m_uniform = nullptr;
    for (int bar = 0; bar < 2 * experts; ++bar) {
        auto* bars = new QCPBars(m_plot->xAxis, m_plot->yAxis);
        bars->setWidth(barWidth);
        bars->setProperty("expert", bar / 2);
    }
    if (experts > 0) {
        m_uniform = new QCPItemStraightLine(m_plot);
        m_uniform->point1->setCoords(0, 1.0 / experts);
        m_uniform->point2->setCoords(1, 1.0 / experts);
    }
    QSharedPointer<QCPAxisTickerFixed> ticker(new QCPAxisTickerFixed);
    ticker->setTickStep(std::max(1.0, std::ceil(experts / 16.0)));
    m_plot->xAxis->setTicker(ticker);
    m_plot->xAxis->setSubTicks(false);
    m_plot->xAxis->setRange(-0.6, std::max(experts, 1) - 0.4);
    recolor();
    setPlotTheme(*m_plot, themeOf(palette()), font());
}

void LoadBars::recolor()
{
    const Theme theme = themeOf(palette());
    for (int i = 0; i < m_plot->plottableCount(); ++i) {
        auto* bars = qobject_cast<QCPBars*>(m_plot->plottable(i));
        const int expert = bars->property("expert").toInt();
        const QColor color = expertColor(expert);
        const bool gates = i % 2 == 1;
        bars->setBrush(gates ? mix(theme.base, color, 0.4) : color);
        bars->setPen(m_marked == expert ? QPen(theme.highlight, 2) : QPen(color, 1));
    }
    if (m_uniform)
        m_uniform->setPen(QPen(theme.text, 1, Qt::DashLine));
}

void LoadBars::writeSummary()
{
    if (m_positions == 0) {
        m_summary->clear();
        return arrange();
    }
    m_summary->setText(tr("Full colour: share of selections. Pale: share of gate mass. Dashed line: uniform, 1/%1.<br>")
                           .arg(m_load.selections.size()) +
                       loadSentence(m_load, m_positions));
    arrange();
}

/// By hand and not by a layout: the summary changes with every keystroke, and a layout would arrange the whole window anew.
void LoadBars::arrange()
{
    const int words = m_summary->text().isEmpty() ? 0 : m_summary->heightForWidth(width());
    m_summary->setGeometry(0, height() - words, width(), words);
    m_plot->setGeometry(0, 0, width(), std::max(height() - words - 4, 0));
}

void LoadBars::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

QString LoadBars::summary() const
{
    return m_summary->text();
}

QRect LoadBars::barRect(int expert) const
{
    const auto x = [this](double place) { return static_cast<int>(std::lround(m_plot->xAxis->coordToPixel(place))); };
    const QRect axes = m_plot->axisRect()->rect();
    return {QPoint(x(expert - 0.5), axes.top()) + m_plot->pos(), QPoint(x(expert + 0.5), axes.bottom()) + m_plot->pos()};
}

int LoadBars::expertAt(const QPoint& pixel) const
{
    if (!m_plot->axisRect()->rect().contains(pixel))
        return -1;
    const int expert = static_cast<int>(std::lround(m_plot->xAxis->pixelToCoord(pixel.x())));
    return expert >= 0 && expert < static_cast<int>(m_load.selections.size()) ? expert : -1;
}

QString LoadBars::toolTip(int expert) const
{
    const auto place = static_cast<std::size_t>(expert);
    return tr("expert %1\n%2 of %3 selections (share %4)\ngate mass %5 (share %6)")
        .arg(QString::number(expert), countText(m_load.selections[place]), countText(m_positions * m_chosen),
             readableNumber(shareOfSelections(expert)), readableNumber(m_load.gateMass[place]),
             readableNumber(shareOfGates(expert)));
}

bool LoadBars::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != m_plot)
        return QWidget::eventFilter(watched, event);
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int expert = expertAt(help->pos());
        QToolTip::showText(help->globalPos(), expert < 0 ? QString() : toolTip(expert), m_plot);
        return true;
    }
    if (event->type() == QEvent::MouseButtonRelease) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        const int expert = expertAt(mouse->position().toPoint());
        if (mouse->button() == Qt::LeftButton && expert >= 0)
            Q_EMIT expertChosen(expert);
    }
    return QWidget::eventFilter(watched, event);
}

void LoadBars::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        recolor();
        setPlotTheme(*m_plot, themeOf(palette()), font());
        m_plot->replot(QCustomPlot::rpQueuedReplot);
    }
}

} // namespace headscope::widgets
