// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

namespace headscope::app {

class CheckpointSession;

enum class Slot : std::uint8_t { A, B };

/// Which of the open checkpoints are looked at: A is what the views show, B is what A is compared with. Never one checkpoint
/// twice, and no B without an A.
struct CheckpointSlots {
    CheckpointSession* a = nullptr;
    CheckpointSession* b = nullptr;

    /// With this one (or none) in that slot. One that is in the other slot changes places with what was here; A is not
    /// emptied by this.
    CheckpointSlots with(Slot slot, CheckpointSession* session) const;
    /// Without this one: B moves up when A leaves.
    CheckpointSlots without(const CheckpointSession* session) const;
    CheckpointSlots swapped() const { return b ? CheckpointSlots{b, a} : *this; }
    CheckpointSession* at(Slot slot) const { return slot == Slot::A ? a : b; }
    bool operator==(const CheckpointSlots&) const = default;
};

} // namespace headscope::app
