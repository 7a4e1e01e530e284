// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QObject>
#include <QString>

class QMimeData;
class QWidget;

namespace headscope::app {

/// Takes files and folders that are dropped on a window.
class FileDrop : public QObject
{
    Q_OBJECT

public:
    explicit FileDrop(QWidget* window);

    /// The local files and folders among what is dragged.
    static QStringList paths(const QMimeData* data);

Q_SIGNALS:
    void dropped(const QStringList& paths);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace headscope::app
