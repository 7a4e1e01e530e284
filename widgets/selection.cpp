// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/selection.h"

namespace headscope::widgets {

namespace {

Selection::Fields differences(const SelectionState& a, const SelectionState& b)
{
    using Field = Selection::Field;
    Selection::Fields fields;
    fields.setFlag(Field::Model, a.model != b.model);
    fields.setFlag(Field::Stream, a.stream != b.stream);
    fields.setFlag(Field::Bytes, a.bytes != b.bytes);
    fields.setFlag(Field::Router, a.router != b.router);
    fields.setFlag(Field::Expert, a.expert != b.expert);
    fields.setFlag(Field::Map, a.map != b.map);
    fields.setFlag(Field::Hover, a.hover != b.hover);
    return fields;
}

} // namespace

Selection::Selection(QObject* parent) : QObject(parent) {}

void Selection::setState(const SelectionState& state)
{
    const Fields what = differences(m_state, state);
    if (!what)
        return;
    m_state = state;
    Q_EMIT changed(what);
}

void Selection::setModel(int model)
{
    SelectionState next = m_state;
    next.model = model;
    setState(next);
}

void Selection::setStream(int stream)
{
    SelectionState next = m_state;
    next.stream = stream;
    setState(next);
}

void Selection::setBytes(std::optional<core::ByteRange> bytes)
{
    SelectionState next = m_state;
    next.bytes = bytes;
    setState(next);
}

void Selection::setRouter(std::optional<core::RouterAddress> router)
{
    SelectionState next = m_state;
    next.router = router;
    setState(next);
}

void Selection::setExpert(std::optional<int> expert)
{
    SelectionState next = m_state;
    next.expert = expert;
    setState(next);
}

void Selection::setMap(std::optional<core::MapRef> map)
{
    SelectionState next = m_state;
    next.map = map;
    setState(next);
}

void Selection::setHover(std::optional<core::ByteRange> hover)
{
    SelectionState next = m_state;
    next.hover = hover;
    setState(next);
}

} // namespace headscope::widgets
