// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare_tooltip.h"

#include "widgets/number_text.h"
#include "widgets/visible_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace headscope::widgets {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("CompareView", text);
}

QString line(const QString& text)
{
    return QStringLiteral("<div>%1</div>").arg(text.toHtmlEscaped());
}

QString heading(const QString& text)
{
    return QStringLiteral("<div style=\"margin-top:6px\"><b>%1</b></div>").arg(text.toHtmlEscaped());
}

QString bytesText(const core::TokenizedText& text, core::ByteRange bytes)
{
    const auto shown = std::string_view(text.text).substr(bytes.begin, std::min<std::size_t>(bytes.size(), 256));
    return isolated(shortened(visibleText(shown), 64));
}

/// Piece, id, and the experts with their gates.
QString tokenLine(const core::Token& token, std::size_t index, const ShownRouter& router)
{
    QString words = QStringLiteral("%1 (%2)").arg(isolated(shortened(visiblePiece(token), 32))).arg(token.id);
    if (!router.decides(index))
        return line(tr("%1: no decision").arg(words));
    QStringList experts;
    for (int position = 0; position < router.site->router.chosen; ++position) {
        const int expert = router.expert(static_cast<std::int64_t>(index), position);
        const float gate = router.site->gates[router.site->slot(static_cast<std::int64_t>(index), router.head, position)];
        experts << tr("%1 with gate %2").arg(router.names[static_cast<std::size_t>(expert)], exactNumber(gate));
    }
    return line(
        tr("%1: %2 %3").arg(words, experts.size() == 1 ? tr("expert") : tr("experts"), experts.join(QStringLiteral(", "))));
}

QString sideText(const QString& title, const core::TokenizedText& text, const StripItems& strip, CompareColumn::Items items,
                 const ShownRouter& router)
{
    QString html = heading(title);
    for (std::uint32_t i = items.first; i < items.second; ++i) {
        const StripItem& item = strip.items[i];
        html += item.kind == StripItem::Kind::Gap ? line(tr("bytes that the tokenizer dropped"))
                                                  : tokenLine(text.tokens[item.index], item.index, router);
    }
    return items.first == items.second ? html + line(tr("nothing of its own here")) : html;
}

QString row(const QString& name, const QString& value)
{
    return QStringLiteral("<tr><td style=\"padding-right:12px\">%1</td><td align=\"right\">%2</td></tr>")
        .arg(name.toHtmlEscaped(), value.toHtmlEscaped());
}

} // namespace

QString compareTooltip(const ComparedModels& models, const CompareStripContents& contents, std::size_t column)
{
    const CompareColumn& at = contents.columns.columns[column];
    const core::TokenizedText& textA = models.traces.a->text();
    QString html = QStringLiteral("<div><b>%1</b></div>").arg(bytesText(textA, at.bytes).toHtmlEscaped());
    html += line(at.bytes.empty() ? tr("no bytes") : tr("bytes [%1, %2)").arg(at.bytes.begin).arg(at.bytes.end));
    html += sideText(tr("A, %1").arg(models.nameA), textA, contents.columns.a, at.a, contents.routerA);
    html += sideText(tr("B, %1").arg(models.nameB), models.traces.b->text(), contents.columns.b, at.b, contents.routerB);
    if (!at.unit || *at.unit >= models.comparison->units.size())
        return html + heading(tr("not compared: only one of the models has this"));
    const core::UnitComparison& unit = models.comparison->units[*at.unit];
    html += QStringLiteral("<table style=\"margin-top:6px\">");
    if (!contents.tints.title.isEmpty() && *at.unit < contents.tints.values.size())
        html += row(contents.tints.title, readableNumber(contents.tints.values[*at.unit]));
    html += row(tr("agreement, mean of all router pairs"), readableNumber(unit.agreement));
    html += row(tr("loss of A, nats"), readableNumber(unit.lossA));
    html += row(tr("loss of B, nats"), readableNumber(unit.lossB));
    html += row(tr("loss of B − A, nats"), readableNumber(unit.lossB - unit.lossA));
    html += row(tr("KL(A‖B) behind it, nats"), readableNumber(unit.divergence));
    html += row(tr("context of A, tokens"), countText(unit.contextA));
    html += row(tr("context of B, tokens"), countText(unit.contextB));
    return html + QStringLiteral("</table>");
}

QString leftOutTooltip(const ComparedModels& models, const CompareColumns& columns, std::size_t first, std::size_t last)
{
    core::ByteRange bytes{columns.columns[first].bytes.begin, columns.columns[first].bytes.begin};
    for (std::size_t i = first; i < last; ++i)
        bytes.end = std::max(bytes.end, columns.columns[i].bytes.end);
    return QStringLiteral("<div>%1</div><div>%2</div>")
        .arg(tr("%1 here agree fully in this router:")
                 .arg(counted(static_cast<std::int64_t>(last - first), tr("place"), tr("places")))
                 .toHtmlEscaped(),
             bytesText(models.traces.a->text(), bytes).toHtmlEscaped());
}

QString routerPairTooltip(const core::RouterComparison& pair)
{
    const auto address = [](const core::RouterAddress& router) { return QString::fromStdString(router.toString()); };
    const auto withInterval = [](double value, const core::Interval& interval) {
        const QString text = intervalText(interval, 3);
        return text.isEmpty() ? readableNumber(value) : QStringLiteral("%1 %2").arg(readableNumber(value), text);
    };
    QString html =
        QStringLiteral("<div><b>%1</b></div>").arg(tr("A %1 ↔ B %2").arg(address(pair.a), address(pair.b)).toHtmlEscaped());
    html += line(tr("A chooses %1 of %2, B %3 of %4; matched %5")
                     .arg(pair.chosenA)
                     .arg(pair.expertsA)
                     .arg(pair.chosenB)
                     .arg(pair.expertsB)
                     .arg(matchingWords(pair.matching)));
    html += QStringLiteral("<table style=\"margin-top:6px\">");
    html += row(tr("agreement"), withInterval(pair.agreement, pair.interval));
    html += row(tr("chance, from the loads alone"), readableNumber(pair.chance));
    html += row(tr("null, tokens' choices permuted"), withInterval(pair.nullMean, pair.null));
    html += row(tr("most that can be reached"), readableNumber(pair.bound));
    html += row(tr("divergence of the loads, bits"), readableNumber(pair.loadDivergence));
    html += row(tr("mutual information, bits"), readableNumber(pair.mutualInformation));
    html += row(tr("rank correlation of the gates"), readableNumber(pair.gateCorrelation));
    html += row(tr("experts matched alike in every fold"), readableNumber(pair.stability));
    html += QStringLiteral("</table>");
    for (const std::string& note : pair.notes)
        html += line(QString::fromStdString(note));
    return html;
}

} // namespace headscope::widgets
