// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/info_panel.h"

#include "app/window/checkpoint_list_item_model.h"
#include "app/window/status_line.h"

#include <QLocale>

#include <algorithm>
#include <vector>

namespace headscope::app {

namespace {

QString text(const std::string& bytes)
{
    return QString::fromStdString(bytes).toHtmlEscaped();
}

QString row(const QString& name, const QString& value)
{
    return value.isEmpty() ? QString()
                           : QStringLiteral("<tr><td style='padding-right:10px'>%1</td><td>%2</td></tr>").arg(name, value);
}

QString visibility(const core::Visibility& seen)
{
    QString words = seen.causal ? InfoPanel::tr("keys up to the query") : InfoPanel::tr("all keys");
    if (seen.segment > 0)
        words += InfoPanel::tr(", segments of %1 tokens, %2 back").arg(seen.segment).arg(seen.segmentsBack);
    if (seen.sameLength)
        words += InfoPanel::tr(", of the oldest from the same place on");
    return words;
}

/// Every distinct legend once, with the number of routers it holds for.
QString routers(const core::ModelInfo& info)
{
    std::vector<std::pair<QString, int>> kinds;
    for (const core::Router& router : info.routers) {
        const QString legend = QStringLiteral("<b>%1</b> %2")
                                   .arg(QString::fromUtf8(toString(router.address.site).data()), text(router.legend()));
        const auto same = std::ranges::find(kinds, legend, &std::pair<QString, int>::first);
        if (same == kinds.end())
            kinds.emplace_back(legend, 1);
        else
            ++same->second;
    }
    QStringList lines;
    for (const auto& [legend, count] : kinds)
        lines << QStringLiteral("%1 × %2").arg(count).arg(legend);
    return lines.isEmpty() ? InfoPanel::tr("none: this model is dense") : lines.join(QStringLiteral("<br>"));
}

bool fromShapes(const core::Setting& setting)
{
    return setting.source == "shapes";
}

QString table(const QString& rows)
{
    return rows.isEmpty() ? QString() : QStringLiteral("<table>%1</table>").arg(rows);
}

QString part(const QString& title, const QString& content)
{
    return QStringLiteral("<h4>%1</h4>%2").arg(title, content);
}

/// Where a value comes from, what gave way to it, and whether the weights confirm it.
QString origin(const core::Setting& setting)
{
    QString words = text(setting.source);
    if (!setting.overrode.empty())
        words += InfoPanel::tr(", instead of %1").arg(text(setting.overrode));
    if (setting.unconfirmed)
        words += InfoPanel::tr("; not confirmed by the weights");
    return words;
}

/// Every hyper-parameter with the place it comes from.
QString settings(const core::ModelInfo& info)
{
    QString rows;
    for (const core::Setting& setting : info.settings)
        if (!fromShapes(setting))
            rows += QStringLiteral(
                        "<tr><td style='padding-right:10px'>%1</td><td style='padding-right:10px'>%2</td><td><i>%3</i></td></tr>")
                        .arg(text(setting.name), text(setting.value), origin(setting));
    return table(rows);
}

QString files(const core::ModelInfo& info)
{
    QString rows = row(InfoPanel::tr("Path"), text(info.path));
    rows += row(InfoPanel::tr("Container"), QStringLiteral("%1, %2").arg(text(info.container), bytesText(info.modelBytes)));
    rows += row(InfoPanel::tr("Family"), text(info.family));
    rows += row(InfoPanel::tr("Tokenizer"),
                info.tokenizer.empty() ? InfoPanel::tr("none: texts are lists of ids") : text(info.tokenizer));
    rows += row(InfoPanel::tr("Text is read"), QString::fromUtf8(toString(info.textPolicy.split).data()));
    return table(rows) + settings(info);
}

QString shapes(const core::ModelInfo& info)
{
    QString rows = row(InfoPanel::tr("Variant"), text(info.variant));
    rows += row(InfoPanel::tr("Parameters"), QLocale::c().toString(static_cast<qlonglong>(info.parameters)));
    rows += row(InfoPanel::tr("Layers"), QString::number(info.layers));
    rows += row(InfoPanel::tr("Width"), QString::number(info.width));
    rows += row(InfoPanel::tr("Heads"), InfoPanel::tr("%1 of width %2").arg(info.heads).arg(info.headWidth));
    rows += row(InfoPanel::tr("Vocabulary"), QString::number(info.vocabulary));
    rows += row(InfoPanel::tr("Positions"), text(info.positions));
    rows += row(InfoPanel::tr("Norm"), text(info.norm));
    rows += row(InfoPanel::tr("Attention sees"), visibility(info.visibility));
    rows += row(InfoPanel::tr("Routers"), routers(info));
    for (const core::Setting& setting : info.settings)
        if (fromShapes(setting))
            rows += row(text(setting.name), text(setting.value));
    return table(rows);
}

QString notes(const core::ModelInfo& info)
{
    QString items;
    for (const std::string& note : info.notes)
        items += QStringLiteral("<li>%1</li>").arg(text(note));
    return items.isEmpty() ? InfoPanel::tr("There are none.")
                           : QStringLiteral("<ul style='margin-left:-24px'>%1</ul>").arg(items);
}

} // namespace

QString InfoPanel::html(const core::ModelInfo& info)
{
    return part(tr("What the files say"), files(info)) + part(tr("What the shapes say"), shapes(info)) +
           part(tr("Notes"), notes(info));
}

InfoPanel::InfoPanel(QWidget* parent) : QTextBrowser(parent)
{
    setOpenLinks(false);
    setFrameShape(QFrame::NoFrame);
    setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    document()->setDocumentMargin(6);
    setAccessibleName(tr("About the checkpoint"));
    setInfo(nullptr);
}

void InfoPanel::setInfo(const core::ModelInfo* info)
{
    setHtml(info ? html(*info) : tr("No checkpoint is open."));
}

} // namespace headscope::app
