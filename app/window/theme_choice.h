// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/theme.h"

#include <QString>

#include <cstdint>
#include <optional>

namespace headscope::app {

enum class ThemeChoice : std::uint8_t { System, Light, Dark };

/// "system", "light", "dark".
QString toString(ThemeChoice choice);
std::optional<ThemeChoice> themeChoiceFromString(const QString& name);

/// What the desktop asks for. Ask before applyTheme was called for the first time.
widgets::Theme::Kind systemTheme();
/// Colours the whole program.
void applyTheme(ThemeChoice choice, widgets::Theme::Kind system);

} // namespace headscope::app
