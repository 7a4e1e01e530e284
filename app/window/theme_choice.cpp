// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/theme_choice.h"

#include <QApplication>
#include <QToolTip>

namespace headscope::app {

QString toString(ThemeChoice choice)
{
    switch (choice) {
    case ThemeChoice::System: return QStringLiteral("system");
    case ThemeChoice::Light: return QStringLiteral("light");
    case ThemeChoice::Dark: return QStringLiteral("dark");
    }
    return {};
}

std::optional<ThemeChoice> themeChoiceFromString(const QString& name)
{
    for (const ThemeChoice choice : {ThemeChoice::System, ThemeChoice::Light, ThemeChoice::Dark})
        if (toString(choice) == name)
            return choice;
    return std::nullopt;
}

widgets::Theme::Kind systemTheme()
{
    return widgets::themeOf(QGuiApplication::palette()).kind;
}

void applyTheme(ThemeChoice choice, widgets::Theme::Kind system)
{
    const bool dark = choice == ThemeChoice::System ? system == widgets::Theme::Kind::Dark : choice == ThemeChoice::Dark;
    const QPalette palette = (dark ? widgets::Theme::dark() : widgets::Theme::light()).palette();
    QApplication::setPalette(palette);
    QToolTip::setPalette(palette);
}

} // namespace headscope::app
