// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/message_area.h"
#include "app/window/specialisation_controller.h"

#include <QWidget>

namespace headscope::app {

/// The Specialisation page: the view, the work behind it, what it has to say, and the questions about files.
class SpecialisationPage : public QWidget
{
    Q_OBJECT

public:
    /// The workspace outlives it.
    explicit SpecialisationPage(Workspace& workspace, QWidget* parent = nullptr);

    widgets::SpecialisationView& view() { return *m_view; }
    SpecialisationController& controller() { return m_controller; }
    MessageArea& messages() { return *m_messages; }

protected:
    void showEvent(QShowEvent* event) override;

private:
    void askCorpus();
    void askCounts();
    void askWhereToSave();
    void askWhereToExport(core::StatisticsTable table, bool allRouters);

    Workspace& m_workspace;
    MessageArea* m_messages;
    widgets::SpecialisationView* m_view;
    core::CountSettings m_former; // what was counted last
    SpecialisationController m_controller;
};

} // namespace headscope::app
