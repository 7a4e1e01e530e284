// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/window_settings.h"

#include <QFileInfo>
#include <QSettings>

namespace headscope::app {

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
