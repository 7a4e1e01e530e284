// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/weights_export.h"

#include "core/checkpoint/message_text.h"
#include "core/export/base64.h"
#include "core/export/trace_export.h"
#include "core/stats/preferences.h"
#include "core/tokenizer/displayed.h"
#include "core/trace/weight_view.h"

#include <fmt/format.h>

namespace headscope::core {

namespace {

std::vector<DataColumn> columnsOf(WeightsTable table)
{
    if (table == WeightsTable::Likes)
        return {{"router", "address of the router"},
                {"expert", "e, its number in that router"},
                {"id", "token id: row of the embedding"},
                {"token", "as the vocabulary spells it"},
                {"score", "the router's logit for the token's embedding, normed as the layer norms what it reads"},
                {"contrast", "score minus its mean over the experts"},
                {"display", "the token with white space and shapeless characters made visible"},
                {"token_base64", "its bytes, where they are not UTF-8"}};
    return {{"router", "address of the router"},
            {"expert_a", "a"},
            {"expert_b", "b"},
            {"cosine_router", "cosine of the router's rows of a and b"},
            {"cosine_experts", "cosine of the flattened matrices of a and b; blank for routers that pick none"}};
}

void addLikes(DataTableWriter& writer, const std::string& router, const WeightView& view, const Tokenizer* tokenizer,
              std::size_t top)
{
    const std::size_t tokens = view.scores.size() / static_cast<std::size_t>(view.experts);
    const auto lists = preferences(view.scores, view.experts, top == 0 ? tokens : top);
    for (std::size_t expert = 0; expert < lists.size(); ++expert) {
        for (const Preference& preference : lists[expert]) {
            const std::string piece =
                tokenizer == nullptr ? std::string() : tokenizer->piece(static_cast<TokenId>(preference.token));
            writer.row({router, static_cast<std::int64_t>(expert), std::int64_t{preference.token}, piece,
                        static_cast<double>(preference.score), static_cast<double>(preference.contrast), displayed(piece),
                        isUtf8(piece) ? DataCell() : DataCell(base64(piece))});
        }
    }
}

void addAlike(DataTableWriter& writer, const std::string& router, const WeightView& view)
{
    const auto experts = static_cast<std::size_t>(view.experts);
    const std::vector<float> rows = cosineSimilarities({view.routerRows, static_cast<std::size_t>(view.width)});
    for (std::size_t a = 0; a < experts; ++a) {
        for (std::size_t b = a + 1; b < experts; ++b) {
            const std::size_t at = a * experts + b;
            writer.row({router, static_cast<std::int64_t>(a), static_cast<std::int64_t>(b), static_cast<double>(rows[at]),
                        view.expertCosines.empty() ? DataCell() : DataCell(static_cast<double>(view.expertCosines[at]))});
        }
    }
}

About aboutOf(const Model& model, const WeightsExport& what, WeightsTable table)
{
    const ModelInfo& info = *model.info();
    About about;
    about.facts = {{"program", what.program},
                   {"model", modelName(info)},
                   {"family", info.family},
                   {"variant", info.variant},
                   {"checkpoint_fingerprint", what.fingerprint},
                   {"dtype", info.dtype},
                   {"tokenizer", model.tokenizer() ? model.tokenizer()->description() : std::string()},
                   {"table", table == WeightsTable::Likes ? "likes" : "alike"},
                   {"top", static_cast<std::int64_t>(what.top)}};
    about.formulas = columnsOf(table);
    if (table == WeightsTable::Likes)
        about.notes = {
            "No text was run. In the first layer a router decides by these scores, save for positions that are added to the "
            "embedding; deeper down they are a hint, as the layers before have written to what a router reads."};
    return about;
}

} // namespace

std::optional<WeightsTable> weightsTable(std::string_view name)
{
    if (name == "likes")
        return WeightsTable::Likes;
    return name == "alike" ? std::optional(WeightsTable::Alike) : std::nullopt;
}

void writeWeights(std::ostream& out, TableFormat format, WeightsTable table, const Model& model, const WeightsExport& what,
                  const Progress& progress)
{
    const WeightViews* const views = weightViews(model);
    if (views == nullptr)
        throw Error(fmt::format("{}: the weights of a {} cannot be looked at on their own; count a corpus instead.",
                                modelName(*model.info()), model.info()->variant));
    const auto writer = makeTableWriter(out, format, columnsOf(table), aboutOf(model, what, table));
    const Progress quiet = progress.quiet();
    for (std::size_t i = 0; i < what.routers.size(); ++i) {
        const std::string router = what.routers[i].toString();
        progress.at(static_cast<double>(i) / static_cast<double>(what.routers.size()), router);
        const WeightView view = views->weightView(what.routers[i], quiet);
        if (table == WeightsTable::Likes)
            addLikes(*writer, router, view, model.tokenizer().get(), what.top);
        else
            addAlike(*writer, router, view);
    }
    writer->finish();
}

} // namespace headscope::core
