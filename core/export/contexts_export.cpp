// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/contexts_export.h"

#include "core/checkpoint/message_text.h"
#include "core/export/base64.h"
#include "core/export/corpus_facts.h"
#include "core/tokenizer/displayed.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

namespace headscope::core {

namespace {

constexpr std::string_view chosenList = "chosen";
constexpr std::string_view otherList = "counter-example";

std::int64_t whole(std::uint64_t count)
{
    return static_cast<std::int64_t>(count);
}

DataCell rawBytes(const std::string& text)
{
    return isUtf8(text) ? DataCell{} : DataCell(base64(text));
}

std::vector<DataColumn> longColumns()
{
    return {{"router", "address of the router"},
            {"expert", "e whose contexts these are; blank where all occurrences were listed together"},
            {"id", "token id"},
            {"token", "t as the vocabulary spells it"},
            {"list", "chosen, or counter-example: the same token, and e is not among the chosen experts"},
            {"gate", "of e; for counter-examples and without e the highest gate of the chosen experts"},
            {"experts", "chosen experts with their gates, e:gate, descending"},
            {"margin", "k-th minus (k+1)-th score in logits; blank where nothing is rejected"},
            {"doubtful", "1 where the margin is below rounding or the first percentile of the router's margins"},
            {"document", "ordinal in the corpus, from 0"},
            {"file", "its file"},
            {"file_begin", "first byte of the document in the (unpacked) file"},
            {"begin", "first byte of the keyword in the document"},
            {"end", "one past its last byte"},
            {"window", "of the document, from 0"},
            {"position", "in the window, from 0"},
            {"before", "text before the keyword, raw"},
            {"keyword", "text of the token, raw"},
            {"after", "text behind it, raw"},
            {"unseen",
             "first bytes of before that lie before the window: nothing was decided by them; 0 where they are remembered"},
            {"passage", "text from the first token of the window to a bit past the keyword"},
            {"same_tokens",
             "1 where the passage alone becomes the same tokens, so that the decision is the same but for rounding"},
            {"remembers",
             "1 where the model remembered text before the passage: alone it is decided without that, perhaps otherwise"},
            {"display", "the token with white space and shapeless characters made visible"},
            {"token_base64", "its bytes, where they are not UTF-8"},
            {"passage_base64", "the bytes of the passage, where they are not UTF-8"}};
}

std::vector<DataColumn> readableColumns()
{
    return {{"list", "chosen, or counter-example: the same token, and the expert is not among the chosen ones", true},
            {"gate", "of the expert; for counter-examples the highest gate of the chosen experts"},
            {"experts", "chosen experts with their gates, descending", true},
            {"document", "its file and its ordinal in the corpus, from 0", true},
            {"before", "text before the keyword", true},
            {"keyword", "text of the token"},
            {"after", "text behind it", true}};
}

About aboutContexts(const Contexts& contexts, const ContextsExport& what, std::vector<DataColumn> columns)
{
    About about;
    Facts& facts = about.facts;
    facts.emplace_back("program", what.program);
    addModelFacts(facts, contexts.basis);
    CorpusSize corpus = contexts.corpus;
    addCorpusFacts(facts, corpus);
    facts.pop_back(); // positions of the row, which are told below
    if (!what.note.empty())
        facts.emplace_back("corpus_note", what.note);
    addWindowFacts(facts, contexts.basis);
    facts.emplace_back("table", "contexts");
    facts.emplace_back("routers", what.routers);
    facts.emplace_back("row", what.row);
    facts.emplace_back("expert", what.expert ? DataCell(std::int64_t{*what.expert}) : DataCell{});
    facts.emplace_back("limit", static_cast<std::int64_t>(what.limit));
    facts.emplace_back("n_t", whole(contexts.corpus.positions));
    facts.emplace_back("n_t_behind_documents", whole(contexts.behind));
    facts.emplace_back("windows_with_the_row", whole(contexts.windows));
    facts.emplace_back("windows_run", whole(contexts.windowsRun));
    facts.emplace_back("positions_run", whole(contexts.positionsRun));
    facts.emplace_back("decisions", whole(contexts.decisions));
    if (what.expert)
        facts.emplace_back("chosen_among_decisions", whole(contexts.selections.at(static_cast<std::size_t>(*what.expert))));
    about.formulas = std::move(columns);
    about.notes.emplace_back(what.expert ? "Rows where the expert is chosen come first, by its gate, descending; then "
                                           "counter-examples by the highest gate of the chosen experts, descending; ties in "
                                           "order of the corpus."
                                         : "Ordered by the highest gate, descending; ties in order of the corpus.");
    if (!contexts.whole())
        about.notes.emplace_back(
            "Not all windows that hold the row were run: those that were are spread evenly over the corpus.");
    return about;
}

/// Of the list it stands in.
DataCell gateOf(const Context& context, const std::optional<int>& expert)
{
    const ExpertGate* const found = expert ? context.find(*expert) : nullptr;
    if (found == nullptr && context.experts.empty())
        return {};
    return double{found != nullptr ? found->gate : context.experts.front().gate};
}

std::vector<DataCell> longRow(const Context& context, std::string_view list, const ContextsExport& what)
{
    return {context.router.toString(),
            what.expert ? DataCell(std::int64_t{*what.expert}) : DataCell{},
            std::int64_t{context.id},
            context.piece,
            std::string(list),
            gateOf(context, what.expert),
            expertsText(context),
            double{context.margin},
            std::int64_t{context.doubtful},
            whole(context.document),
            context.path,
            whole(context.documentBegin),
            whole(context.bytes.begin),
            whole(context.bytes.end),
            whole(context.window),
            context.position,
            context.before,
            context.keyword,
            context.after,
            whole(context.unseen),
            context.passage.text,
            std::int64_t{context.passage.sameTokens},
            std::int64_t{context.passage.remembers},
            displayed(context.piece),
            rawBytes(context.piece),
            rawBytes(context.passage.text)};
}

std::vector<DataCell> readableRow(const Context& context, std::string_view list, const ContextsExport& what)
{
    return {std::string(list),
            gateOf(context, what.expert),
            expertsText(context),
            fmt::format("{} #{}", std::filesystem::path(context.path).filename().string(), context.document),
            context.before,
            context.keyword.empty() ? context.piece : context.keyword,
            context.after};
}

} // namespace

std::string expertsText(const Context& context)
{
    std::string text;
    for (const ExpertGate& chosen : context.experts)
        text += fmt::format("{}{}:{:.3g}", text.empty() ? "" : " ", chosen.expert, chosen.gate);
    return text;
}

void writeContexts(std::ostream& out, TableFormat format, const Contexts& contexts, const ContextsExport& what)
{
    const bool forReaders = format == TableFormat::Markdown || format == TableFormat::Latex;
    const std::vector<DataColumn> columns = forReaders ? readableColumns() : longColumns();
    const auto writer = makeTableWriter(out, format, columns, aboutContexts(contexts, what, columns));
    const auto rowOf = forReaders ? readableRow : longRow;
    for (const Context& context : contexts.chosen)
        writer->row(rowOf(context, chosenList, what));
    for (const Context& context : contexts.others)
        writer->row(rowOf(context, otherList, what));
    writer->finish();
}

} // namespace headscope::core
