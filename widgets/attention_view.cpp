// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/attention_view.h"

#include "widgets/choice_button.h"
#include "widgets/map_catalog.h"
#include "widgets/message_label.h"

#include <QAction>
#include <QComboBox>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedLayout>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::widgets {

AttentionView::AttentionView(TileSource* tiles, QWidget* parent)
    : QWidget(parent), m_tiles(tiles), m_map(new MapWidget(tiles))
{
    auto* mapPage = new QWidget;
    auto* column = new QVBoxLayout(mapPage);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeChooser());
    auto* splitter = new QSplitter;
    splitter->addWidget(m_map);
    splitter->addWidget(makeReading());
    splitter->setStretchFactor(0, 1);
    splitter->setStretchFactor(1, 0);
    splitter->setCollapsible(0, false);
    splitter->setSizes({720, 290});
    column->addWidget(splitter, 1);

    m_message = makeMessageLabel(this);
    m_pages = new QStackedLayout(this);
    m_pages->addWidget(m_message);
    m_pages->addWidget(mapPage);
    connect(m_map, &MapWidget::readingChanged, this, &AttentionView::updateReading);
    showMap(std::nullopt);
}

QWidget* AttentionView::makeChooser()
{
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(6, 4, 6, 4);
    m_blockBox = new QComboBox;
    m_blockBox->setAccessibleName(tr("Layer"));
    m_blockBox->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_mapBox = new QComboBox;
    m_mapBox->setAccessibleName(tr("Map"));
    m_mapBox->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    const auto labelled = [row](const QString& text, QComboBox* box) {
        auto* label = new QLabel(text);
        label->setBuddy(box);
        row->addWidget(label);
        row->addWidget(box);
    };
    labelled(tr("&Layer"), m_blockBox);
    labelled(tr("&Map"), m_mapBox);
    row->addStretch(1);
    for (QAction* action : m_map->actions()) {
        if (!action->isCheckable() && action != m_map->actions().constFirst())
            continue; // zooming has the wheel and its keys
        auto* button = new ChoiceButton;
        button->setDefaultAction(action);
        row->addWidget(button);
    }
    connect(m_blockBox, &QComboBox::activated, this, &AttentionView::chooseBlock);
    connect(m_mapBox, &QComboBox::activated, this, &AttentionView::chooseMap);
    return bar;
}

QWidget* AttentionView::makeReading()
{
    m_reading = new QLabel;
    m_reading->setTextFormat(Qt::RichText);
    m_reading->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_reading->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_reading->setWordWrap(true);
    m_reading->setMargin(8);
    m_reading->setAccessibleName(tr("Reading of the cell"));
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setMinimumWidth(200);
    scroll->setWidget(m_reading);
    return scroll;
}

void AttentionView::setSelection(Selection* selection)
{
    if (m_selection)
        disconnect(m_selection, nullptr, this, nullptr);
    m_selection = selection;
    m_map->setSelection(selection);
    if (m_selection)
        connect(m_selection, &Selection::changed, this, &AttentionView::selectionChanged);
    selectionChanged(Selection::Field::Map);
}

void AttentionView::setTrace(std::shared_ptr<const core::Trace> trace)
{
    m_trace = std::move(trace);
    m_tiles->setTrace(m_trace);
    const SelectionState state = m_selection ? m_selection->state() : SelectionState{};
    fillBlocks();
    showMap(m_trace ? mapToShow(*m_trace, {state.map, m_shown, state.router, state.expert}) : std::nullopt);
    if (m_selection && m_shown)
        m_selection->setMap(m_shown);
}

void AttentionView::setStale(bool stale)
{
    m_map->setStale(stale);
}

void AttentionView::selectionChanged(Selection::Fields what)
{
    using enum Selection::Field;
    if (!m_trace || !m_selection)
        return;
    const SelectionState& state = m_selection->state();
    if (what.testFlag(Map)) {
        if (state.map && state.map != m_shown && hasMap(*m_trace, *state.map))
            showMap(state.map);
    } else if (what & (Selection::Fields(Router) | Expert)) {
        const auto map = mapOfRouter(*m_trace, {std::nullopt, m_shown, state.router, state.expert});
        if (map && map != m_shown)
            choose(*map);
    }
}

