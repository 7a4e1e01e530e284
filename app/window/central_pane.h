// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/message_area.h"
#include "widgets/attention_view.h"
#include "widgets/router_map.h"
#include "widgets/routing_view.h"
#include "widgets/selection.h"
#include "widgets/text_editor.h"
#include "widgets/token_strip.h"

#include <QWidget>

#include <memory>
#include <set>

class QSplitter;
class QTabWidget;

namespace headscope::app {

/// The middle of the window: messages, the text, its tokens, and the pages about them.
class CentralPane : public QWidget
{
    Q_OBJECT

public:
    CentralPane(widgets::Selection& selection, widgets::TileSource& tiles, QWidget* parent = nullptr);

    /// Shares the height among text, tokens and pages, as at the first start.
    void arrange();
    void setTrace(const std::shared_ptr<const core::Trace>& trace);
    void setStale(bool stale);

    MessageArea* messages() const { return m_messages; }         // about checkpoints
    MessageArea* textMessages() const { return m_textMessages; } // about the text
    widgets::TextEditor* editor() const { return m_editor; }
    widgets::TokenStrip* strip() const { return m_strip; }
    widgets::RoutingView* routing() const { return m_routing; }
    widgets::AttentionView* attention() const { return m_attention; }
    QTabWidget* pages() const { return m_pages; }
    QSplitter* splitter() const { return m_splitter; }

private:
    QWidget* makeTextPane();
    void showPage();

    std::shared_ptr<const core::Trace> m_trace;
    std::set<QWidget*> m_behind; // pages that show an older trace
    MessageArea* m_messages;
    MessageArea* m_textMessages;
    widgets::TextEditor* m_editor;
    widgets::TokenStrip* m_strip;
    widgets::RoutingView* m_routing;
    widgets::AttentionView* m_attention;
    QTabWidget* m_pages;
    QSplitter* m_splitter;
};

} // namespace headscope::app
