// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/report.h"

#include "core/export/markup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace headscope::core {
namespace {

template <class... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

std::string agreementText(double agreement)
{
    return std::isnan(agreement) ? std::string() : fmt::format("{:.2f}", agreement);
}

// ── Markdown ──

std::string markdownRow(std::span<const std::string> cells)
{
    std::string line = "|";
    for (const std::string& cell : cells)
        line += " " + markdownText(cell) + " |";
    return line + "\n";
}

std::string markdownTable(const ReportTable& table)
{
    std::string text = markdownRow(table.columns) + "|";
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        text += "---|";
    text += "\n";
    for (const auto& row : table.rows)
        text += markdownRow(row);
    return text + "\n";
}

std::string markdownStrips(const ReportStrips& units)
{
    ReportTable table{{"text", "A", "B", "agreement"}, {}};
    for (const ReportUnit& unit : units)
        table.rows.push_back({unit.text, unit.a, unit.b, agreementText(unit.agreement)});
    return markdownTable(table);
}

// ── HTML ──

constexpr std::size_t lineLength = 150; // characters of a line of strips

std::string htmlText(std::string_view text)
{
    std::string safe;
    for (const char character : text) {
        switch (character) {
        case '&': safe += "&amp;"; break;
        case '<': safe += "&lt;"; break;
        case '>': safe += "&gt;"; break;
        case '"': safe += "&quot;"; break;
        default: safe += character;
        }
    }
    return safe;
}

std::string htmlTable(const ReportTable& table)
{
    std::string text = "<table border=\"1\" cellspacing=\"0\" cellpadding=\"3\" style=\"border-collapse:collapse\"><tr>";
    for (const std::string& column : table.columns)
        text += "<th>" + htmlText(column) + "</th>";
    text += "</tr>\n";
    for (const auto& row : table.rows) {
        text += "<tr>";
        for (const std::string& cell : row)
            text += "<td>" + htmlText(cell) + "</td>";
        text += "</tr>\n";
    }
    return text + "</table>\n";
}

/// Code points, not bytes.
std::size_t lengthOf(std::string_view text)
{
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string cell(std::string_view text, const std::string& colour)
{
    return colour.empty() ? fmt::format("<td align=\"center\">{}</td>", htmlText(text))
                          : fmt::format("<td align=\"center\" bgcolor=\"{}\">{}</td>", colour, htmlText(text));
}

/// White where both agree, darker the less they do, so that differences stand out.
std::string tint(double agreement)
{
    if (std::isnan(agreement))
        return {};
    const auto part = [agreement](int full) {
        return static_cast<int>(std::lround(255 - (255 - full) * std::clamp(1 - agreement, 0.0, 1.0)));
    };
    return fmt::format("#{:02x}{:02x}{:02x}", part(0xF2), part(0xB0), part(0x60));
}

std::string htmlLine(std::span<const ReportUnit> units, const std::function<std::string(int)>& colour)
{
    std::string text = "<tr><td></td>", a = "<tr><td><b>A</b></td>", b = "<tr><td><b>B</b></td>";
    const auto colourOf = [&](int index) { return index < 0 ? std::string() : colour(index); };
    for (const ReportUnit& unit : units) {
        text += cell(unit.text, tint(unit.agreement));
        a += cell(unit.a, colourOf(unit.colourOfA));
        b += cell(unit.b, colourOf(unit.colourOfB));
    }
    return "<table cellspacing=\"1\" cellpadding=\"2\">" + text + "</tr>" + a + "</tr>" + b + "</tr></table>\n";
}

std::string htmlStrips(const ReportStrips& units, const std::function<std::string(int)>& colour)
{
    std::string text;
    for (std::size_t first = 0; first < units.size();) {
        std::size_t last = first, length = 0;
        do {
            length += std::max({lengthOf(units[last].text), lengthOf(units[last].a), lengthOf(units[last].b)}) + 1;
            ++last;
        } while (last < units.size() && length < lineLength);
        text += htmlLine(std::span(units).subspan(first, last - first), colour);
        first = last;
    }
    return text;
}

} // namespace

std::string reportMarkdown(const Report& report)
{
    std::string text;
    for (const ReportBlock& block : report)
        text += std::visit(Overloaded{[](const ReportHeading& heading) {
                                          return std::string(static_cast<std::size_t>(heading.level), '#') + " " +
                                                 markdownText(heading.text) + "\n\n";
                                      },
                                      [](const std::string& paragraph) { return markdownText(paragraph) + "\n\n"; },
                                      [](const ReportTable& table) { return markdownTable(table); },
                                      [](const ReportStrips& strips) { return markdownStrips(strips); }},
                           block);
    return text;
}

std::string reportHtml(const Report& report, const std::function<std::string(int index)>& colour)
{
    std::string text = "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"></head><body>\n";
    for (const ReportBlock& block : report)
        text += std::visit(Overloaded{[](const ReportHeading& heading) {
                                          return fmt::format("<h{0}>{1}</h{0}>\n", heading.level, htmlText(heading.text));
                                      },
                                      [](const std::string& paragraph) { return "<p>" + htmlText(paragraph) + "</p>\n"; },
                                      [](const ReportTable& table) { return htmlTable(table); },
                                      [&colour](const ReportStrips& strips) { return htmlStrips(strips, colour); }},
                           block);
    return text + "</body></html>\n";
}

} // namespace headscope::core
