// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/checkpoint_slots.h"

namespace headscope::app {

CheckpointSlots CheckpointSlots::with(Slot slot, CheckpointSession* session) const
{
    if (!session)
        return slot == Slot::B ? CheckpointSlots{a, nullptr} : *this;
    if (!a)
        return {session, nullptr};
    if (session == at(slot))
        return *this;
    if (session == a || session == b)
        return swapped();
    return slot == Slot::A ? CheckpointSlots{session, b} : CheckpointSlots{a, session};
}

CheckpointSlots CheckpointSlots::without(const CheckpointSession* session) const
{
    if (session == a)
        return {b, nullptr};
    return {a, session == b ? nullptr : b};
}

} // namespace headscope::app
