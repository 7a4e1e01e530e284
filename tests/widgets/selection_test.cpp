// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/selection.h"

#include <QSignalSpy>
#include <QTest>

using namespace headscope;
using widgets::Selection;

class TestSelection : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void saysWhatChanged();
    void isSilentWhenNothingChanges();
    void setsSeveralFieldsWithOneSignal();
    void listenersThatWriteBackDoNotLoop();
};

void TestSelection::saysWhatChanged()
{
    Selection selection;
    QList<Selection::Fields> seen;
    connect(&selection, &Selection::changed, this, [&](Selection::Fields what) { seen.append(what); });
    selection.setModel(1);
    selection.setStream(1);
    selection.setBytes(core::ByteRange{2, 5});
    selection.setRouter(core::RouterAddress::parse("layers.0.self.v.h1"));
    selection.setExpert(3);
    selection.setMap(core::MapRef{{core::Stack::None, 1, core::Block::Self}, core::MapRef::By::Map, 1, 0});
    selection.setHover(core::ByteRange{0, 1});
    using Field = Selection::Field;
    const QList<Selection::Fields> expected = {Field::Model,  Field::Stream, Field::Bytes, Field::Router,
                                               Field::Expert, Field::Map,    Field::Hover};
    QCOMPARE(seen, expected);
    QCOMPARE(selection.state().router->toString(), std::string("layers.0.self.v.h1"));
}

void TestSelection::isSilentWhenNothingChanges()
{
    Selection selection;
    selection.setBytes(core::ByteRange{2, 5});
    QSignalSpy spy(&selection, &Selection::changed);
    selection.setBytes(core::ByteRange{2, 5});
    selection.setHover(std::nullopt);
    selection.setState(selection.state());
    QCOMPARE(spy.count(), 0);
}

void TestSelection::setsSeveralFieldsWithOneSignal()
{
    Selection selection;
    QList<Selection::Fields> seen;
    connect(&selection, &Selection::changed, this, [&](Selection::Fields what) { seen.append(what); });
    auto state = selection.state();
    state.router = core::RouterAddress{};
    state.expert = 2;
    selection.setState(state);
    QCOMPARE(seen, QList<Selection::Fields>{Selection::Field::Router | Selection::Field::Expert});
}

void TestSelection::listenersThatWriteBackDoNotLoop()
{
    Selection selection;
    int calls = 0;
    connect(&selection, &Selection::changed, this, [&] {
        ++calls;
        selection.setBytes(selection.state().bytes);
        selection.setExpert(1);
    });
    selection.setBytes(core::ByteRange{0, 3});
    QCOMPARE(calls, 2);
}

QTEST_APPLESS_MAIN(TestSelection)
#include "selection_test.moc"
