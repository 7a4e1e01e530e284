// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/contexts_controller.h"
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
    ContextsController& contexts() { return m_contexts; }
    MessageArea& messages() { return *m_messages; }

Q_SIGNALS:
    /// Its passage is to be the text, its token and its router what is selected.
    void contextChosen(const headscope::core::Context& context);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void askCorpus();
    void askContexts(const widgets::PairInQuestion& pair);
    void findContexts(const widgets::PairInQuestion& pair);
    void showInEditor(const core::Context& context);
    void askWhereToExportContexts();
    void askCounts();
    void askWhereToSave();
    void askWhereToExport(core::StatisticsTable table, bool allRouters);

    Workspace& m_workspace;
    MessageArea* m_messages;
    widgets::SpecialisationView* m_view;
    core::CountSettings m_former; // what was counted last
    SpecialisationController m_controller;
    ContextsController m_contexts;
};

} // namespace headscope::app
