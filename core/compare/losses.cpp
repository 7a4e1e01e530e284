// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/compare/losses.h"

#include "core/compare/unit_intervals.h"
#include "core/trace/model_info.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace headscope::core {
namespace {

constexpr double blank = std::numeric_limits<double>::quiet_NaN();

/// -ln p of all tokens of the range together; NaN where one is not known.
double lossOf(const Trace& trace, TokenRange range, int stream)
{
    if (trace.loss.empty() || stream + 1 != static_cast<int>(trace.streams.size()))
        return blank;
    double sum = 0;
    for (std::size_t token = range.first; token < range.last; ++token)
        sum += static_cast<double>(trace.loss[token]);
    return sum;
}

/// The row that predicts a token is that of the one before: what that sees, itself included.
std::int64_t contextOf(const Trace& trace, std::size_t token)
{
    const auto at = static_cast<std::int64_t>(token);
    return at == 0 ? 0 : at - (trace.model ? trace.model->visibility.firstVisible(at - 1) : 0);
}

} // namespace

std::vector<UnitComparison> compareUnits(const ComparedTraces& traces, const Alignment& alignment, int stream)
{
    std::vector<UnitComparison> units;
    for (const AlignedUnit& unit : alignment.units) {
        UnitComparison compared;
        compared.bytes = unit.bytes;
        compared.agreement = blank;
        compared.divergence = blank;
        compared.lossA = lossOf(*traces.a, unit.a, stream);
        compared.lossB = lossOf(*traces.b, unit.b, stream);
        compared.contextA = contextOf(*traces.a, unit.a.first);
        compared.contextB = contextOf(*traces.b, unit.b.first);
        units.push_back(compared);
    }
    return units;
}

LossComparison compareLosses(std::span<const UnitComparison> units, WithIntervals intervals)
{
    LossComparison result;
    double lossA = 0, lossB = 0;
    std::vector<double> differences(units.size(), 0), bytes(units.size(), 0);
    for (std::size_t i = 0; i < units.size(); ++i) {
        const UnitComparison& unit = units[i];
        if (std::isnan(unit.lossA) || std::isnan(unit.lossB))
            continue;
        result.bytes += static_cast<std::int64_t>(unit.bytes.size());
        lossA += unit.lossA;
        lossB += unit.lossB;
        differences[i] = (unit.lossB - unit.lossA) / std::numbers::ln2;
        bytes[i] = static_cast<double>(unit.bytes.size());
    }
    const double bits = std::numbers::ln2 * static_cast<double>(result.bytes);
    result.bitsPerByteA = result.bytes > 0 ? lossA / bits : blank;
    result.bitsPerByteB = result.bytes > 0 ? lossB / bits : blank;
    result.difference = {blank, blank};
    if (intervals == WithIntervals::Yes) {
        const UnitInterval difference = ratioInterval(differences, bytes);
        result.difference = difference.interval;
        result.differenceStretches = difference.stretches;
        result.differenceDoubtful = difference.doubtful;
    }
    return result;
}

} // namespace headscope::core
