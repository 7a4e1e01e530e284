// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace headscope::core {

// A report for a reader, apart from how it is written. Texts are raw: what writes them escapes them.

struct ReportHeading {
    int level = 1; // 1 is the title
    std::string text;
};

struct ReportTable {
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows; // as many cells as columns
};

/// One stretch of a text and what two models chose for it.
struct ReportUnit {
    std::string text;   // in display form
    std::string a, b;   // "3", "1 4"
    int colourOfA = -1; // index into the palette; -1 for none
    int colourOfB = -1;
    double agreement = std::numeric_limits<double>::quiet_NaN();
};
using ReportStrips = std::vector<ReportUnit>;

using ReportBlock = std::variant<ReportHeading, std::string, ReportTable, ReportStrips>; // a string is a paragraph
using Report = std::vector<ReportBlock>;

/// GitHub's Markdown; strips are tables.
std::string reportMarkdown(const Report& report);

/// A page of its own that asks for nothing from elsewhere, of the simple kind that QTextDocument understands; strips are
/// lines of coloured cells. `colour` gives "#rrggbb" for an index of the palette.
std::string reportHtml(const Report& report, const std::function<std::string(int index)>& colour);

} // namespace headscope::core
