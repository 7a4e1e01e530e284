// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/map_scene.h"
#include "widgets/number_text.h"
#include "widgets/palette.h"
#include "widgets/visible_text.h"

#include <algorithm>

namespace headscope::widgets {

namespace {

/// An expert's number on its colour.
QString expertBadge(int expert)
{
    const QColor color = expertColor(expert);
    return QStringLiteral("<span style=\"background-color:%1; color:%2\">&nbsp;%3&nbsp;</span>")
        .arg(color.name(), textOn(color).name())
        .arg(expert);
}

QString tokenLine(const QString& role, const std::vector<core::Token>& tokens, std::int64_t index)
{
    const core::Token& token = tokens[static_cast<std::size_t>(index)];
    return QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td><b>%2</b> &nbsp;token %3, id %4</td></tr>")
        .arg(role, visiblePiece(token).toHtmlEscaped(), QString::number(index),
             QString::number(token.id)); // at once: a piece may hold "%3"
}

QString choiceLine(const AxisChoices& choices, const std::vector<ChosenExpert>& chosen)
{
    if (chosen.empty())
        return {};
    QStringList parts;
    for (const ChosenExpert& choice : chosen)
        parts << expertBadge(choice.expert) + QStringLiteral("&nbsp;") + exactNumber(choice.gate);
    return QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td>%2</td></tr>")
        .arg(siteName(choices), parts.join(QStringLiteral("<br>")));
}

QString attentionLine(const MapScene& scene, const CellReading& reading)
{
    QString text;
    if (reading.masked)
        text = QStringLiteral("masked: the query does not see this key");
    else if (reading.blank)
        text = QStringLiteral("no value: expert %1 was not chosen for this query").arg(scene.map.index);
    else
        text = reading.attention ? QStringLiteral("<b>%1</b>").arg(exactNumber(*reading.attention))
                                 : QStringLiteral("computing …");
    return QStringLiteral("<tr><td>attention&nbsp;&nbsp;</td><td>%1</td></tr>").arg(text);
}

QString pathRow(const CellPath& path)
{
    QString row = QStringLiteral("<tr>");
    for (const auto& side : {path.row, path.column})
        if (side)
            row += QStringLiteral("<td>%1&nbsp;</td><td>%2&nbsp;&nbsp;</td>")
                       .arg(expertBadge(side->expert), fixedNumber(side->gate, 4));
    return row + QStringLiteral("<td align=\"right\">%1</td></tr>").arg(readableNumber(path.product));
}

/// attention · gates, one line per pair of chosen experts.
QString pathTable(const CellReading& reading, const Theme& theme)
{
    constexpr std::size_t most = 16;
    if (reading.paths.empty())
        return {};
    const CellPath& first = reading.paths.front();
    const auto head = [&theme](const QString& text, int columns) {
        return QStringLiteral("<td colspan=\"%1\"><span style=\"color:%2\">%3</span>&nbsp;&nbsp;</td>")
            .arg(QString::number(columns), theme.mutedText.name(), text);
    };
    const bool both = first.row && first.column;
    const auto side = [&](const QString& name, const QString& gate) { return head(name + QStringLiteral(", ") + gate, 2); };
    const QString rowGate = both ? QStringLiteral("g<sub>o</sub>") : QStringLiteral("g");
    const QString columnGate = both ? QStringLiteral("g<sub>v</sub>") : QStringLiteral("g");
    QString html = QStringLiteral("<tr>");
    if (first.row)
        html += side(QStringLiteral("destination"), rowGate);
    if (first.column)
        html += side(QStringLiteral("source"), columnGate);
    const QString formula = both ? rowGate + QStringLiteral("·") + columnGate : QStringLiteral("g");
    html += head(QStringLiteral("path a·") + formula, 1) + QStringLiteral("</tr>");
    for (std::size_t i = 0; i < std::min(reading.paths.size(), most); ++i)
        html += pathRow(reading.paths[i]);
    html = QStringLiteral("<table cellspacing=\"1\">%1</table>").arg(html);
    if (reading.paths.size() > most)
        html += QStringLiteral("<p>and %1 more paths</p>").arg(reading.paths.size() - most);
    return html;
}

} // namespace

QString cellHtml(const MapScene& scene, const CellReading& reading, const Theme& theme)
{
    QString html = tokenLine(QStringLiteral("query (row)"), scene.rowTokens(), reading.cell.row) +
                   tokenLine(QStringLiteral("key (column)"), scene.columnTokens(), reading.cell.column) +
                   attentionLine(scene, reading) + choiceLine(scene.choices.rows, reading.rowChoices) +
                   choiceLine(scene.choices.columns, reading.columnChoices);
    return QStringLiteral("<table cellspacing=\"1\">%1</table>").arg(html) + pathTable(reading, theme);
}

} // namespace headscope::widgets
