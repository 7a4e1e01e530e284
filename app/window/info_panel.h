// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/trace/model_info.h"

#include <QTextBrowser>

namespace headscope::app {

/// What a checkpoint is: what its files say, what the shapes say, and the notes made while it was opened. Selectable text.
class InfoPanel : public QTextBrowser
{
    Q_OBJECT

public:
    explicit InfoPanel(QWidget* parent = nullptr);

    void setInfo(const core::ModelInfo* info); // nullptr: none

    /// As it is shown: HTML in which every text of the checkpoint is escaped.
    static QString html(const core::ModelInfo& info);
};

} // namespace headscope::app
