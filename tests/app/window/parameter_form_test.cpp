// SPDX-License-Identifier: GPL-3.0-or-later
// A checkpoint without its hyper-parameters: the window asks for them, remembers them and saves them on request.
#include "app/window/info_panel.h"
#include "app/window/parameter_form.h"
#include "core/checkpoint/hyper_parameters.h"
#include "tests/app/window/window_fixture.h"
#include "tests/widgets/pictures.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QPushButton>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using namespace headscope;
using namespace headscope::app;

namespace {

struct Fixture : samples::WindowFixture {
    ParameterForm* form() { return window.findChild<ParameterForm*>(); }
    QPushButton* openButton() { return form()->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Open); }
    void ask(const QString& path)
    {
        window.open(path);
        QTRY_VERIFY(form());
        QVERIFY(form()->isVisible());
        QCOMPARE(workspace.checkpoints().rowCount(), 0);
    }
    void choose(const char* heads, int chosen, int layers)
    {
        form()->findChild<QComboBox*>(QStringLiteral("n_heads"))->setCurrentText(QLatin1String(heads));
        form()->findChild<QSpinBox*>(QStringLiteral("moe_k"))->setValue(chosen);
        form()->findChild<QSpinBox*>(QStringLiteral("n_layers"))->setValue(layers);
    }
};

const core::GivenParameters given{{"n_heads", "2"}, {"moe_k", "3"}, {"position_encoding", "rope"}, {"n_layers", "6"}};

} // namespace

class ParameterFormTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void nothingIsGuessed();
    void givenItOpens();
    void cancelledNothingIsOpened();
    void answersAreRememberedForThePath();
    void wrongAnswersAreSaidAndAskedForAgain();
    void answersAreSavedBesideTheCheckpoint();
    void settingsKeepThem();
    void recentFilesThatAreGoneAreForgotten();
    void infoHasThreeParts();
    void pictures();
};

void ParameterFormTest::nothingIsGuessed()
{
    Fixture f;
    f.ask(QStringLiteral("/x/bare.fake"));
    QVERIFY(!f.openButton()->isEnabled());
    const core::GivenParameters empty = f.form()->values();
    QCOMPARE(empty.size(), 4u);
    QCOMPARE(empty[0].second, std::string());
    QCOMPARE(empty[1].second, std::string());
    QCOMPARE(empty[2].second, std::string("rope")); // the shapes leave no other
    f.choose("2", 3, 0);
    QVERIFY(!f.openButton()->isEnabled());
    f.choose("2", 3, 6);
    QVERIFY(f.openButton()->isEnabled());
    QVERIFY(f.form()->values() == given);
    auto* layers = f.form()->findChild<QSpinBox*>(QStringLiteral("n_layers"));
    layers->setValue(7);
    Q_EMIT layers->editingFinished();
    QCOMPARE(layers->value() % 3, 0); // repeats are whole
    QVERIFY(f.window.views().messages()->sentences().isEmpty());
}

void ParameterFormTest::givenItOpens()
{
    Fixture f;
    f.ask(QStringLiteral("/x/bare.fake"));
    f.choose("2", 3, 6);
    f.openButton()->click();
    QTRY_VERIFY(f.workspace.current());
    QVERIFY(f.workspace.checkpoints().current()->options().parameters == given);
    QTRY_VERIFY(!f.form());
}

void ParameterFormTest::cancelledNothingIsOpened()
{
    Fixture f;
    f.window.setText("some words stay");
    f.openAndSettle("/x/moa.fake");
    f.window.open(QStringLiteral("/x/bare.fake"));
    QTRY_VERIFY(f.form());
    f.form()->reject();
    QTRY_VERIFY(!f.form());
    QCOMPARE(f.workspace.checkpoints().rowCount(), 1);
    QVERIFY(f.workspace.current());
}

void ParameterFormTest::answersAreRememberedForThePath()
{
    Fixture f;
    f.ask(QStringLiteral("/x/bare.fake"));
    f.choose("2", 3, 6);
    f.openButton()->click();
    QTRY_VERIFY(f.workspace.current());
    f.workspace.close(f.workspace.checkpoints().current());
    QTRY_VERIFY(!f.form());
    f.window.open(QStringLiteral("/x/bare.fake"));
    QTRY_VERIFY(f.workspace.current()); // not asked again
    QVERIFY(!f.form());
    f.window.open(QStringLiteral("/y/bare.fake"));
    QTRY_VERIFY(f.form()); // another checkpoint
}

