// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/token_tooltip.h"

#include "widgets/number_text.h"
#include "widgets/visible_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace headscope::widgets {

namespace {

constexpr int shownExperts = 16; // of a router with many, by descending logit

QString tr(const char* text)
{
    return QCoreApplication::translate("TokenTooltip", text);
}

/// One router of a trace and the token it decided about.
struct Decision {
    const core::SiteRouting* site = nullptr;
    int head = 0;
    std::int64_t token = 0;

    float gate(int expert) const // NaN when not chosen
    {
        const int position = place(expert);
        return position < 0 ? std::nanf("") : site->gates[site->slot(token, head, position)];
    }
    int place(int expert) const // among the chosen; -1 when not
    {
        for (int position = 0; position < site->router.chosen; ++position)
            if (site->experts[site->slot(token, head, position)] == expert)
                return position;
        return -1;
    }
    bool doubtful() const { return core::doubtful(*site, token, head, core::doubtThreshold(*site, head)); }
    float margin() const { return site->margins[site->margin(token, head)]; }
};

std::optional<Decision> decisionOf(const core::Trace& trace, int stream, std::size_t token,
                                   const std::optional<core::RouterAddress>& router)
{
    const auto* site = router ? trace.site(*router) : nullptr;
    const int head = site ? site->headOf(*router) : -1;
    if (head < 0 || site->router.stream != stream || static_cast<std::int64_t>(token) >= site->tokens)
        return std::nullopt;
    return Decision{site, head, static_cast<std::int64_t>(token)};
}

QString cells(std::initializer_list<QString> columns, const QString& style = {})
{
    QString row = QStringLiteral("<tr>");
    for (const QString& column : columns)
        row += QStringLiteral("<td align=\"right\" style=\"padding-right:10px;%1\">%2</td>").arg(style, column);
    return row + QStringLiteral("</tr>");
}

/// Experts to list: all of a small router, else the best by logit; only the chosen when no logits were kept.
std::vector<int> listedExperts(const Decision& decision)
{
    const auto& site = *decision.site;
    std::vector<int> experts;
    if (site.logits.empty()) {
        for (int position = 0; position < site.router.chosen; ++position)
            experts.push_back(site.experts[site.slot(decision.token, decision.head, position)]);
        return experts;
    }
    experts.resize(static_cast<std::size_t>(site.router.experts));
    std::iota(experts.begin(), experts.end(), 0);
    if (site.router.experts > shownExperts) {
        const auto logit = [&](int expert) { return site.logits[site.logit(decision.token, decision.head, expert)]; };
        std::stable_sort(experts.begin(), experts.end(), [&](int a, int b) { return logit(a) > logit(b); });
        experts.resize(static_cast<std::size_t>(std::max(shownExperts, site.router.chosen)));
    }
    return experts;
}

QString decisionTable(const Decision& decision)
{
    const auto& site = *decision.site;
    QString html = QStringLiteral("<table cellspacing=\"0\">");
    html += cells({tr("expert"), tr("logit"), tr("gate"), tr("chosen")}, QStringLiteral("font-size:small;"));
    const auto experts = listedExperts(decision);
    for (const int expert : experts) {
        const int place = decision.place(expert);
        const auto logit = site.logits.empty() ? tr("not kept")
                                               : exactNumber(site.logits[site.logit(decision.token, decision.head, expert)]);
        const auto chosen = place < 0 ? QString(QChar(u'\u2013')) : tr("%1. of %2").arg(place + 1).arg(site.router.chosen);
        const auto gate = place < 0 ? QString(QChar(u'\u2013')) : exactNumber(decision.gate(expert));
        html += cells({QString::number(expert), logit, gate, chosen},
                      place < 0 ? QString() : QStringLiteral("font-weight:600;"));
    }
    html += QStringLiteral("</table>");
    const auto left = site.router.experts - static_cast<int>(experts.size());
    if (left > 0)
        html += QStringLiteral("<div>%1</div>").arg(tr("… and %1 experts more").arg(left));
    return html;
}

QString marginText(const Decision& decision)
{
    if (std::isnan(decision.margin()))
        return tr("no margin: nothing is rejected");
    const auto text = tr("margin %1 in logits").arg(exactNumber(decision.margin()));
    return decision.doubtful() ? tr("%1: doubtful").arg(text) : text;
}

QString lossText(const core::Trace& trace, int stream, std::size_t token)
{
    if (stream + 1 != static_cast<int>(trace.streams.size()) || token >= trace.loss.size() || std::isnan(trace.loss[token]))
        return {};
    auto text = tr("loss %1").arg(exactNumber(trace.loss[token]));
    if (token < trace.rank.size() && trace.rank[token] >= 0)
        text += tr(", %1 tokens were more probable").arg(trace.rank[token]);
    return text;
}

QString bytesText(core::ByteRange span)
{
    if (span.empty())
        return tr("no bytes");
    return tr("bytes [%1, %2)").arg(span.begin).arg(span.end);
}

QString headline(const core::TokenizedText& text, std::size_t index)
{
    const auto& token = text.tokens[index];
    auto line = tr("token %1, id %2, %3").arg(index).arg(token.id).arg(bytesText(token.span));
    if (token.special)
        line += tr(", special");
    return line;
}

} // namespace

