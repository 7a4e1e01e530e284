// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/table_output.h"

#include "app/cli/command.h"
#include "app/cli/printable.h"
#include "core/export/atomic_stream.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include <filesystem>

namespace headscope::app {

void TableOutput::add(CLI::App& app, const std::string& description)
{
    app.add_option("--out", m_path, description)->type_name("FILE");
    app.add_flag("--excel", m_excel, "begin .csv or .tsv with the mark (BOM) by which Excel knows UTF-8");
}

void TableOutput::check(const CLI::App& app) const
{
    const auto format = core::tableFormat(std::filesystem::path(m_path).extension().string());
    if (app.count("--out") > 0 && !format)
        throw UsageError(
            fmt::format("--out needs a name that ends in .csv, .tsv, .json, .md or .tex; {} does not.", printable(m_path)));
    if (m_excel && format != core::TableFormat::Csv && format != core::TableFormat::Tsv)
        throw UsageError("--excel is for a file that Excel opens: give --out a name that ends in .csv or .tsv too.");
}

core::TableFormat TableOutput::format() const
{
    return core::tableFormat(std::filesystem::path(m_path).extension().string()).value();
}

void TableOutput::write(const std::function<void(std::ostream& out, core::TableFormat format)>& table) const
{
    core::AtomicStream file(m_path);
    if (m_excel)
        file.stream() << core::utf8Mark;
    table(file.stream(), format());
    file.commit();
}

} // namespace headscope::app
