// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QPalette>

namespace headscope::widgets {

/// The colours of everything that is drawn. Views do not store one: they ask themeOf(palette()) and repaint on
/// QEvent::PaletteChange, so QApplication::setPalette(Theme::dark().palette()) is all that switches the window.
struct Theme {
    enum class Kind { Light, Dark };

    Kind kind = Kind::Light;
    QColor window;        // behind panels and toolbars
    QColor base;          // behind data
    QColor text;          // on window and base
    QColor mutedText;     // captions, axis words; still 4.5 : 1 on window and base
    QColor border;        // outlines of controls and cells
    QColor grid;          // fine lines inside a view
    QColor masked;        // cells that cannot hold a value: keys a query does not see, blank rows
    QColor neutral;       // a chip or bar of no strength
    QColor highlight;     // outline and tint of what is selected
    QColor highlightText; // on a surface filled with highlight
    QColor hover;         // outline of what is under the mouse
    QColor doubt;         // mark of a doubtful choice
    QColor error;         // dead experts, error bars

    static Theme light();
    static Theme dark();
    QPalette palette() const;

    bool operator==(const Theme&) const = default;
};

/// Light or dark, by the lightness of the palette's base.
Theme themeOf(const QPalette& palette);

} // namespace headscope::widgets
