// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/trace/model_cost.h"

#include <QString>
#include <QWidget>

#include <cstdint>
#include <memory>
#include <utility>

class QComboBox;
class QCustomPlot;
class QLabel;
class QSpinBox;
class QTableWidget;

namespace headscope::widgets {

/// What the attention of two models costs (core/cost): a table for one length, and a plot over lengths. The memory is a
/// multiple of the length, as in the papers (C = 1 + memory / length).
class CostView : public QWidget
{
    Q_OBJECT

public:
    enum class Quantity { MultiplyAccumulates, StoredFloats };

    explicit CostView(QWidget* parent = nullptr);

    /// nullptr: nothing. Another pair of models begins with the length that A was trained with.
    void setModels(std::shared_ptr<const core::ModelInfo> a, std::shared_ptr<const core::ModelInfo> b);
    void setLength(const core::SequenceLength& length);
    void setQuantity(Quantity quantity);

    core::SequenceLength length() const;
    Quantity quantity() const;
    /// Of the table: rows are quantities, columns A and B.
    QString cell(int row, int column) const;
    QString rowTitle(int row) const;
    int rows() const;
    /// What is drawn at a length, of A and of B; for tests.
    std::pair<double, double> plotted(std::int64_t tokens) const;

protected:
    void changeEvent(QEvent* event) override;

private:
    QWidget* makeChoices();
    void showTable();
    void showPlot();
    void recolor();
    double value(const core::ModelInfo& model, const core::SequenceLength& length) const;

    std::shared_ptr<const core::ModelInfo> m_a;
    std::shared_ptr<const core::ModelInfo> m_b;
    QSpinBox* m_tokens = nullptr;
    QComboBox* m_memory = nullptr;
    QComboBox* m_quantity = nullptr;
    QLabel* m_note = nullptr;
    QTableWidget* m_table = nullptr;
    QCustomPlot* m_plot = nullptr;
};

} // namespace headscope::widgets
