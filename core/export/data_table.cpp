// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/data_table.h"

#include "core/checkpoint/message_text.h"
#include "core/export/json_writer.h"
#include "core/export/markup.h"
#include "core/tokenizer/displayed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <sstream>

namespace headscope::core {

namespace {

using Layout = JsonWriter::Layout;

bool isBlank(const DataCell& cell)
{
    const double* const number = std::get_if<double>(&cell);
    return std::holds_alternative<std::monostate>(cell) || (number != nullptr && !std::isfinite(*number));
}

bool isText(const DataCell& cell)
{
    return std::holds_alternative<std::string>(cell);
}

/// All digits of a number, the bytes of a text made UTF-8.
std::string plain(const DataCell& cell)
{
    if (isBlank(cell))
        return {};
    if (const auto* const integer = std::get_if<std::int64_t>(&cell))
        return fmt::format("{}", *integer);
    if (const auto* const number = std::get_if<double>(&cell))
        return fmt::format("{}", *number);
    return toUtf8(std::get<std::string>(cell));
}

/// A text as a reader sees it: of a token every space is visible, of running text none.
std::string readableText(const std::string& text, const DataColumn& column)
{
    if (!column.running)
        return displayed(text);
    std::string shown;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(' ', begin), text.size());
        shown += displayed(std::string_view(text).substr(begin, end - begin));
        if (end < text.size())
            shown += ' ';
        begin = end + 1;
    }
    return shown;
}

/// What a reader sees.
std::string readable(const DataCell& cell)
{
    const auto* const number = std::get_if<double>(&cell);
    return number != nullptr && !isBlank(cell) ? fmt::format("{:.4g}", *number) : plain(cell);
}

void writeCell(JsonWriter& json, const DataCell& cell)
{
    if (isBlank(cell))
        json.null();
    else if (const auto* const integer = std::get_if<std::int64_t>(&cell))
        json.value(*integer);
    else if (const auto* const number = std::get_if<double>(&cell))
        json.value(*number);
    else
        json.value(std::get<std::string>(cell));
}

void writeAbout(JsonWriter& json, const About& about, Layout layout)
{
    json.beginObject(layout);
    for (const auto& [name, value] : about.facts) {
        json.key(name);
        writeCell(json, value);
    }
    json.key("formulas");
    json.beginObject(layout);
    for (const DataColumn& formula : about.formulas)
        json.member(formula.name, formula.meaning);
    json.endObject();
    json.key("notes");
    json.beginArray(layout);
    for (const std::string& note : about.notes)
        json.value(note);
    json.endArray();
    json.endObject();
}

/// A sentence on one line: what would end it or is not UTF-8 becomes a space or U+FFFD.
std::string oneLine(const DataCell& cell)
{
    std::string text = plain(cell);
    for (char& c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            c = ' ';
    }
    return text;
}

std::string aboutLines(const About& about, std::string_view mark, std::string (*text)(std::string_view))
{
    std::string lines;
    const auto add = [&](std::string_view name, const DataCell& value) {
        if (!isBlank(value))
            lines += fmt::format("{}{}: {}\n", mark, name, text(oneLine(value)));
    };
    for (const auto& [name, value] : about.facts)
        add(name, value);
    for (const DataColumn& formula : about.formulas)
        add(formula.name, formula.meaning);
    for (const std::string& note : about.notes)
        add("note", note);
    return lines;
}

/// CSV and TSV: a header, a line a row, `about` in the first.
class SeparatedWriter : public DataTableWriter
{
public:
    using CellText = std::string (*)(const DataCell&);
    SeparatedWriter(std::ostream& out, char separator, std::string_view lineEnd, CellText cellText,
                    const std::vector<DataColumn>& columns, const About& about)
        : m_out(out), m_separator(separator), m_lineEnd(lineEnd), m_cellText(cellText), m_about(aboutJson(about))
    {
        std::string line;
        for (const DataColumn& column : columns)
            line += m_cellText(column.name) + m_separator;
        m_out << line << "about" << m_lineEnd;
    }
    void row(const std::vector<DataCell>& cells) override
    {
        std::string line;
        for (const DataCell& cell : cells)
            line += m_cellText(cell) + m_separator;
        m_out << line << m_cellText(m_about) << m_lineEnd;
        m_about.clear();
    }
    void finish() override {}

private:
    std::ostream& m_out;
    char m_separator;
    std::string_view m_lineEnd;
    CellText m_cellText;
    std::string m_about; // until it is written
};

class JsonTableWriter : public DataTableWriter
{
public:
    JsonTableWriter(std::ostream& out, std::vector<DataColumn> columns, const About& about)
        : m_json(out), m_columns(std::move(columns))
    {
        m_json.beginObject();
        m_json.key("about");
        writeAbout(m_json, about, Layout::Lines);
        m_json.key("columns");
        m_json.beginArray(Layout::OneLine);
        for (const DataColumn& column : m_columns)
            m_json.value(column.name);
        m_json.endArray();
        m_json.key("rows");
        m_json.beginArray();
    }
    void row(const std::vector<DataCell>& cells) override
    {
        m_json.beginObject(Layout::OneLine);
        for (std::size_t i = 0; i < cells.size(); ++i) {
            m_json.key(m_columns[i].name);
            writeCell(m_json, cells[i]);
        }
        m_json.endObject();
    }
    void finish() override
    {
        m_json.endArray();
        m_json.endObject();
        m_json.flush();
    }

private:
    JsonWriter m_json;
    std::vector<DataColumn> m_columns;
};

