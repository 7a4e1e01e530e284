// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/routing/router.h"

#include <QString>
#include <QWidget>

#include <memory>
#include <optional>

class QCPBars;
class QCPItemStraightLine;
class QCustomPlot;
class QLabel;

namespace headscope::widgets {

/// How evenly a router loads its experts over the text: per expert its share of the selections and of the gate mass, the
/// line where all would be under uniform routing, and in words the entropy and the experts that were never chosen.
class LoadBars : public QWidget
{
    Q_OBJECT

public:
    explicit LoadBars(QWidget* parent = nullptr);

    /// nullptr: empty.
    void setSite(const std::shared_ptr<const core::SiteRouting>& site, int head);
    /// Of any number of positions at which `chosen` experts were selected; no positions: empty.
    void setLoad(core::Load load, std::int64_t positions, int chosen);
    void setMarkedExpert(std::optional<int> expert);

    const core::Load& load() const { return m_load; }
    /// What is written under the bars.
    QString summary() const;
    /// Where the bars of an expert are, in pixels of this widget; for tests.
    QRect barRect(int expert) const;

    QSize sizeHint() const override { return {330, 300}; }

Q_SIGNALS:
    void expertChosen(int expert);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fill();
    void makeBars(int experts);
    void arrange();
    void recolor();
    void writeSummary();
    int expertAt(const QPoint& pixel) const;
    double shareOfSelections(int expert) const;
    double shareOfGates(int expert) const;
    QString toolTip(int expert) const;

    core::Load m_load;
    std::int64_t m_positions = 0;
    int m_chosen = 0;
    std::optional<int> m_marked;

    QCustomPlot* m_plot;
    QLabel* m_summary;
    QCPItemStraightLine* m_uniform = nullptr;
};

/// "Entropy 0.93 of the largest possible (uniform routing: about 0.98 with 46 tokens). Never chosen: 3."
QString loadSentence(const core::Load& load, std::int64_t positions);

} // namespace headscope::widgets
