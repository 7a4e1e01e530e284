// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/cost_text.h"

#include <fmt/format.h>

#include <cmath>

namespace headscope::app {

namespace {

std::string secondsText(double seconds)
{
    constexpr double minute = 60, hour = 60 * minute, day = 24 * hour;
    if (seconds < 1)
        return "less than a second";
    if (seconds < 2 * minute)
        return fmt::format("about {:.0f} s", seconds);
    if (seconds < 2 * hour)
        return fmt::format("about {:.0f} min", seconds / minute);
    if (seconds < 2 * day)
        return fmt::format("about {:.0f} h", seconds / hour);
    return fmt::format("about {:.0f} days", seconds / day);
}

std::string bytesText(std::int64_t bytes)
{
    const double megabytes = static_cast<double>(bytes) / 1e6;
    if (megabytes < 1)
        return "less than 1 MB";
    return megabytes < 1000 ? fmt::format("{:.0f} MB", megabytes) : fmt::format("{:.1f} GB", megabytes / 1000);
}

} // namespace

std::string tokensText(std::int64_t tokens)
{
    std::string digits = std::to_string(tokens);
    for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), ",");
    return digits + (tokens == 1 ? " token" : " tokens");
}

std::optional<std::string> longRunNote(const core::ModelInfo& model, const core::TraceOptions& options, std::int64_t tokens)
{
    const core::TraceCost cost = core::traceCost(model, options, tokens);
    const double seconds = cost.products / core::assumedSpeed(model.device);
    if (seconds <= longSeconds && cost.bytes() <= largeBytes)
        return std::nullopt;
    return fmt::format("{}: {}.", tokensText(tokens), costText(seconds, cost.bytes()));
}

std::string costText(double seconds, std::int64_t bytes)
{
    return fmt::format("{} and {}", secondsText(seconds), bytesText(bytes));
}

} // namespace headscope::app
