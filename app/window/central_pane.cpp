// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/central_pane.h"

#include <QPlainTextEdit>
#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::app {

CentralPane::CentralPane(widgets::Selection& selection, widgets::TileSource& tiles, QWidget* parent)
    : QWidget(parent), m_messages(new MessageArea), m_textMessages(new MessageArea), m_editor(new widgets::TextEditor),
      m_strip(new widgets::TokenStrip), m_routing(new widgets::RoutingView), m_attention(new widgets::AttentionView(&tiles)),
      m_pages(new QTabWidget), m_splitter(new QSplitter(Qt::Vertical))
{
    m_editor->setSelection(&selection);
    m_strip->setSelection(&selection);
    m_routing->setSelection(&selection);
    m_attention->setSelection(&selection);
    m_pages->setDocumentMode(true);
    m_pages->addTab(m_routing, tr("Routing"));
    m_pages->addTab(m_attention, tr("Attention"));
    connect(m_pages, &QTabWidget::currentChanged, this, &CentralPane::showPage);

    m_splitter->setChildrenCollapsible(false);
    m_splitter->addWidget(makeTextPane());
    m_splitter->addWidget(m_strip);
    m_splitter->addWidget(m_pages);
    m_splitter->setStretchFactor(2, 1);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_messages);
    column->addWidget(m_splitter, 1);
}

QWidget* CentralPane::makeTextPane()
{
    auto* pane = new QWidget;
    auto* column = new QVBoxLayout(pane);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_textMessages);
    column->addWidget(m_editor, 1);
    return pane;
}

void CentralPane::arrange()
{
    const int all = m_splitter->height();
    const int text = std::clamp(all * 11 / 100, 62, 120);
    const int tokens = std::clamp(all * 22 / 100, 112, 220);
    m_splitter->setSizes({text, tokens, all - text - tokens});
}

void CentralPane::setTrace(const std::shared_ptr<const core::Trace>& trace)
{
    m_strip->setTrace(trace);
    m_trace = trace;
    m_behind = {m_routing, m_attention};
    if (!trace) { // a closed checkpoint's traces are let go
        m_behind.clear();
        m_routing->setTrace(nullptr);
        m_attention->setTrace(nullptr);
    }
    showPage();
    if (const auto byte = m_editor->caretByte(); byte && m_editor->edit()->hasFocus()) { // typing is followed
        m_strip->reveal(*byte);
        if (m_pages->currentWidget() == m_routing)
            m_routing->reveal(*byte);
    }
}

/// The page in front follows every keystroke, the others when they come to the front.
void CentralPane::showPage()
{
    QWidget* page = m_pages->currentWidget();
    if (m_behind.erase(page) == 0)
        return;
    if (page == m_routing)
        m_routing->setTrace(m_trace);
    else if (page == m_attention)
        m_attention->setTrace(m_trace);
}

void CentralPane::setStale(bool stale)
{
    m_strip->setStale(stale);
    m_routing->setStale(stale);
    m_attention->setStale(stale);
}

} // namespace headscope::app