class MarkdownWriter : public DataTableWriter
{
public:
    MarkdownWriter(std::ostream& out, const std::vector<DataColumn>& columns, const About& about)
        : m_out(out), m_columns(columns), m_about(aboutMarkdown(about))
    {
        std::string line = "|";
        for (const DataColumn& column : columns)
            line += fmt::format(" {} |", markdownText(column.name));
        m_out << line << '\n';
    }
    void row(const std::vector<DataCell>& cells) override
    {
        rule(&cells);
        std::string line = "|";
        for (std::size_t i = 0; i < cells.size(); ++i)
            line += fmt::format(" {} |", isText(cells[i])
                                             ? markdownText(readableText(std::get<std::string>(cells[i]), m_columns[i]))
                                             : readable(cells[i]));
        m_out << line << '\n';
    }
    void finish() override
    {
        rule(nullptr);
        m_out << '\n' << m_about;
    }

private:
    /// The line under the titles; numbers are aligned to the right, which the first row tells.
    void rule(const std::vector<DataCell>* first)
    {
        if (m_ruled)
            return;
        std::string line = "|";
        for (std::size_t i = 0; i < m_columns.size(); ++i)
            line += first != nullptr && !isText((*first)[i]) ? "---:|" : "---|";
        m_out << line << '\n';
        m_ruled = true;
    }

    std::ostream& m_out;
    std::vector<DataColumn> m_columns;
    std::string m_about;
    bool m_ruled = false;
};

class LatexWriter : public DataTableWriter
{
public:
    LatexWriter(std::ostream& out, const std::vector<DataColumn>& columns, const About& about)
        : m_out(out), m_columns(columns)
    {
        m_out << aboutLatex(about) << latexBegin() << "\\begingroup\\footnotesize\n";
    }
    void row(const std::vector<DataCell>& cells) override
    {
        begin(&cells);
        std::string line;
        for (std::size_t i = 0; i < cells.size(); ++i)
            line += (i == 0 ? "" : " & ") + (isText(cells[i])
                                                 ? latexText(readableText(std::get<std::string>(cells[i]), m_columns[i]))
                                                 : readable(cells[i]));
        m_out << line << " \\\\\n";
        if (++m_rows % rowsOfAPage == 0) { // a tabular does not break over pages
            m_out << "\\bottomrule\n\\end{tabular}\n\n";
            m_begun = false;
        }
    }
    void finish() override
    {
        if (m_begun || m_rows == 0) {
            begin(nullptr);
            m_out << "\\bottomrule\n\\end{tabular}\n\n";
        }
        m_out << "\\endgroup\n" << latexEnd();
    }

private:
    static constexpr std::size_t rowsOfAPage = 40;

    void begin(const std::vector<DataCell>* first)
    {
        if (m_begun)
            return;
        std::string letters;
        std::string titles;
        for (std::size_t i = 0; i < m_columns.size(); ++i) {
            letters += first != nullptr && !isText((*first)[i]) ? 'r' : 'l';
            titles += (i == 0 ? "" : " & ") + latexText(m_columns[i].name);
        }
        m_out << "\\noindent\\begin{tabular}{" << letters << "}\n\\toprule\n" << titles << " \\\\\n\\midrule\n";
        m_begun = true;
    }

    std::ostream& m_out;
    std::vector<DataColumn> m_columns;
    std::size_t m_rows = 0;
    bool m_begun = false;
};

} // namespace

std::optional<TableFormat> tableFormat(std::string_view extension)
{
    if (extension == ".csv")
        return TableFormat::Csv;
    if (extension == ".tsv")
        return TableFormat::Tsv;
    if (extension == ".json")
        return TableFormat::Json;
    if (extension == ".md" || extension == ".markdown")
        return TableFormat::Markdown;
    if (extension == ".tex")
        return TableFormat::Latex;
    return std::nullopt;
}

std::string csvCell(const DataCell& cell)
{
    std::string text = plain(cell);
    if (isText(cell) && !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos)
        text.insert(text.begin(), '\'');
    if (text.find_first_of(",\"\r\n") == std::string::npos && (text.empty() || (text.front() != ' ' && text.back() != ' ')))
        return text;
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"')
            quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

std::string tsvCell(const DataCell& cell)
{
    std::string out;
    for (const char c : plain(cell)) {
        switch (c) {
        case '\t': out += "\\t"; break;
        case '\n': out += "\\n"; break;
        case '\r': out += "\\r"; break;
        case '\\': out += "\\\\"; break;
        default: out += c;
        }
    }
    return out;
}

std::string aboutJson(const About& about)
{
    std::ostringstream out;
    {
        JsonWriter json(out);
        writeAbout(json, about, Layout::OneLine);
    }
    std::string text = std::move(out).str();
    text.erase(text.find_last_not_of('\n') + 1);
    return text;
}

std::string aboutMarkdown(const About& about)
{
    return aboutLines(about, "- ", markdownText);
}

std::string aboutLatex(const About& about)
{
    return aboutLines(about, "% ", [](std::string_view text) { return std::string(text); });
}

std::unique_ptr<DataTableWriter> makeTableWriter(std::ostream& out, TableFormat format, std::vector<DataColumn> columns,
                                                 const About& about)
{
    switch (format) {
    case TableFormat::Csv: return std::make_unique<SeparatedWriter>(out, ',', "\r\n", csvCell, columns, about);
    case TableFormat::Tsv: return std::make_unique<SeparatedWriter>(out, '\t', "\n", tsvCell, columns, about);
    case TableFormat::Json: return std::make_unique<JsonTableWriter>(out, std::move(columns), about);
    case TableFormat::Markdown: return std::make_unique<MarkdownWriter>(out, columns, about);
    case TableFormat::Latex: return std::make_unique<LatexWriter>(out, columns, about);
    }
    return nullptr;
}

} // namespace headscope::core
