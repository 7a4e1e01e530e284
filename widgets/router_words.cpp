// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/router_words.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

#include <algorithm>
#include <numeric>
#include <vector>

namespace headscope::widgets {

namespace {

constexpr int shownExperts = 16;

QString tr(const char* text)
{
    return QCoreApplication::translate("RouterWords", text);
}

QString number(double value)
{
    return QLocale::c().toString(value, 'g', 4);
}

QString percent(double share)
{
    return QLocale::c().toString(100 * share, 'f', 1) + QStringLiteral(" %");
}

QString row(const QStringList& columns)
{
    QString html = QStringLiteral("<tr>");
    for (const QString& column : columns)
        html += QStringLiteral("<td align=\"right\" style=\"padding-right:10px\">%1</td>").arg(column);
    return html + QStringLiteral("</tr>");
}

/// All experts of a small router, else those with most selections.
std::vector<std::size_t> listedExperts(const core::Load& load)
{
    std::vector<std::size_t> experts(load.selections.size());
    std::iota(experts.begin(), experts.end(), 0);
    if (experts.size() > shownExperts) {
        std::stable_sort(experts.begin(), experts.end(),
                         [&](std::size_t a, std::size_t b) { return load.selections[a] > load.selections[b]; });
        experts.resize(shownExperts);
    }
    return experts;
}

QString loadTable(const core::Load& load)
{
    const auto total = std::accumulate(load.selections.begin(), load.selections.end(), std::int64_t{0});
    QString html =
        QStringLiteral("<table cellspacing=\"0\">") + row({tr("expert"), tr("chosen"), tr("share"), tr("sum of gates")});
    for (const auto expert : listedExperts(load)) {
        const auto chosen = load.selections[expert];
        const double share = total > 0 ? static_cast<double>(chosen) / static_cast<double>(total) : 0;
        html += row({QString::number(expert), tr("%1×").arg(chosen), percent(share), number(load.gateMass[expert])});
    }
    html += QStringLiteral("</table>");
    if (load.selections.size() > shownExperts)
        html += QStringLiteral("<div>%1</div>").arg(tr("… and %1 experts more").arg(load.selections.size() - shownExperts));
    return html;
}

QString deadText(const core::Load& load)
{
    if (load.dead == 0)
        return tr("every expert was chosen");
    QStringList dead;
    for (std::size_t expert = 0; expert < load.selections.size() && dead.size() < shownExperts; ++expert)
        if (load.selections[expert] == 0)
            dead.append(QString::number(expert));
    if (load.dead > dead.size())
        dead.append(QString(QChar(u'\u2026')));
    return tr("never chosen in this text: %1 of %2 (%3)")
        .arg(load.dead)
        .arg(load.selections.size())
        .arg(dead.join(QStringLiteral(", ")));
}

QString entropyText(const core::Load& load)
{
    return tr("entropy of load %1 (uniform routing of as many tokens: %2)")
        .arg(number(load.entropy), number(load.expectedEntropy));
}

} // namespace

QString siteWords(core::Block block, core::Site site)
{
    QString words;
    switch (site) {
    case core::Site::Q: words = tr("Q"); break;
    case core::Site::K: words = tr("K"); break;
    case core::Site::V: words = tr("V"); break;
    case core::Site::O: words = tr("O"); break;
    case core::Site::QO: words = tr("Q + O"); break;
    case core::Site::Head: words = tr("heads"); break;
    case core::Site::Mlp: words = tr("FFN"); break;
    }
    return block == core::Block::Cross ? tr("cross %1").arg(words) : words;
}

QString sideWords(core::Side side)
{
    return side == core::Side::Source ? tr("source") : tr("destination");
}

QString layerWords(core::Stack stack, int depth)
{
    switch (stack) {
    case core::Stack::Encoder: return tr("encoder layer %1").arg(depth);
    case core::Stack::Decoder: return tr("decoder layer %1").arg(depth);
    case core::Stack::None: break;
    }
    return tr("layer %1").arg(depth);
}

QString routerTooltip(const core::SiteRouting& site, int head, const core::Load& load)
{
    const auto address = QString::fromStdString(site.address(head).toString());
    QString html = QStringLiteral("<div><b>%1</b></div><div>%2</div>")
                       .arg(address.toHtmlEscaped(), QString::fromStdString(site.router.legend()).toHtmlEscaped());
    if (site.tokens == 0)
        return html + QStringLiteral("<div>%1</div>").arg(tr("no tokens"));
    html += loadTable(load);
    html +=
        QStringLiteral("<div>%1</div><div>%2</div>").arg(entropyText(load).toHtmlEscaped(), deadText(load).toHtmlEscaped());
    if (site.router.weightsGroup)
        html += QStringLiteral("<div>%1</div>").arg(tr("applies weights that other layers apply too").toHtmlEscaped());
    return html;
}

QString routerSentence(const core::SiteRouting& site, int head, const core::Load& load)
{
    const auto address = QString::fromStdString(site.address(head).toString());
    const auto legend = QString::fromStdString(site.router.legend());
    return QStringList{address, legend, entropyText(load), deadText(load)}.join(QStringLiteral("; "));
}

} // namespace headscope::widgets
