// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme.h"

#include "widgets/oklab.h"

namespace headscope::widgets {

Theme Theme::light()
{
    Theme theme;
    theme.kind = Kind::Light;
    theme.window = QColor(0xf4, 0xf5, 0xf7);
    theme.base = QColor(0xff, 0xff, 0xff);
    theme.text = QColor(0x1c, 0x1f, 0x24);
    theme.mutedText = QColor(0x5a, 0x61, 0x6b);
    theme.border = QColor(0xc3, 0xc8, 0xd0);
    theme.grid = QColor(0xe4, 0xe7, 0xeb);
    theme.masked = QColor(0xec, 0xee, 0xf1);
    theme.neutral = QColor(0xe2, 0xe5, 0xe9);
    theme.highlight = QColor(0x1a, 0x5f, 0xd0);
    theme.highlightText = QColor(0xff, 0xff, 0xff);
    theme.hover = QColor(0x3d, 0x44, 0x4f);
    theme.doubt = QColor(0x1c, 0x1f, 0x24);
    theme.error = QColor(0xb3, 0x26, 0x1e);
    return theme;
}

Theme Theme::dark()
{
    Theme theme;
    theme.kind = Kind::Dark;
    theme.window = QColor(0x22, 0x25, 0x2a);
    theme.base = QColor(0x18, 0x1a, 0x1e);
    theme.text = QColor(0xe8, 0xea, 0xee);
    theme.mutedText = QColor(0xa3, 0xaa, 0xb5);
    theme.border = QColor(0x4a, 0x50, 0x5a);
    theme.grid = QColor(0x2e, 0x32, 0x39);
    theme.masked = QColor(0x26, 0x29, 0x2f);
    theme.neutral = QColor(0x3a, 0x3f, 0x47);
    theme.highlight = QColor(0x6f, 0xa8, 0xff);
    theme.highlightText = QColor(0x0c, 0x12, 0x1c);
    theme.hover = QColor(0xc4, 0xca, 0xd4);
    theme.doubt = QColor(0xf2, 0xf4, 0xf7);
    theme.error = QColor(0xff, 0x8a, 0x80);
    return theme;
}

QPalette Theme::palette() const
{
    QPalette palette;
    palette.setColor(QPalette::Window, window);
    palette.setColor(QPalette::WindowText, text);
    palette.setColor(QPalette::Base, base);
    palette.setColor(QPalette::AlternateBase, mix(base, window, 0.6));
    palette.setColor(QPalette::Text, text);
    palette.setColor(QPalette::PlaceholderText, mutedText);
    palette.setColor(QPalette::Button, mix(window, neutral, 0.4));
    palette.setColor(QPalette::ButtonText, text);
    palette.setColor(QPalette::BrightText, error);
    palette.setColor(QPalette::ToolTipBase, kind == Kind::Light ? base : neutral);
    palette.setColor(QPalette::ToolTipText, text);
    palette.setColor(QPalette::Highlight, highlight);
    palette.setColor(QPalette::HighlightedText, highlightText);
    palette.setColor(QPalette::Link, highlight);
    palette.setColor(QPalette::LinkVisited, mix(highlight, mutedText, 0.4));
    palette.setColor(QPalette::Light, mix(window, QColor(Qt::white), kind == Kind::Light ? 0.8 : 0.15));
    palette.setColor(QPalette::Midlight, mix(window, base, 0.5));
    palette.setColor(QPalette::Mid, border);
    palette.setColor(QPalette::Dark, mix(border, text, 0.3));
    palette.setColor(QPalette::Shadow, mix(border, QColor(Qt::black), 0.7));
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, mix(window, text, 0.45));
    palette.setColor(QPalette::Disabled, QPalette::Highlight, border);
    return palette;
}

Theme themeOf(const QPalette& palette)
{
    return toOklab(palette.color(QPalette::Base)).lightness > 0.5 ? Theme::light() : Theme::dark();
}

} // namespace headscope::widgets
