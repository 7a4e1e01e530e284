// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/memory_form.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

namespace headscope::app {

namespace {

/// A number box whose least value, one below `least`, stands for nothing chosen.
QSpinBox* makeNumber(const QString& name, int least, int most, const std::optional<std::int64_t>& chosen)
{
    auto* box = new QSpinBox;
    box->setObjectName(name);
    box->setRange(least - 1, most);
    box->setSpecialValueText(MemoryForm::tr("as in the run's own evaluation"));
    box->setValue(chosen ? static_cast<int>(std::min<std::int64_t>(*chosen, most)) : least - 1);
    return box;
}

std::optional<std::int64_t> valueOf(const QSpinBox* box)
{
    return box->value() == box->minimum() ? std::nullopt : std::optional<std::int64_t>(box->value());
}

} // namespace

MemoryForm::MemoryForm(const core::EvaluationMode& now, const core::OpenOptions& chosen, QWidget* parent) : QDialog(parent)
{
    setWindowTitle(tr("Memory"));
    auto* about = new QLabel(
        tr("A token sees its own segment up to itself, and so many segments before it. Now: %1. Another choice opens the "
           "checkpoint again.")
            .arg(QString::fromStdString(core::toString(now))));
    about->setWordWrap(true);
    m_blocks = makeNumber(QStringLiteral("memoryBlocks"), 0, 1 << 20, chosen.memoryBlocks);
    m_segment = makeNumber(QStringLiteral("segment"), 1, 1 << 24, chosen.segment);
    auto* form = new QFormLayout;
    form->addRow(tr("&Memory blocks"), m_blocks);
    form->addRow(tr("&Tokens of a segment"), m_segment);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel);
    buttons->addButton(tr("&Open again"), QDialogButtonBox::AcceptRole);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->addWidget(about);
    column->addLayout(form);
    column->addWidget(buttons);
    setMinimumWidth(420);
}

std::optional<std::int64_t> MemoryForm::memoryBlocks() const
{
    return valueOf(m_blocks);
}

std::optional<std::int64_t> MemoryForm::segment() const
{
    return valueOf(m_segment);
}

} // namespace headscope::app
