// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/trace_table.h"

#include "app/cli/printable.h"
#include "app/cli/table.h"
#include "core/export/trace_export.h"
#include "core/trace/evaluation_mode.h"
#include "core/trace/model_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string_view>

namespace headscope::app {

namespace {

constexpr std::size_t pieceWidth = 20;

/// One column: a router of the trace.
struct RouterColumn {
    const core::SiteRouting* site = nullptr;
    int head = 0;
    core::DoubtThreshold threshold;
};

std::vector<RouterColumn> columnsOf(const core::Trace& trace, const std::vector<core::RouterAddress>& routers)
{
    std::vector<RouterColumn> columns;
    for (const core::RouterAddress& address : routers) {
        const core::SiteRouting* const site = trace.site(address);
        if (site == nullptr)
            continue;
        const int head = address.head.value_or(0);
        columns.push_back({site, head, core::doubtThreshold(*site, head)});
    }
    return columns;
}

std::string cell(const RouterColumn& column, std::int64_t token)
{
    const core::SiteRouting& site = *column.site;
    std::string text;
    for (int position = 0; position < site.router.chosen; ++position) {
        const std::size_t slot = site.slot(token, column.head, position);
        text += fmt::format("{}{}:{:.2f}", position == 0 ? "" : " ", site.experts[slot], site.gates[slot]);
    }
    return core::doubtful(site, token, column.head, column.threshold) ? text + " ?" : text;
}

void printHeading(std::ostream& out, const core::Trace& trace)
{
    const core::ModelInfo& info = *trace.model;
    const auto stream = static_cast<int>(trace.streams.size()) - 1;
    out << fmt::format("{}: {}, {} tokens", printable(core::modelName(info)), info.variant, trace.tokens(stream));
    double sum = 0;
    std::int64_t counted = 0;
    for (const float loss : trace.loss) {
        if (std::isfinite(loss)) {
            sum += loss;
            ++counted;
        }
    }
    if (counted > 0)
        out << fmt::format(", {:.3f} nats per token", sum / static_cast<double>(counted));
    if (info.visibility.segment > 0)
        out << fmt::format("; {}", core::toString(core::evaluationMode(info)));
    out << '\n';
}

void printLegends(std::ostream& out, const std::vector<RouterColumn>& columns)
{
    std::vector<const core::SiteRouting*> said;
    for (const RouterColumn& column : columns) {
        if (std::find(said.begin(), said.end(), column.site) != said.end())
            continue;
        said.push_back(column.site);
        out << fmt::format("{}: {}\n", column.site->router.address.toString(), column.site->router.legend());
    }
}

std::vector<std::string> row(const core::Trace& trace, const std::vector<RouterColumn>& columns, const core::TokenizedText& text,
                             std::size_t token)
{
    std::vector<std::string> cells{std::to_string(token), shortened(printable(text.tokens[token].piece), pieceWidth)};
    const bool hasLoss = token < trace.loss.size() && std::isfinite(trace.loss[token]);
    cells.push_back(hasLoss ? fmt::format("{:.2f}", trace.loss[token]) : "");
    for (const RouterColumn& column : columns) {
        const auto position = static_cast<std::int64_t>(token);
        cells.push_back(position < column.site->tokens ? cell(column, position) : "");
    }
    return cells;
}

} // namespace

std::vector<core::RouterAddress> firstRouters(const core::ModelInfo& info, std::size_t most)
{
    std::vector<core::RouterAddress> first;
    for (const core::Router& router : info.routers) {
        if (first.size() == most || router.address.depth != info.routers.front().address.depth)
            break;
        first.push_back(router.address);
    }
    return first;
}

void printTraceTable(std::ostream& out, const core::Trace& trace, const std::vector<core::RouterAddress>& routers)
{
    using Align = Table::Align;
    const std::vector<RouterColumn> columns = columnsOf(trace, routers);
    const core::TokenizedText& text = trace.streams.back().text;
    printHeading(out, trace);
    printLegends(out, columns);
    std::vector<Table::Column> titles{{"#", Align::Right}, {"piece"}, {"loss", Align::Right}};
    for (const RouterColumn& column : columns)
        titles.push_back({column.site->address(column.head).toString()});
    Table table(std::move(titles));
    for (std::size_t token = 0; token < text.tokens.size(); ++token)
        table.add(row(trace, columns, text, token));
    if (!text.tokens.empty()) {
        out << '\n';
        table.print(out);
    }
}

} // namespace headscope::app
