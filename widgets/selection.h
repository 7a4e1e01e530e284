// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/attention/maps.h"
#include "core/routing/address.h"
#include "core/tokenizer/tokens.h"

#include <QFlags>
#include <QObject>

#include <optional>

namespace headscope::widgets {

/// What the user has chosen. Tokens are named by the bytes of the text they stand for, so that views of models with
/// different tokenizers agree; each view finds its own tokens with core::tokensTouching.
struct SelectionState {
    int model = 0;  // slot: 0 is A, 1 is B
    int stream = 0; // whose text `bytes` and `hover` are ranges of
    std::optional<core::ByteRange> bytes;
    std::optional<core::RouterAddress> router;
    std::optional<int> expert; // of `router`
    std::optional<core::MapRef> map;
    std::optional<core::ByteRange> hover; // under the mouse, in whichever view

    bool operator==(const SelectionState&) const = default;
};

/// The one state that all views share. Views talk to it and never to each other. GUI thread only.
/// A setter that changes nothing sends nothing, so views may write back what they read without a loop.
class Selection : public QObject
{
    Q_OBJECT

public:
    enum class Field {
        Model = 1 << 0,
        Stream = 1 << 1,
        Bytes = 1 << 2,
        Router = 1 << 3,
        Expert = 1 << 4,
        Map = 1 << 5,
        Hover = 1 << 6,
    };
    Q_DECLARE_FLAGS(Fields, Field)

    explicit Selection(QObject* parent = nullptr);

    const SelectionState& state() const { return m_state; }
    /// Several fields at once, with one signal.
    void setState(const SelectionState& state);

    void setModel(int model);
    void setStream(int stream);
    void setBytes(std::optional<core::ByteRange> bytes);
    void setRouter(std::optional<core::RouterAddress> router);
    void setExpert(std::optional<int> expert);
    void setMap(std::optional<core::MapRef> map);
    void setHover(std::optional<core::ByteRange> hover);

Q_SIGNALS:
    void changed(headscope::widgets::Selection::Fields what);

private:
    SelectionState m_state;
};

Q_DECLARE_OPERATORS_FOR_FLAGS(Selection::Fields)

} // namespace headscope::widgets
