// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/contexts_table.h"

#include "app/cli/printable.h"
#include "app/cli/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <vector>

namespace headscope::app {

namespace {

constexpr std::size_t sideWidth = 36;
constexpr std::size_t keywordWidth = 20;
constexpr std::size_t documentWidth = 24;
constexpr std::string_view spaces = " \t\r\n";

/// The last columns of what stands before a keyword, so that it ends there.
std::string ending(const std::string& text, std::size_t width)
{
    for (std::size_t characters = width; characters > 0; --characters) {
        const std::string shown = printable(core::lastCharacters(text, characters));
        if (displayWidth(shown) <= width)
            return shown;
    }
    return {};
}

/// "left [keyword] right" with the bracket in one column. The space that belongs to a piece stands before the bracket.
std::string lineOf(const core::Context& context)
{
    const std::size_t first = context.keyword.find_first_not_of(spaces);
    const bool shown = first != std::string::npos;
    const std::string before =
        ending(context.before + context.keyword.substr(0, shown ? first : context.keyword.size()), sideWidth);
    const std::string keyword = shortened(
        printable(shown ? std::string_view(context.keyword).substr(first) : std::string_view(context.piece)), keywordWidth);
    const std::size_t room = sideWidth + keywordWidth - displayWidth(keyword);
    return std::string(sideWidth - displayWidth(before), ' ') + before + "[" + keyword + "]" +
           shortened(printable(context.after), room);
}

std::string expertsOf(const core::Context& context)
{
    std::string text;
    for (const core::ExpertGate& chosen : context.experts)
        text += fmt::format("{}{}:{:.2f}", text.empty() ? "" : " ", chosen.expert, chosen.gate);
    return context.doubtful ? text + " ?" : text;
}

void printList(std::ostream& out, const std::vector<core::Context>& contexts)
{
    using Align = Table::Align;
    Table table({{"", Align::Left}, {"", Align::Left}, {"", Align::Left}});
    for (const core::Context& context : contexts) {
        const std::string name = std::filesystem::path(context.path).filename().string();
        table.add({expertsOf(context), shortened(printable(name), documentWidth) + fmt::format(" #{}", context.document),
                   lineOf(context)});
    }
    table.print(out, "  ");
}

} // namespace

std::string contextsSummary(const core::Contexts& contexts, std::optional<int> expert)
{
    if (contexts.windows == 0)
        return fmt::format("found nowhere among {} tokens of {} {}", contexts.corpus.tokens, contexts.corpus.documents,
                           contexts.corpus.documents == 1 ? "document" : "documents");
    std::string text = fmt::format("found {} times in {} {}", contexts.corpus.positions, contexts.windows,
                                   contexts.windows == 1 ? "window" : "windows");
    if (contexts.behind > 0)
        text += fmt::format(" (and {} times behind documents, which does not count)", contexts.behind);
    if (!contexts.whole())
        text += fmt::format("; {} of the windows were run, spread evenly", contexts.windowsRun);
    if (expert)
        text += fmt::format("; expert {} was chosen at {} of {} positions", *expert,
                            contexts.selections.at(static_cast<std::size_t>(*expert)), contexts.decisions);
    return text;
}

void printContexts(std::ostream& out, const core::Contexts& contexts, const core::ContextsExport& what)
{
    out << fmt::format("{}, {}: {}\n", printable(what.routers), printable(what.row), contextsSummary(contexts, what.expert));
    if (!contexts.chosen.empty()) {
        out << (what.expert ? fmt::format("\nexpert {} chosen, by its gate\n", *what.expert)
                            : std::string("\nby the highest gate\n"));
        printList(out, contexts.chosen);
    }
    if (!contexts.others.empty()) {
        out << fmt::format("\ncounter-examples, expert {} not chosen, by the highest gate\n", *what.expert);
        printList(out, contexts.others);
    }
}

} // namespace headscope::app
