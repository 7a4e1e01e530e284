// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/attention/maps.h"
#include "widgets/compared_models.h"
#include "widgets/selection.h"
#include "widgets/tile_source.h"

#include <QPointer>
#include <QWidget>

#include <optional>

class QLabel;
class QStackedLayout;

namespace headscope::widgets {

class MapWidget;

/// Two attention maps that belong together, and a third of how far they are apart.
struct MapPair {
    core::MapRef a;
    core::MapRef b;

    bool operator==(const MapPair&) const = default;
};
/// The maps of a pair of routers: their heads or, where maps belong to experts, those of an expert of A and its counterpart,
/// or of the slots with the largest gate. nullopt when one of them has none.
std::optional<MapPair> mapsOfPair(const ComparedModels& models, std::size_t pair, std::optional<int> expert);

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
    const std::optional<MapPair>& maps() const { return m_maps; }
    MapWidget* mapOfA() const { return m_a; }
    MapWidget* mapOfB() const { return m_b; }
    MapWidget* difference() const { return m_difference; }
    QString message() const; // empty when maps are shown

Q_SIGNALS:
    /// About to be shown; none: nothing any more.
    void mapsChosen(const headscope::widgets::ComparedModels& models,
                    const std::optional<headscope::widgets::MapPair>& maps);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void refresh();
    QString whyNoMaps() const;

    QPointer<Selection> m_selection;
    ComparedModels m_models;
    std::size_t m_pair = 0;
    ComparedModels m_shownOf;
    std::optional<MapPair> m_maps;
    QLabel* m_titleA;
    QLabel* m_titleB;
    QLabel* m_titleDifference;
    MapWidget* m_a;
    MapWidget* m_b;
    MapWidget* m_difference;
    QLabel* m_message;
    QStackedLayout* m_stack;
};

} // namespace headscope::widgets
