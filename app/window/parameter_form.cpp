// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/parameter_form.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>

namespace headscope::app {

namespace {

/// A number box that is empty until something is chosen: its least value stands for nothing.
QSpinBox* makeNumber(const core::MissingParameter& parameter, const QString& former)
{
    constexpr std::int64_t largest = std::numeric_limits<int>::max();
    auto* box = new QSpinBox;
    const int step = static_cast<int>(std::clamp<std::int64_t>(parameter.step, 1, largest));
    box->setRange(static_cast<int>(parameter.least) - step, static_cast<int>(std::min(parameter.most, largest)));
    box->setSingleStep(step);
    box->setSpecialValueText(QStringLiteral(" "));
    bool isNumber = false;
    const int value = former.toInt(&isNumber);
    box->setValue(isNumber ? value : box->minimum());
    QObject::connect(box, &QSpinBox::editingFinished, box, [box, step] { // only multiples of the step
        const int steps = (box->value() - box->minimum() + step / 2) / step;
        box->setValue(box->minimum() + steps * step);
    });
    return box;
}

QComboBox* makeChoice(const core::MissingParameter& parameter, const QString& former)
{
    auto* box = new QComboBox;
    box->setPlaceholderText(QCoreApplication::translate("ParameterForm", "choose…"));
    for (const std::string& choice : parameter.choices)
        box->addItem(QString::fromStdString(choice));
    box->setCurrentIndex(parameter.choices.size() == 1 ? 0 : box->findText(former));
    return box;
}

std::string valueOf(const QWidget* editor)
{
    if (const auto* choice = qobject_cast<const QComboBox*>(editor))
        return choice->currentIndex() < 0 ? std::string() : choice->currentText().toStdString();
    const auto* number = qobject_cast<const QSpinBox*>(editor);
    return number->value() == number->minimum() ? std::string() : std::to_string(number->value());
}

} // namespace

ParameterForm::ParameterForm(const std::filesystem::path& checkpoint, const std::vector<core::MissingParameter>& missing,
                             const core::GivenParameters& former, QWidget* parent)
    : QDialog(parent), m_form(new QFormLayout), m_save(new QCheckBox(tr("&Save as headscope.json beside the checkpoint"))),
      m_buttons(new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel))
{
    setWindowTitle(tr("Hyper-parameters"));
    auto* about = new QLabel(tr("%1 holds tensors, but not these hyper-parameters, and the shapes do not tell them. Another value "
                                "than that of the training gives other numbers.")
                                 .arg(QString::fromStdString(checkpoint.filename().string())));
    about->setTextFormat(Qt::PlainText);
    about->setWordWrap(true);
    auto* column = new QVBoxLayout(this);
    column->addWidget(about);
    column->addLayout(m_form);
    column->addWidget(m_save);
    column->addWidget(m_buttons);
    for (const core::MissingParameter& parameter : missing) {
        const auto known = std::ranges::find(former, parameter.key, &core::GivenParameters::value_type::first);
        m_form->addRow(QString::fromStdString(parameter.key),
                       makeField(parameter, known == former.end() ? std::string() : known->second));
    }
    connect(m_buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    setMinimumWidth(460);
    check();
}

QWidget* ParameterForm::makeField(const core::MissingParameter& parameter, const std::string& former)
{
    const QString before = QString::fromStdString(former);
    QWidget* editor = nullptr;
    if (parameter.choices.empty()) {
        QSpinBox* number = makeNumber(parameter, before);
        connect(number, &QSpinBox::valueChanged, this, &ParameterForm::check);
        editor = number;
    } else {
        QComboBox* choice = makeChoice(parameter, before);
        connect(choice, &QComboBox::currentIndexChanged, this, &ParameterForm::check);
        editor = choice;
    }
    editor->setObjectName(QString::fromStdString(parameter.key));
    editor->setAccessibleName(QString::fromStdString(parameter.key));
    m_fields.push_back({parameter.key, editor});
    auto* hint = new QLabel(QString::fromStdString(parameter.hint));
    hint->setTextFormat(Qt::PlainText);
    hint->setWordWrap(true);
    auto* cell = new QWidget;
    auto* column = new QVBoxLayout(cell);
    column->setContentsMargins(0, 0, 0, 6);
    column->setSpacing(2);
    column->addWidget(editor, 0, Qt::AlignLeft);
    column->addWidget(hint);
    editor->setMinimumWidth(120);
    return cell;
}

core::GivenParameters ParameterForm::values() const
{
    core::GivenParameters values;
    for (const Field& field : m_fields)
        values.emplace_back(field.key, valueOf(field.editor));
    return values;
}

bool ParameterForm::save() const
{
    return m_save->isChecked();
}

void ParameterForm::check()
{
    const bool complete = std::ranges::none_of(m_fields, [](const Field& field) { return valueOf(field.editor).empty(); });
    m_buttons->button(QDialogButtonBox::Open)->setEnabled(complete);
}

} // namespace headscope::app