QString tokenTooltip(const core::Trace& trace, int stream, std::size_t index,
                     const std::optional<core::RouterAddress>& router)
{
    const auto& text = trace.text(stream);
    const auto& token = text.tokens[index];
    QString html = QStringLiteral("<div><b>%1</b></div><div>%2</div>")
                       .arg(isolated(visiblePiece(token)).toHtmlEscaped(), headline(text, index).toHtmlEscaped());
    if (!token.span.empty()) {
        const auto bytes =
            std::string_view(text.text).substr(token.span.begin, std::min<std::size_t>(token.span.size(), 256));
        html +=
            QStringLiteral("<div>%1 %2</div>").arg(tr("text"), isolated(shortened(visibleText(bytes), 64)).toHtmlEscaped());
    }
    const auto loss = lossText(trace, stream, index);
    if (!loss.isEmpty())
        html += QStringLiteral("<div>%1</div>").arg(loss.toHtmlEscaped());
    if (const auto decision = decisionOf(trace, stream, index, router)) {
        const auto address = QString::fromStdString(decision->site->address(decision->head).toString());
        html += QStringLiteral("<div style=\"margin-top:6px\"><b>%1</b></div>").arg(address.toHtmlEscaped());
        html += decisionTable(*decision);
        html += QStringLiteral("<div>%1</div>").arg(marginText(*decision).toHtmlEscaped());
    }
    return html;
}

QString tokenSentence(const core::Trace& trace, int stream, std::size_t index,
                      const std::optional<core::RouterAddress>& router)
{
    const auto& text = trace.text(stream);
    auto sentence = visiblePiece(text.tokens[index]) + QStringLiteral(": ") + headline(text, index);
    if (const auto decision = decisionOf(trace, stream, index, router)) {
        for (int position = 0; position < decision->site->router.chosen; ++position) {
            const auto slot = decision->site->slot(decision->token, decision->head, position);
            sentence += tr("; expert %1 with gate %2")
                            .arg(decision->site->experts[slot])
                            .arg(exactNumber(decision->site->gates[slot]));
        }
        sentence += QStringLiteral("; ") + marginText(*decision);
    }
    return sentence;
}

QString gapTooltip(const core::TokenizedText& text, core::ByteRange gap)
{
    const auto bytes = std::string_view(text.text).substr(gap.begin, std::min<std::size_t>(gap.size(), 256));
    const auto shown = isolated(shortened(visibleText(bytes), 64)).toHtmlEscaped();
    return QStringLiteral("<div><b>%1</b></div><div>%2</div>")
        .arg(shown, tr("dropped by the tokenizer, %1").arg(bytesText(gap)));
}

} // namespace headscope::widgets