void ParameterFormTest::wrongAnswersAreSaidAndAskedForAgain()
{
    Fixture f;
    f.ask(QStringLiteral("/x/bare.fake"));
    f.choose("4", 3, 6);
    f.openButton()->click();
    QTRY_VERIFY(samples::containsVisible(f.window.views().messages()->sentences(), QStringLiteral("4 heads do not divide")));
    QTRY_VERIFY(!f.form());
    f.window.open(QStringLiteral("/x/bare.fake"));
    QTRY_VERIFY(f.form());
}

void ParameterFormTest::answersAreSavedBesideTheCheckpoint()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("bare.fake"));
    std::ofstream(file.toStdString()) << "weights";
    Fixture f;
    f.ask(file);
    f.choose("2", 3, 6);
    f.form()->findChild<QCheckBox*>()->setChecked(true);
    f.openButton()->click();
    QTRY_VERIFY(f.workspace.current());
    const std::filesystem::path sidecar = folder.filePath(QStringLiteral("headscope.json")).toStdString();
    QTRY_VERIFY(std::filesystem::exists(sidecar));
    QTRY_VERIFY(f.workspace.compute().idle());
    const auto saved = core::hyperParametersFrom(sidecar).values;
    QVERIFY(saved.at("n_heads") == 2);
    QVERIFY(saved.at("position_encoding") == "rope");
    QVERIFY(f.window.views().messages()->sentences().isEmpty());
}

void ParameterFormTest::settingsKeepThem()
{
    WindowSettings settings;
    settings.setParameters(QStringLiteral("/x/bare.fake"), given);
    core::GivenParameters kept = settings.parametersOf(QStringLiteral("/x/bare.fake"));
    core::GivenParameters wanted = given;
    std::ranges::sort(kept);
    std::ranges::sort(wanted);
    QVERIFY(kept == wanted);
    settings.setParameters(QStringLiteral("/x/bare.fake"), {});
    QVERIFY(settings.parametersOf(QStringLiteral("/x/bare.fake")).empty());
    QVERIFY(settings.parameters.isEmpty());
}

void ParameterFormTest::recentFilesThatAreGoneAreForgotten()
{
    WindowSettings settings;
    settings.remember(QStringLiteral("/x/one"));
    settings.remember(QStringLiteral("/x/two"));
    settings.remember(QStringLiteral("/x/one"));
    QCOMPARE(settings.recent, (QStringList{QStringLiteral("/x/one"), QStringLiteral("/x/two")}));
    settings.forget(QStringLiteral("/x/one"));
    QCOMPARE(settings.recent, QStringList{QStringLiteral("/x/two")});
}

void ParameterFormTest::infoHasThreeParts()
{
    core::ModelInfo info;
    info.path = "/x/<b>model</b>.pth";
    info.settings = {{"moe.k", "2", "args"}, {"att.n_experts", "5", "shapes"}};
    const QString html = InfoPanel::html(info);
    const qsizetype files = html.indexOf(QStringLiteral("What the files say")), shapes = html.indexOf(QStringLiteral("What the shapes say")),
                    notes = html.indexOf(QStringLiteral("Notes"));
    QVERIFY(files >= 0 && files < shapes && shapes < notes);
    const auto between = [&](const QString& what, qsizetype from, qsizetype to) {
        const qsizetype at = html.indexOf(what);
        return at > from && at < to;
    };
    QVERIFY(between(QStringLiteral("moe.k"), files, shapes));
    QVERIFY(between(QStringLiteral("att.n_experts"), shapes, notes));
    QVERIFY(html.mid(notes).contains(QStringLiteral("none")));
    QVERIFY(!html.contains(QStringLiteral("<b>model"))); // texts of a checkpoint are no HTML
    info.notes = {"odd & usable"};
    QVERIFY(InfoPanel::html(info).contains(QStringLiteral("<li>odd &amp; usable</li>")));
}

void ParameterFormTest::pictures()
{
    for (const bool light : {true, false}) {
        const auto theme = light ? widgets::Theme::light() : widgets::Theme::dark();
        Fixture f;
        f.window.setTheme(light ? ThemeChoice::Light : ThemeChoice::Dark);
        f.ask(QStringLiteral("/x/bare.fake"));
        f.form()->findChild<QComboBox*>(QStringLiteral("n_heads"))->setCurrentIndex(1);
        const QImage image =
            samples::pictureOf(*f.form(), light ? QStringLiteral("form-light") : QStringLiteral("form-dark"), theme, f.form()->sizeHint());
        QVERIFY(samples::inkIn(image, image.rect(), theme.window) > 1000);
    }
}

QTEST_MAIN(ParameterFormTest)
#include "parameter_form_test.moc"
