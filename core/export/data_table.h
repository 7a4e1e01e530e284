// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace headscope::core {

/// A blank, a number or a text (raw, any bytes). NaN is a blank too.
using DataCell = std::variant<std::monostate, std::int64_t, double, std::string>;

struct DataColumn {
    std::string name;
    std::string meaning; // its formula or what it is, one line
    bool running = false; // running text, not a token: in Markdown and LaTeX its spaces stay spaces
};

/// What led to a table: facts in order (`"min_count": 10`), what the columns mean, and what is to be known besides.
struct About {
    std::vector<std::pair<std::string, DataCell>> facts;
    std::vector<DataColumn> formulas;
    std::vector<std::string> notes;
};

enum class TableFormat : std::uint8_t { Csv, Tsv, Json, Markdown, Latex };
/// By the extension of a file name: ".csv", ".tsv", ".json", ".md", ".markdown", ".tex".
std::optional<TableFormat> tableFormat(std::string_view extension);

/// What stands before the first byte of a CSV or TSV file for programs that else take it for another encoding than UTF-8.
inline constexpr std::string_view utf8Mark = "\xEF\xBB\xBF";

/// Writes a table row by row, so that it is never held whole.
///
/// CSV is RFC 4180 in UTF-8: CRLF, quotes where needed; text cells that begin with = + - @ (or tab, carriage return) get an
/// apostrophe before them, so that no spreadsheet takes them for formulas; numbers never. A comment line would be no RFC
/// 4180, so `about` stands as JSON in a last column of that name, in the first row; the same in TSV. TSV has one line a row,
/// with \t, \n, \r and \\ for tab, line feed, carriage return and backslash. JSON is {"about": {…}, "columns": […], "rows":
/// [{…}, …]}. Markdown and LaTeX hold what a reader sees: four significant digits, shapeless characters made visible,
/// `about` below (as a list) or above (as comments).
///
/// Broken UTF-8 becomes U+FFFD everywhere. Blanks are empty, in JSON null.
class DataTableWriter
{
public:
    virtual ~DataTableWriter() = default;
    /// As many cells as columns.
    virtual void row(const std::vector<DataCell>& cells) = 0;
    /// To be called once, at the end.
    virtual void finish() = 0;
};
/// `out` outlives the writer.
std::unique_ptr<DataTableWriter> makeTableWriter(std::ostream& out, TableFormat format, std::vector<DataColumn> columns,
                                                 const About& about);

/// A cell of CSV, quotes and safety included.
std::string csvCell(const DataCell& cell);
std::string tsvCell(const DataCell& cell);

/// One line of JSON.
std::string aboutJson(const About& about);
/// "- key: value" lines for the end of a Markdown file.
std::string aboutMarkdown(const About& about);
/// "% key: value" lines for the beginning of a LaTeX file.
std::string aboutLatex(const About& about);

} // namespace headscope::core
