// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/compare_choices.h"
#include "app/window/compare_controller.h"
#include "app/window/compare_counts_controller.h"
#include "app/window/comparison_writer.h"
#include "app/window/difference_tile_source.h"
#include "app/window/message_area.h"
#include "widgets/compare_attention.h"

#include <QWidget>

#include <vector>

namespace headscope::app {

/// The Compare page: the view, the work behind it, and what it has to say.
class ComparePage : public QWidget
{
    Q_OBJECT

public:
    /// The workspace outlives it.
    explicit ComparePage(Workspace& workspace, Comparer comparer = core::compareTraces, QWidget* parent = nullptr);

    widgets::CompareView& view() { return *m_view; }
    CompareCountsController& counts() { return m_counts; }
    CompareController& controller() { return m_controller; }
    MessageArea& messages() { return *m_messages; }
    /// Nothing is compared, written or drawn.
    bool idle() const;
    ComparisonWriter& writer() { return m_writer; }
    CompareChoices choices() const;
    void setChoices(const CompareChoices& choices);

Q_SIGNALS:
    /// For slot B.
    void openSecondAsked();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void askWhereToExport(core::ComparisonTable table);
    void askWhereToReport();
    void askWhereToExportTokens();

    void chooseMaps(const widgets::ComparedModels& models, const std::optional<core::MapPair>& maps);

    Workspace& m_workspace;
    JobTileSource m_tilesA;
    JobTileSource m_tilesB;
    DifferenceTileSource m_difference;
    MessageArea* m_messages;
    widgets::CompareView* m_view;
    CompareController m_controller;
    ComparisonWriter m_writer;
    CompareCountsController m_counts;
    std::vector<Job> m_leaving; // of former maps: they are not waited for
    Job m_rows;                 // last: the jobs end before anything they deliver to
};

} // namespace headscope::app
