// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/routing_view.h"

#include "widgets/choice_button.h"
#include "widgets/load_bars.h"
#include "widgets/map_choices.h"
#include "widgets/message_label.h"
#include "widgets/scale_legend.h"
#include "widgets/stale_veil.h"
#include "widgets/token_table.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSplitter>
#include <QStackedLayout>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::widgets {

namespace {

ChoiceButton* choiceButton(const QString& text, const QString& toolTip)
{
    auto* button = new ChoiceButton;
    button->setText(text);
    button->setToolTip(toolTip);
    button->setCheckable(true);
    return button;
}

} // namespace

RoutingView::RoutingView(QWidget* parent)
    : QWidget(parent), m_experts(new RoutingItemModel(this)), m_layers(new OverviewItemModel(this))
{
    auto* page = new QWidget;
    auto* rows = new QVBoxLayout(page);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    rows->addWidget(makeHeader());
    rows->addWidget(makeBody(), 1);
    m_message = makeMessageLabel(this);
    m_stack = new QStackedLayout(this);
    m_stack->addWidget(m_message);
    m_stack->addWidget(page);
    m_veil = new StaleVeil(this);

    connect(m_expertsTable, &TokenTable::columnChosen, this,
            [this](int, int column) { chooseExpert(RoutingItemModel::expertOf(column)); });
    connect(m_expertsTable, &TokenTable::headerChosen, this,
            [this](int column) { chooseExpert(RoutingItemModel::expertOf(column)); });
    connect(m_layersTable, &TokenTable::columnChosen, this, &RoutingView::chooseLayer);
    connect(m_layersTable, &TokenTable::headerChosen, this, [this](int column) { chooseLayer(-1, column); });
    connect(m_load, &LoadBars::expertChosen, this, &RoutingView::chooseExpert);
    setPage(Page::Experts);
    setMode(RoutingItemModel::Mode::Gates);
    showRouter();
}

QWidget* RoutingView::makeHeader()
{
    m_title = new QLabel;
    m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    QFont bold = m_title->font();
    bold.setBold(true);
    m_title->setFont(bold);
    m_legend = new QLabel;
    m_legend->setWordWrap(true);
    m_legend->setForegroundRole(QPalette::PlaceholderText);

    m_pageButtons = new QButtonGroup(this);
    m_modeButtons = new QButtonGroup(this);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(2);
    const auto add = [buttons](QButtonGroup* group, int id, const QString& text, const QString& toolTip) {
        auto* button = choiceButton(text, toolTip);
        group->addButton(button, id);
        buttons->addWidget(button);
    };
    add(m_pageButtons, static_cast<int>(Page::Experts), tr("Tokens × experts"),
        tr("What this router decided about every token"));
    add(m_pageButtons, static_cast<int>(Page::Layers), tr("Tokens × layers"),
        tr("The first choice in every layer, for the same site and head"));
    buttons->addSpacing(14);
    add(m_modeButtons, static_cast<int>(RoutingItemModel::Mode::Gates), tr("Gates"), tr("What the model multiplies with"));
    add(m_modeButtons, static_cast<int>(RoutingItemModel::Mode::Logits), tr("Logits"), tr("The scores that decide"));
    buttons->addStretch(1);
    m_scale = new ScaleLegend;
    buttons->addWidget(m_scale);
    connect(m_pageButtons, &QButtonGroup::idClicked, this, [this](int id) { setPage(static_cast<Page>(id)); });
    connect(m_modeButtons, &QButtonGroup::idClicked, this,
            [this](int id) { setMode(static_cast<RoutingItemModel::Mode>(id)); });

    auto* header = new QWidget;
    auto* column = new QVBoxLayout(header);
    column->setContentsMargins(8, 6, 8, 6);
    column->setSpacing(3);
    column->addWidget(m_title);
    column->addWidget(m_legend);
    column->addLayout(buttons);
    return header;
}

QWidget* RoutingView::makeBody()
{
    m_expertsTable = new TokenTable(m_experts);
    m_expertsTable->setAccessibleName(tr("Tokens and experts of the chosen router"));
    m_layersTable = new TokenTable(m_layers);
    m_layersTable->setAccessibleName(tr("First choices of every token in every layer"));
    m_tables = new QStackedWidget;
    m_tables->addWidget(m_expertsTable);
    m_tables->addWidget(m_layersTable);
    m_load = new LoadBars;
    auto* splitter = new QSplitter;
    splitter->addWidget(m_tables);
    splitter->addWidget(m_load);
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 0);
    splitter->setCollapsible(0, false);
    splitter->setSizes({600, 330});
    return splitter;
}

void RoutingView::setSelection(Selection* selection)
{
    if (m_selection)
        disconnect(m_selection, nullptr, this, nullptr);
    m_selection = selection;
    m_expertsTable->setSelection(selection);
    m_layersTable->setSelection(selection);
    if (m_selection) {
        connect(m_selection, &Selection::changed, this, &RoutingView::selectionChanged);
        selectionChanged(Selection::Field::Router);
    }
}