void AttentionView::choose(const core::MapRef& map)
{
    showMap(map);
    if (m_selection)
        m_selection->setMap(map);
}

void AttentionView::showMap(const std::optional<core::MapRef>& map)
{
    if (map)
        m_shown = map; // kept while there is nothing to show, to come back to
    m_map->setMap(map ? m_trace : nullptr, map.value_or(core::MapRef{}));
    const bool empty = m_map->scene().empty();
    m_message->setText(empty ? whyNoMap() : QString());
    m_pages->setCurrentIndex(empty ? 0 : 1);
    fillMaps();
    updateReading();
}

void AttentionView::fillBlocks()
{
    std::vector<core::MapAddress> blocks;
    if (m_trace)
        for (const auto& block : m_trace->attention)
            blocks.push_back(block->address);
    if (blocks == m_blocks)
        return;
    m_blocks = blocks;
    m_blockBox->clear();
    for (const core::MapAddress& address : m_blocks)
        m_blockBox->addItem(QString::fromStdString(address.toString()));
}

void AttentionView::fillMaps()
{
    std::vector<core::MapRef> maps;
    if (!m_map->scene().empty())
        maps = mapsOffered(*m_trace, *m_map->scene().block);
    if (maps != m_maps) {
        m_maps = maps;
        m_mapBox->clear();
        for (std::size_t i = 0; i < m_maps.size(); ++i) {
            if (i > 0 && m_maps[i].by != m_maps[i - 1].by)
                m_mapBox->insertSeparator(m_mapBox->count());
            m_mapBox->addItem(mapName(m_maps[i], *m_map->scene().block), static_cast<int>(i));
        }
    }
    if (!m_shown)
        return;
    const auto block = std::ranges::find(m_blocks, m_shown->address);
    m_blockBox->setCurrentIndex(block == m_blocks.end() ? -1 : static_cast<int>(block - m_blocks.begin()));
    const auto map = std::ranges::find(m_maps, *m_shown);
    m_mapBox->setCurrentIndex(map == m_maps.end() ? -1 : m_mapBox->findData(static_cast<int>(map - m_maps.begin())));
}

void AttentionView::chooseBlock(int index)
{
    core::MapRef map = *m_shown;
    map.address = m_blocks[static_cast<std::size_t>(index)];
    if (!hasMap(*m_trace, map))
        map = {map.address, core::MapRef::By::Map, 0, 0};
    choose(map);
}

void AttentionView::chooseMap(int index)
{
    choose(m_maps[static_cast<std::size_t>(m_mapBox->itemData(index).toInt())]);
}

QString AttentionView::whyNoMap() const
{
    if (!m_trace)
        return tr("No text has been traced yet.");
    if (std::ranges::all_of(m_trace->streams, [](const core::Stream& stream) { return stream.text.tokens.empty(); }))
        return tr("The text has no tokens.");
    if (m_trace->attention.empty() && !m_trace->options.maps)
        return tr("This run kept no attention maps.");
    return tr("This model has no attention maps.");
}

QString AttentionView::message() const
{
    return m_message->text();
}

QString AttentionView::readingText() const
{
    return m_reading->text();
}

void AttentionView::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        updateReading(); // its text names colours
}

void AttentionView::updateReading()
{
    const MapScene& scene = m_map->scene();
    const auto cell = m_map->hoveredCell() ? m_map->hoveredCell() : m_map->currentCell();
    if (scene.empty() || !m_shown) {
        m_reading->clear();
        return;
    }
    QString html = QStringLiteral("<p><b>%1</b></p>").arg(mapTitle(*m_shown, *scene.block));
    if (cell)
        html += cellHtml(scene, m_map->reading(*cell), themeOf(palette()));
    else
        html += QStringLiteral("<p>%1</p>").arg(tr("Point at a cell to read it, click to keep it."));
    m_reading->setText(html);
}

} // namespace headscope::widgets
