// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/routing/router.h"
#include "widgets/token_item_model.h"

namespace headscope::widgets {

/// What one router decided about every token: tokens × experts, with the margin of each decision in front.
class RoutingItemModel : public TokenItemModel
{
    Q_OBJECT

public:
    enum class Mode { Gates, Logits };
    enum Column { MarginColumn, FirstExpertColumn };

    using TokenItemModel::TokenItemModel;

    /// `site` belongs to the trace, or both are nullptr.
    void setSite(std::shared_ptr<const core::Trace> trace, std::shared_ptr<const core::SiteRouting> site, int head);
    void setMode(Mode mode);
    Mode mode() const { return m_mode; }
    const core::SiteRouting* site() const { return m_site.get(); }
    int head() const { return m_head; }
    /// Logits are coloured from −largestLogit to +largestLogit.
    float largestLogit() const { return m_largestLogit; }
    bool isDoubtful(int row) const;

    static int columnOf(int expert) { return FirstExpertColumn + expert; }
    /// −1 for a column that is no expert.
    static int expertOf(int column) { return column < FirstExpertColumn ? -1 : column - FirstExpertColumn; }

protected:
    QVariant cell(int row, int column, int role) const override;
    QVariant columnHeader(int column, int role) const override;

private:
    QVariant marginCell(int row, int role) const;
    QVariant expertCell(int row, int expert, int role) const;
    QString expertToolTip(int row, int expert) const;
    /// Position among the chosen, by descending gate; −1 when not chosen.
    int placeOf(int row, int expert) const;
    float gate(int row, int place) const { return m_site->gates[m_site->slot(row, m_head, place)]; }
    bool hasLogits() const { return !m_site->logits.empty(); }
    float logit(int row, int expert) const { return m_site->logits[m_site->logit(row, m_head, expert)]; }
    float margin(int row) const { return m_site->margins[m_site->margin(row, m_head)]; }

    std::shared_ptr<const core::SiteRouting> m_site;
    int m_head = 0;
    Mode m_mode = Mode::Gates;
    core::DoubtThreshold m_doubt;
    float m_largestLogit = 1;
};

} // namespace headscope::widgets
