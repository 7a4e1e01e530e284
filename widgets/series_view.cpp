// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/series_view.h"

#include "widgets/choice_button.h"
#include "widgets/custom_plot.h"
#include "widgets/message_label.h"
#include "widgets/number_text.h"
#include "widgets/palette.h"
#include "widgets/plot_theme.h"
#include "widgets/stale_veil.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSlider>
#include <QStackedLayout>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>

namespace headscope::widgets {

namespace {

struct Style {
    int color = 0; // of the palette
    Qt::PenStyle line = Qt::SolidLine;
    QCPScatterStyle::ScatterShape mark = QCPScatterStyle::ssDisc;
};
/// By curve; marks differ so that colours are not needed.
constexpr std::array<Style, SeriesView::curves> styles{{{0, Qt::SolidLine, QCPScatterStyle::ssDisc},
                                                        {0, Qt::DashLine, QCPScatterStyle::ssNone},
                                                        {1, Qt::SolidLine, QCPScatterStyle::ssSquare},
                                                        {2, Qt::SolidLine, QCPScatterStyle::ssTriangle},
                                                        {5, Qt::DotLine, QCPScatterStyle::ssDiamond}}};

QString addressText(const core::RouterAddress& address)
{
    return QString::fromStdString(address.toString());
}

} // namespace

SeriesView::SeriesView(QWidget* parent) : QWidget(parent)
{
    m_body = new QWidget;
    auto* rows = new QVBoxLayout(m_body);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    rows->addWidget(makePlot(), 1);
    rows->addWidget(makeSlider());
    auto* stacked = new QWidget;
    m_message = makeMessageLabel(stacked);
    m_message->setText(
        tr("Open the folder that holds the checkpoints of one run (model-400.pth, model-800.pth, …) to see how "
           "its routing settles: every step runs on the text above, one after the other."));
    m_stack = new QStackedLayout(stacked);
    m_stack->addWidget(m_message);
    m_stack->addWidget(m_body);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeHeader());
    column->addWidget(stacked, 1);
    m_veil = new StaleVeil(m_body);
    m_veil->setObjectName(QStringLiteral("stale"));
    recolor();
    showAll();
    setProgress(std::nullopt);
}

QWidget* SeriesView::makeHeader()
{
    m_title = new QLabel(tr("A run"));
    QFont bold = m_title->font();
    bold.setBold(true);
    m_title->setFont(bold);
    m_about = new QLabel;
    m_about->setForegroundRole(QPalette::PlaceholderText);
    for (QLabel* label : {m_title, m_about})
        label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* words = new QVBoxLayout;
    words->setSpacing(2);
    words->addWidget(m_title);
    words->addWidget(m_about);
    auto* top = new QHBoxLayout;
    top->addLayout(words, 1);
    m_choice = new QButtonGroup(this);
    for (const QString& text : {tr("All routers"), tr("Chosen router")}) {
        auto* button = new ChoiceButton;
        button->setText(text);
        button->setCheckable(true);
        m_choice->addButton(button, static_cast<int>(m_choice->buttons().size()));
        top->addWidget(button);
    }
    m_choice->button(0)->setChecked(true);
    connect(m_choice, &QButtonGroup::idClicked, this, [this](int id) { setWhich(static_cast<Which>(id)); });
    const auto add = [top](const QString& text, const QString& toolTip) {
        auto* button = new QPushButton(text);
        button->setToolTip(toolTip);
        top->addWidget(button);
        return button;
    };
    QPushButton* open = add(tr("&Open a run…"), tr("The folder that holds the checkpoints of one run"));
    m_again = add(tr("&Run again"), tr("Every step on the text as it is now"));
    m_export = add(tr("E&xport…"), tr("Every router at every step, as CSV, TSV, JSON, Markdown or LaTeX"));
    connect(open, &QPushButton::clicked, this, &SeriesView::openAsked);
    connect(m_again, &QPushButton::clicked, this, &SeriesView::runAsked);
    connect(m_export, &QPushButton::clicked, this, &SeriesView::exportAsked);

    m_running = new QWidget;
    auto* line = new QHBoxLayout(m_running);
    line->setContentsMargins(0, 0, 0, 0);
    m_progress = new QProgressBar;
    m_progress->setRange(0, 1000);
    m_progress->setTextVisible(false);
    m_progress->setMaximumHeight(12);
    m_progress->setAccessibleName(tr("Progress of the run"));
    m_stage = new QLabel;
    auto* stop = new QPushButton(tr("Stop"));
    connect(stop, &QPushButton::clicked, this, &SeriesView::stopAsked);
    line->addWidget(m_progress, 1);
    line->addWidget(m_stage);
    line->addWidget(stop);
    auto* header = new QWidget;
    auto* column = new QVBoxLayout(header);
    column->setContentsMargins(8, 6, 8, 4);
    column->setSpacing(4);
    column->addLayout(top);
    column->addWidget(m_running);
    return header;
}

