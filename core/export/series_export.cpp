// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/series_export.h"

#include "core/export/corpus_facts.h"

#include <ostream>

namespace headscope::core {

void writeSeries(std::ostream& out, TableFormat format, const Series& series, const std::string& program)
{
    const std::vector<DataColumn> columns{
        {"step", "of the checkpoint, the number in its name"},
        {"checkpoint", "its file"},
        {"router", "address; \"all\" for the mean over the routers"},
        {"saturation", "share of its choices that the last step makes too (Muennighoff et al. 2024)"},
        {"chance", "the same for independent choices of these loads, Σ_e i(e)·i_last(e)/k"},
        {"next", "share of its choices that the next step makes too"},
        {"entropy", "of the load, divided by log E"},
        {"bits_per_byte", "loss of the text; the same for every router"},
    };
    About about;
    about.facts.emplace_back("program", program);
    about.facts.emplace_back("steps", static_cast<std::int64_t>(series.members.size()));
    addEvaluationFacts(about.facts, series.evaluation);
    about.formulas = columns;
    const auto writer = makeTableWriter(out, format, columns, about);
    for (std::size_t i = 0; i < series.members.size(); ++i) {
        const SeriesMember& member = series.members[i];
        const auto row = [&](const std::string& router, const auto& values) {
            writer->row({member.step, member.name, router, values.saturation[i], values.chance[i], values.next[i],
                         values.entropy[i], series.bitsPerByte[i]});
        };
        row("all", series);
        for (const RouterSeries& router : series.routers)
            row(router.address.toString(), router);
    }
    writer->finish();
}

} // namespace headscope::core
