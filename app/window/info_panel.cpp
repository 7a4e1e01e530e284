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

QString settings(const core::ModelInfo& info)
{
    QString rows;
    for (const core::Setting& setting : info.settings)
        rows +=
            QStringLiteral(
                "<tr><td style='padding-right:10px'>%1</td><td style='padding-right:10px'>%2</td><td><i>%3</i></td></tr>")
                .arg(text(setting.name), text(setting.value), text(setting.source));
    return rows.isEmpty() ? QString()
                          : QStringLiteral("<h4>%1</h4><table>%2</table>").arg(InfoPanel::tr("Hyper-parameters"), rows);
}

QString notes(const core::ModelInfo& info)
{
    QString items;
    for (const std::string& note : info.notes)
        items += QStringLiteral("<li>%1</li>").arg(text(note));
    return items.isEmpty()
               ? QString()
               : QStringLiteral("<h4>%1</h4><ul style='margin-left:-24px'>%2</ul>").arg(InfoPanel::tr("Notes"), items);
}

} // namespace

QString InfoPanel::html(const core::ModelInfo& info)
{
    const QLocale numbers = QLocale::c();
    QString rows;
    rows += row(tr("Path"), text(info.path));
    rows += row(tr("Family"), text(info.family));
    rows += row(tr("Variant"), text(info.variant));
    rows += row(tr("Container"), text(info.container) + QStringLiteral(", ") + bytesText(info.modelBytes));
    rows += row(tr("Parameters"), numbers.toString(static_cast<qlonglong>(info.parameters)));
    rows += row(tr("Layers"), QString::number(info.layers));
    rows += row(tr("Width"), QString::number(info.width));
    rows += row(tr("Heads"), tr("%1 of width %2").arg(info.heads).arg(info.headWidth));
    rows += row(tr("Vocabulary"), QString::number(info.vocabulary));
    rows += row(tr("Positions"), text(info.positions));
    rows += row(tr("Norm"), text(info.norm));
    rows += row(tr("Attention sees"), visibility(info.visibility));
    rows += row(tr("Routers"), routers(info));
    rows += row(tr("Tokenizer"), info.tokenizer.empty() ? tr("none: texts are lists of ids") : text(info.tokenizer));
    rows += row(tr("Text is read"), QString::fromUtf8(toString(info.textPolicy.split).data()));
    return QStringLiteral("<table>%1</table>").arg(rows) + notes(info) + settings(info);
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