QWidget* SeriesView::makePlot()
{
    m_plot = new QCustomPlot;
    m_plot->setMinimumSize(260, 160);
    m_plot->setAccessibleName(tr("Routing over the steps of the run"));
    m_plot->xAxis->setLabel(tr("step"));
    m_plot->yAxis->setLabel(tr("share of the choices; entropy"));
    m_plot->yAxis->setRange(0, 1.02);
    m_plot->yAxis2->setVisible(true);
    m_plot->yAxis2->setLabel(tr("bits per byte"));
    m_plot->yAxis2->grid()->setVisible(false);
    const std::array names{tr("chosen by the last step too (saturation)"), tr("… by chance"),
                           tr("chosen by the next step too"), tr("entropy of the load"), tr("bits per byte (right)")};
    for (int i = 0; i < curves; ++i) {
        const bool right = static_cast<Curve>(i) == Curve::BitsPerByte;
        m_plot->addGraph(m_plot->xAxis, right ? m_plot->yAxis2 : m_plot->yAxis)->setName(names[static_cast<std::size_t>(i)]);
    }
    m_plot->legend->setVisible(true);
    auto* below = new QCPLayoutGrid; // a legend inside would cover curves
    m_plot->plotLayout()->addElement(1, 0, below);
    m_plot->plotLayout()->setRowStretchFactor(1, 0.001);
    below->addElement(0, 0, m_plot->legend);
    m_plot->legend->setFillOrder(QCPLegend::foColumnsFirst);
    below->setMargins(QMargins(4, 0, 4, 2));
    m_line = new QCPItemStraightLine(m_plot);
    m_line->point1->setCoords(0, 0);
    m_line->point2->setCoords(0, 1);
    return m_plot;
}

QWidget* SeriesView::makeSlider()
{
    m_slider = new QSlider(Qt::Horizontal);
    m_slider->setPageStep(1);
    m_slider->setTickPosition(QSlider::TicksBelow);
    m_slider->setTickInterval(1);
    m_slider->setAccessibleName(tr("Step"));
    connect(m_slider, &QSlider::valueChanged, this, &SeriesView::showReading);
    m_reading = new QLabel;
    m_reading->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_reading->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    auto* line = new QHBoxLayout;
    line->addWidget(m_reading, 1);
    for (const Target target : {Target::A, Target::B}) {
        auto* button = new QPushButton(target == Target::A ? tr("Open in A") : tr("Open in B"));
        button->setToolTip(tr("Opens the checkpoint of this step"));
        connect(button, &QPushButton::clicked, this, [this, target] { Q_EMIT memberAsked(member(), target); });
        line->addWidget(button);
        m_targets.push_back(button);
    }
    auto* widget = new QWidget;
    auto* column = new QVBoxLayout(widget);
    column->setContentsMargins(8, 4, 8, 6);
    column->addWidget(m_slider);
    column->addLayout(line);
    return widget;
}

void SeriesView::setSelection(Selection* selection)
{
    if (m_selection)
        m_selection->disconnect(this);
    m_selection = selection;
    if (selection)
        connect(selection, &Selection::changed, this, [this](Selection::Fields what) {
            if (what & Selection::Field::Router)
                showAll();
        });
    showAll();
}

void SeriesView::setSeries(std::shared_ptr<const core::Series> series, const QString& run)
{
    const int steps = series ? static_cast<int>(series->members.size()) : 0;
    const bool last = member() + 1 == m_slider->maximum() + 1 || !m_series;
    const std::int64_t step = m_series && !last ? m_series->members[static_cast<std::size_t>(member())].step : -1;
    m_series = std::move(series);
    m_run = run;
    m_slider->setRange(0, std::max(0, steps - 1));
    int place = steps - 1;
    for (int i = 0; i < steps; ++i) // the step that was looked at stays
        if (m_series->members[static_cast<std::size_t>(i)].step == step)
            place = i;
    m_slider->setValue(std::max(0, place));
    showAll();
}

void SeriesView::setProgress(std::optional<double> fraction, const QString& stage)
{
    m_running->setVisible(fraction.has_value());
    m_progress->setValue(static_cast<int>(fraction.value_or(0) * 1000));
    m_stage->setText(stage);
    m_again->setEnabled(!fraction && m_series);
    m_export->setEnabled(!fraction && m_series);
}

void SeriesView::setStale(bool stale)
{
    m_veil->setGeometry(m_body->rect());
    m_veil->setVisible(stale);
    m_veil->raise();
}

