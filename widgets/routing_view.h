// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/overview_item_model.h"
#include "widgets/routing_item_model.h"
#include "widgets/selection.h"

#include <QPointer>
#include <QWidget>

#include <memory>
#include <optional>

class QButtonGroup;
class QLabel;
class QStackedLayout;
class QStackedWidget;

namespace headscope::widgets {

class LoadBars;
class ScaleLegend;
class StaleVeil;
class TokenTable;

/// What the chosen router decided: tokens × experts with gates or logits, the same router of every layer, and the load of
/// its experts. Follows Selection::router; a cell selects the token and the expert, in the overview the token and the
/// layer's router.
class RoutingView : public QWidget
{
    Q_OBJECT

public:
    enum class Page { Experts, Layers };

    explicit RoutingView(QWidget* parent = nullptr);

    void setSelection(Selection* selection);
    /// Chooses the trace's first router when none of its routers is chosen.
    void setTrace(std::shared_ptr<const core::Trace> trace);
    void setStale(bool stale);
    /// Scrolls to the token that holds a byte.
    void reveal(std::size_t byte);
    void setPage(Page page);
    void setMode(RoutingItemModel::Mode mode);

    TokenTable* expertsTable() const { return m_expertsTable; }
    TokenTable* layersTable() const { return m_layersTable; }
    RoutingItemModel* expertsModel() const { return m_experts; }
    OverviewItemModel* layersModel() const { return m_layers; }
    LoadBars* loadBars() const { return m_load; }
    QString title() const;
    QString message() const;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeHeader();
    QWidget* makeBody();
    void selectionChanged(Selection::Fields what);
    void showRouter();
    void markExpert();
    void chooseExpert(int expert);
    void chooseLayer(int row, int column);
    QString whyNothing() const;

    QPointer<Selection> m_selection;
    std::shared_ptr<const core::Trace> m_trace;
    std::optional<core::RouterAddress> m_router; // shown
    RoutingItemModel* m_experts;
    OverviewItemModel* m_layers;

    QLabel* m_title = nullptr;
    QLabel* m_legend = nullptr;
    QLabel* m_message = nullptr;
    QButtonGroup* m_pageButtons = nullptr;
    QButtonGroup* m_modeButtons = nullptr;
    ScaleLegend* m_scale = nullptr;
    QStackedWidget* m_tables = nullptr;
    QStackedLayout* m_stack = nullptr;
    TokenTable* m_expertsTable = nullptr;
    TokenTable* m_layersTable = nullptr;
    LoadBars* m_load = nullptr;
    StaleVeil* m_veil = nullptr;
};

} // namespace headscope::widgets
