// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/missing_parameters.h"

#include <QDialog>

#include <filesystem>
#include <vector>

class QCheckBox;
class QDialogButtonBox;
class QFormLayout;

namespace headscope::app {

/// Asks for the hyper-parameters that a checkpoint lacks. Nothing is filled in but what the shapes leave no choice about, or
/// what was given for this checkpoint before; until all are there it cannot be accepted.
class ParameterForm : public QDialog
{
    Q_OBJECT

public:
    ParameterForm(const std::filesystem::path& checkpoint, const std::vector<core::MissingParameter>& missing,
                  const core::GivenParameters& former, QWidget* parent = nullptr);

    /// As many as were missing; an empty value where nothing was chosen yet.
    core::GivenParameters values() const;
    /// Also as headscope.json beside the checkpoint.
    bool save() const;

private:
    QWidget* makeField(const core::MissingParameter& parameter, const std::string& former);
    void check();

    struct Field {
        std::string key;
        QWidget* editor = nullptr; // QComboBox or QSpinBox
    };
    std::vector<Field> m_fields;
    QFormLayout* m_form;
    QCheckBox* m_save;
    QDialogButtonBox* m_buttons;
};

} // namespace headscope::app