void SeriesView::setWhich(Which which)
{
    m_which = which;
    m_choice->button(static_cast<int>(which))->setChecked(true);
    showAll();
}

void SeriesView::setMember(int member)
{
    m_slider->setValue(member);
}

int SeriesView::member() const
{
    return m_slider->value();
}

const core::RouterSeries* SeriesView::chosenRouter() const
{
    const auto router = m_selection ? m_selection->state().router : std::nullopt;
    if (m_which != Which::ChosenRouter || !router || !m_series)
        return nullptr;
    const auto found = std::ranges::find(m_series->routers, *router, &core::RouterSeries::address);
    return found == m_series->routers.end() ? nullptr : &*found;
}

const std::vector<double>& SeriesView::values(Curve curve) const
{
    const core::RouterSeries* router = chosenRouter();
    switch (curve) {
    case Curve::Saturation: return router ? router->saturation : m_series->saturation;
    case Curve::Chance: return router ? router->chance : m_series->chance;
    case Curve::Next: return router ? router->next : m_series->next;
    case Curve::Entropy: return router ? router->entropy : m_series->entropy;
    case Curve::BitsPerByte: break;
    }
    return m_series->bitsPerByte;
}

void SeriesView::showAll()
{
    for (int i = 0; i < curves; ++i)
        m_plot->graph(i)->data()->clear();
    m_stack->setCurrentIndex(m_series ? 1 : 0);
    for (QPushButton* button : m_targets)
        button->setEnabled(m_series != nullptr);
    if (!m_series)
        return;
    const core::RouterSeries* router = chosenRouter();
    m_title->setText(m_run);
    if (router)
        m_about->setText(
            tr("%1: %2 of %3 experts").arg(addressText(router->address)).arg(router->chosen).arg(router->experts));
    else if (m_which == Which::ChosenRouter)
        m_about->setText(tr("This run does not have the chosen router: the mean of all is shown."));
    else
        m_about->setText(
            tr("Mean of %1").arg(counted(static_cast<std::int64_t>(m_series->routers.size()), tr("router"), tr("routers"))));
    for (int i = 0; i < curves; ++i) {
        const std::vector<double>& of = values(static_cast<Curve>(i));
        for (std::size_t step = 0; step < m_series->members.size() && step < of.size(); ++step)
            if (!std::isnan(of[step]))
                m_plot->graph(i)->addData(static_cast<double>(m_series->members[step].step), of[step]);
    }
    m_plot->xAxis->rescale();
    m_plot->xAxis->scaleRange(1.06);
    m_plot->yAxis2->rescale();
    m_plot->yAxis2->scaleRange(1.2);
    showReading();
}

void SeriesView::showReading()
{
    const auto at = static_cast<std::size_t>(member());
    if (!m_series || at >= m_series->members.size())
        return m_reading->clear();
    const auto value = [&](Curve curve) {
        const std::vector<double>& of = values(curve);
        return fixedNumber(at < of.size() ? of[at] : std::nan(""), 3);
    };
    m_reading->setText(
        tr("Step %1: saturation %2 (chance %3), with the next step %4, entropy of the load %5, bits per byte %6")
            .arg(countText(m_series->members[at].step), value(Curve::Saturation), value(Curve::Chance), value(Curve::Next),
                 value(Curve::Entropy), value(Curve::BitsPerByte)));
    const auto step = static_cast<double>(m_series->members[at].step);
    m_line->point1->setCoords(step, 0);
    m_line->point2->setCoords(step, 1);
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void SeriesView::recolor()
{
    const Theme theme = themeOf(palette());
    setPlotTheme(*m_plot, theme, font());
    for (int i = 0; i < curves; ++i) {
        const Style& style = styles[static_cast<std::size_t>(i)];
        m_plot->graph(i)->setPen(QPen(expertColor(style.color), 2, style.line));
        m_plot->graph(i)->setScatterStyle(QCPScatterStyle(style.mark, 7));
    }
    m_plot->legend->setBorderPen(Qt::NoPen);
    m_line->setPen(QPen(theme.highlight, 1.5));
    m_plot->replot(QCustomPlot::rpQueuedReplot);
}

QString SeriesView::reading() const
{
    return m_reading->text();
}

QString SeriesView::message() const
{
    return m_stack->currentIndex() == 0 ? m_message->text() : QString();
}

std::vector<double> SeriesView::plotted(Curve curve) const
{
    std::vector<double> result;
    for (const QCPGraphData& point : *m_plot->graph(static_cast<int>(curve))->data())
        result.push_back(point.value);
    return result;
}

void SeriesView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)
        recolor();
}

void SeriesView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_veil->setGeometry(m_body->rect());
}

} // namespace headscope::widgets
