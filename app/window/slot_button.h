// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/checkpoint_list_item_model.h"

#include <QPushButton>

class QMenu;

namespace headscope::app {

/// "A  moa/model-1400.pth ▾": which checkpoint is in a slot, with a menu of the open ones.
class SlotButton : public QPushButton
{
    Q_OBJECT

public:
    SlotButton(Slot slot, CheckpointListItemModel& checkpoints, QWidget* parent = nullptr);

private:
    void showChoice();
    void fillMenu();

    Slot m_slot;
    CheckpointListItemModel& m_checkpoints;
    QMenu* m_menu;
};

} // namespace headscope::app
