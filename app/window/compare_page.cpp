// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/compare_page.h"

#include <QVBoxLayout>

namespace headscope::app {

namespace {

QString subject()
{
    return QStringLiteral("comparison");
}

} // namespace

ComparePage::ComparePage(Workspace& workspace, Comparer comparer, QWidget* parent)
    : QWidget(parent), m_messages(new MessageArea), m_view(new widgets::CompareView),
      m_controller(workspace, *m_view, std::move(comparer))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_messages);
    column->addWidget(m_view, 1);
    m_view->setSelection(&workspace.selection());
    connect(m_view, &widgets::CompareView::openSecondAsked, this, &ComparePage::openSecondAsked);
    connect(m_view, &widgets::CompareView::swapAsked, &workspace, &Workspace::swapSlots);
    connect(&m_controller, &CompareController::failed, this, [this](const QString& sentence) {
        m_messages->show({subject(), Message::Kind::Error, sentence});
    });
    connect(&m_controller, &CompareController::shown, this, [this] { m_messages->dismiss(subject()); });
}

void ComparePage::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_controller.refresh();
}

CompareChoices ComparePage::choices() const
{
    return {m_view->tint(), m_view->onlyDifferences(), m_view->matching()};
}

void ComparePage::setChoices(const CompareChoices& choices)
{
    m_view->setTint(choices.tint);
    m_view->setOnlyDifferences(choices.onlyDifferences);
    m_controller.setMatching(choices.matching);
}

} // namespace headscope::app
