// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/window_settings.h"

#include <QFileInfo>
#include <QSettings>

#include <utility>

namespace headscope::app {

namespace {

using widgets::CompareTint;

const std::pair<CompareTint, QString> tints[]{{CompareTint::Agreement, QStringLiteral("agreement")},
                                              {CompareTint::MeanAgreement, QStringLiteral("meanAgreement")},
                                              {CompareTint::Loss, QStringLiteral("loss")},
                                              {CompareTint::Divergence, QStringLiteral("divergence")}};

CompareChoices loadCompare(const QSettings& stored)
{
    CompareChoices choices;
    for (const auto& [tint, name] : tints)
        if (stored.value(QStringLiteral("compare/tint")).toString() == name)
            choices.tint = tint;
    choices.onlyDifferences = stored.value(QStringLiteral("compare/onlyDifferences")).toBool();
    choices.matching = core::matchingFromString(stored.value(QStringLiteral("compare/matching")).toString().toStdString());
    return choices;
}

void saveCompare(QSettings& stored, const CompareChoices& choices)
{
    for (const auto& [tint, name] : tints)
        if (choices.tint == tint)
            stored.setValue(QStringLiteral("compare/tint"), name);
    stored.setValue(QStringLiteral("compare/onlyDifferences"), choices.onlyDifferences);
    const std::string matching(choices.matching ? core::toString(*choices.matching) : "automatic");
    stored.setValue(QStringLiteral("compare/matching"), QString::fromStdString(matching));
}

} // namespace

WindowSettings WindowSettings::load()
{
    const QSettings stored;
    WindowSettings settings;
    settings.geometry = stored.value(QStringLiteral("window/geometry")).toByteArray();
    settings.docks = stored.value(QStringLiteral("window/docks")).toByteArray();
    settings.splitter = stored.value(QStringLiteral("window/splitter")).toByteArray();
    settings.theme =
        themeChoiceFromString(stored.value(QStringLiteral("window/theme")).toString()).value_or(ThemeChoice::System);
    settings.recent = stored.value(QStringLiteral("files/recent")).toStringList().mid(0, mostRecent);
    settings.folder = stored.value(QStringLiteral("files/folder")).toString();
    settings.parameters = stored.value(QStringLiteral("files/parameters")).toMap();
    settings.compare = loadCompare(stored);
    return settings;
}

void WindowSettings::save() const
{
    QSettings stored;
    stored.setValue(QStringLiteral("window/geometry"), geometry);
    stored.setValue(QStringLiteral("window/docks"), docks);
    stored.setValue(QStringLiteral("window/splitter"), splitter);
    stored.setValue(QStringLiteral("window/theme"), toString(theme));
    stored.setValue(QStringLiteral("files/recent"), recent);
    stored.setValue(QStringLiteral("files/folder"), folder);
    stored.setValue(QStringLiteral("files/parameters"), parameters);
    saveCompare(stored, compare);
}

void WindowSettings::remember(const QString& path)
{
    recent.removeAll(path);
    recent.prepend(path);
    recent = recent.mid(0, mostRecent);
    folder = QFileInfo(path).absolutePath();
}

void WindowSettings::forget(const QString& path)
{
    recent.removeAll(path);
}

core::GivenParameters WindowSettings::parametersOf(const QString& path) const
{
    core::GivenParameters given;
    const QVariantMap values = parameters.value(path).toMap();
    for (auto it = values.begin(); it != values.end(); ++it)
        given.emplace_back(it.key().toStdString(), it.value().toString().toStdString());
    return given;
}

void WindowSettings::setParameters(const QString& path, const core::GivenParameters& given)
{
    QVariantMap values;
    for (const auto& [key, value] : given)
        values.insert(QString::fromStdString(key), QString::fromStdString(value));
    if (values.isEmpty())
        parameters.remove(path);
    else
        parameters.insert(path, values);
}

} // namespace headscope::app
