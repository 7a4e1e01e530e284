// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/statistic_text.h"

#include "widgets/number_text.h"

#include <cmath>

namespace headscope::widgets {

QString columnName(core::PairColumn column)
{
    const std::string_view name = core::info(column).name;
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

QString statisticText(core::PairColumn column, double value)
{
    if (std::isnan(value))
        return fixedNumber(value, 0);
    if (core::info(column).integer)
        return countText(static_cast<std::int64_t>(value));
    using enum core::PairColumn;
    switch (column) {
    case P:
    case Q:
        return value > 0 && value < 0.001 ? QString::number(value, 'e', 1).replace(u'-', QChar(0x2212))
                                          : fixedNumber(value, 3);
    case GateMass:
    case Expected:
    case G2: return fixedNumber(value, 1);
    default: return fixedNumber(value, 3);
    }
}

std::vector<bool> matchingRows(const RouterStatistics& statistics, const QRegularExpression& filter)
{
    const std::size_t rows = statistics.table.rowsCount();
    if (filter.pattern().isEmpty() || !filter.isValid())
        return std::vector<bool>(rows, true);
    std::vector<bool> matching(rows);
    for (std::size_t row = 0; row < rows; ++row)
        matching[row] = filter.match(rowText(statistics, row)).hasMatch();
    return matching;
}

} // namespace headscope::widgets