void RoutingView::setTrace(std::shared_ptr<const core::Trace> trace)
{
    m_trace = std::move(trace);
    const bool known =
        m_trace && m_selection && m_selection->state().router && siteOf(*m_trace, *m_selection->state().router);
    if (known)
        m_router = m_selection->state().router;
    else if (m_trace && !m_trace->sites.empty() && !(m_router && siteOf(*m_trace, *m_router)))
        m_router = m_trace->sites.front()->address(0);
    showRouter();
    if (!known && m_selection && m_trace && !m_trace->sites.empty())
        m_selection->setRouter(m_router);
}

void RoutingView::reveal(std::size_t byte)
{
    m_expertsTable->reveal(byte);
    m_layersTable->reveal(byte);
}

void RoutingView::setStale(bool stale)
{
    m_veil->setGeometry(rect());
    m_veil->raise();
    m_veil->setVisible(stale);
}

void RoutingView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_veil->setGeometry(rect());
}

void RoutingView::setPage(Page page)
{
    m_pageButtons->button(static_cast<int>(page))->setChecked(true);
    m_tables->setCurrentIndex(static_cast<int>(page));
    for (QAbstractButton* button : m_modeButtons->buttons())
        button->setVisible(page == Page::Experts);
    setMode(m_experts->mode());
}

void RoutingView::setMode(RoutingItemModel::Mode mode)
{
    const bool logits = mode == RoutingItemModel::Mode::Logits && m_experts->site() && !m_experts->site()->logits.empty();
    m_modeButtons->button(static_cast<int>(mode))->setChecked(true);
    m_experts->setMode(mode);
    if (logits && m_tables->currentIndex() == static_cast<int>(Page::Experts))
        m_scale->showLogits(static_cast<double>(m_experts->largestLogit()));
    else
        m_scale->showGates(m_selection ? m_selection->state().expert.value_or(0) : 0);
}

void RoutingView::selectionChanged(Selection::Fields what)
{
    using enum Selection::Field;
    const auto& router = m_selection->state().router;
    if (what.testFlag(Router) && m_trace && router && router != m_router && siteOf(*m_trace, *router)) {
        m_router = router;
        showRouter();
    } else if (what.testFlag(Expert)) {
        markExpert();
    }
}

void RoutingView::showRouter()
{
    const auto site = m_trace && m_router ? siteOf(*m_trace, *m_router) : nullptr;
    const int head = site ? std::max(site->headOf(*m_router), 0) : 0;
    m_experts->setSite(m_trace, site, head);
    m_layers->setRouter(m_trace, site ? std::optional(site->address(head)) : std::nullopt);
    m_load->setSite(site, head);
    const bool empty = !site || site->tokens == 0;
    m_message->setText(empty ? whyNothing() : QString());
    m_stack->setCurrentIndex(empty ? 0 : 1);
    if (site) {
        m_expertsTable->setColumnWidth(RoutingItemModel::MarginColumn,
                                       fontMetrics().horizontalAdvance(QStringLiteral("◆ 0.0e−00")) + 24);
        m_title->setText(QString::fromStdString(site->address(head).toString()));
        m_legend->setText(QString::fromStdString(site->router.legend()));
        m_layersTable->setMarkedColumn(m_layers->columnOf(site->address(head)));
        QAbstractButton* logits = m_modeButtons->button(static_cast<int>(RoutingItemModel::Mode::Logits));
        logits->setEnabled(!site->logits.empty());
        logits->setToolTip(site->logits.empty() ? tr("This run kept no logits") : tr("The scores that decide"));
    }
    setMode(m_experts->mode());
    markExpert();
}

void RoutingView::markExpert()
{
    const auto expert = m_selection && m_selection->state().router == m_router ? m_selection->state().expert : std::nullopt;
    m_expertsTable->setMarkedColumn(expert ? RoutingItemModel::columnOf(*expert) : -1);
    m_load->setMarkedExpert(expert);
    setMode(m_experts->mode());
}

void RoutingView::chooseExpert(int expert)
{
    if (!m_selection || expert < 0)
        return;
    SelectionState state = m_selection->state();
    state.router = m_router;
    state.expert = expert;
    m_selection->setState(state);
}

void RoutingView::chooseLayer(int row, int column)
{
    if (!m_selection || column < 0)
        return;
    SelectionState state = m_selection->state();
    state.router = m_layers->router(column);
    state.expert = row < 0 ? std::nullopt : std::optional(m_layers->topExpert(row, column));
    m_selection->setState(state);
}

QString RoutingView::whyNothing() const
{
    if (!m_trace)
        return tr("No text has been traced yet.");
    if (m_trace->sites.empty())
        return tr("This model has no routers.");
    return tr("The text has no tokens.");
}

QString RoutingView::title() const
{
    return m_title->text();
}

QString RoutingView::message() const
{
    return m_message->text();
}

} // namespace headscope::widgets
