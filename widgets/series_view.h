// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/series.h"
#include "widgets/selection.h"

#include <QPointer>
#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

class QButtonGroup;
class QCPItemStraightLine;
class QCustomPlot;
class QLabel;
class QProgressBar;
class QPushButton;
class QSlider;
class QStackedLayout;

namespace headscope::widgets {

class StaleVeil;

/// How routing settles over the checkpoints of one run: saturation against the last step, chance, agreement with the next
/// step, entropy of the load, and the loss, over steps; all routers or the chosen one. A slider picks a step to be read, or
/// to be put into a slot. It shows what it is given and says what is wanted.
class SeriesView : public QWidget
{
    Q_OBJECT

public:
    enum class Which { AllRouters, ChosenRouter };
    enum class Target { A, B };

    explicit SeriesView(QWidget* parent = nullptr);

    void setSelection(Selection* selection);
    /// Of a run with this name; nullptr: none. While a run is under way it may hold a part of the steps.
    void setSeries(std::shared_ptr<const core::Series> series, const QString& run);
    /// How far a run is; nullopt: none is under way.
    void setProgress(std::optional<double> fraction, const QString& stage = {});
    /// The text has changed since.
    void setStale(bool stale);
    void setWhich(Which which);
    /// The step that the slider picks.
    void setMember(int member);

    const std::shared_ptr<const core::Series>& series() const { return m_series; }
    int member() const;
    Which which() const { return m_which; }
    QString reading() const;
    QString message() const; // empty when a plot is shown
    /// What the plot holds of a curve, in order of the steps.
    enum class Curve { Saturation, Chance, Next, Entropy, BitsPerByte };
    static constexpr int curves = 5;
    std::vector<double> plotted(Curve curve) const;

Q_SIGNALS:
    void openAsked();
    void runAsked();
    void stopAsked();
    void exportAsked();
    void memberAsked(int member, headscope::widgets::SeriesView::Target target);

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeHeader();
    QWidget* makePlot();
    QWidget* makeSlider();
    const core::RouterSeries* chosenRouter() const;
    const std::vector<double>& values(Curve curve) const;
    void showAll();
    void showReading();
    void recolor();

    QPointer<Selection> m_selection;
    std::shared_ptr<const core::Series> m_series;
    QString m_run;
    Which m_which = Which::AllRouters;
    QLabel* m_title = nullptr;
    QLabel* m_about = nullptr;
    QPushButton* m_again = nullptr;
    QPushButton* m_export = nullptr;
    QButtonGroup* m_choice = nullptr;
    QWidget* m_running = nullptr;
    QProgressBar* m_progress = nullptr;
    QLabel* m_stage = nullptr;
    QCustomPlot* m_plot = nullptr;
    QCPItemStraightLine* m_line = nullptr;
    QSlider* m_slider = nullptr;
    QLabel* m_reading = nullptr;
    std::vector<QPushButton*> m_targets;
    QLabel* m_message = nullptr;
    QWidget* m_body = nullptr;
    QStackedLayout* m_stack = nullptr;
    StaleVeil* m_veil = nullptr;
};

} // namespace headscope::widgets
