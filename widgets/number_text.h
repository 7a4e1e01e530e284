// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>

namespace headscope::widgets {

/// Every digit that tells this float from its neighbours, as a decimal: "0.1", "0.30000001", "1.17e-21". "–" for NaN.
QString exactNumber(float value);
/// A computed value with seven significant digits, for reading: "0.0123457". "–" for NaN.
QString readableNumber(double value);
/// With a fixed number of decimals and a true minus sign, for columns: "−1.20". "–" for NaN.
QString fixedNumber(double value, int decimals);
/// Three decimals, more where these would be zeros: "0.412", "2.4e−07".
QString marginNumber(float value);
/// "32 768", with a thin space between thousands.
QString countText(std::int64_t value);
/// "1 token", "2 tokens".
QString counted(std::int64_t count, const QString& singular, const QString& plural);

} // namespace headscope::widgets
