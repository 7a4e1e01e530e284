// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// QCustomPlot's header spells Qt's keywords, which this project compiles without. Only .cpp files include this one: it takes
// seconds.
#include <QObject>

#define signals Q_SIGNALS
#define slots Q_SLOTS
#define emit Q_EMIT
#define foreach Q_FOREACH
#include <qcustomplot.h>
#undef signals
#undef slots
#undef emit
#undef foreach
