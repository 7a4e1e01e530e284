// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/attention_comparison.h"
#include "widgets/compared_models.h"
#include "widgets/selection.h"
#include "widgets/tile_source.h"

#include <QPointer>
#include <QWidget>

#include <memory>
#include <optional>

class QLabel;
class QStackedLayout;

namespace headscope::widgets {

class MapWidget;

/// The maps of a pair of routers: their heads or, where maps belong to experts, those of an expert of A and its counterpart,
/// or of the slots with the largest gate. nullopt when one of them has none.
std::optional<core::MapPair> mapsOfPair(const ComparedModels& models, std::size_t pair, std::optional<int> expert);

/// What the heads of a pair of routers attend to: A, B and the size of the difference (where the tokens are the same),
/// linked by the selection. Nothing is asked for while it is hidden.
class CompareAttention : public QWidget
{
    Q_OBJECT

public:
    /// The sources outlive it. Who owns them gives them their traces when mapsChosen says which.
    struct Sources {
        TileSource* a = nullptr;
        TileSource* b = nullptr;
        TileSource* difference = nullptr; // by the maps of A
    };
    explicit CompareAttention(const Sources& sources, QWidget* parent = nullptr);

    void setSelection(Selection* selection);
    void setModels(const ComparedModels& models, std::size_t pair);
    /// How alike the rows of the maps are that were chosen last; nullptr: not known.
    void setRows(std::shared_ptr<const core::AttentionComparison> rows);
    const std::optional<core::MapPair>& maps() const { return m_maps; }
    MapWidget* mapOfA() const { return m_a; }
    MapWidget* mapOfB() const { return m_b; }
    MapWidget* difference() const { return m_difference; }
    QString rowsText() const;
    QString message() const; // empty when maps are shown

Q_SIGNALS:
    /// About to be shown; none: nothing any more.
    void mapsChosen(const headscope::widgets::ComparedModels& models, const std::optional<headscope::core::MapPair>& maps);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void refresh();
    void showRows();
    QString whyNoMaps() const;

    QPointer<Selection> m_selection;
    ComparedModels m_models;
    std::size_t m_pair = 0;
    ComparedModels m_shownOf;
    std::optional<core::MapPair> m_maps;
    std::shared_ptr<const core::AttentionComparison> m_rows;
    QLabel* m_titleA;
    QLabel* m_titleB;
    QLabel* m_titleDifference;
    QLabel* m_rowsText;
    MapWidget* m_a;
    MapWidget* m_b;
    MapWidget* m_difference;
    QLabel* m_message;
    QStackedLayout* m_stack;
};

} // namespace headscope::widgets
