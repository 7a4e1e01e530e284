// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/report_pdf.h"

#include "core/checkpoint/message_text.h"
#include "core/error.h"
#include "widgets/palette.h"
#include "widgets/theme.h"

#include <QGuiApplication>
#include <QPageSize>
#include <QPdfWriter>
#include <QSaveFile>
#include <QTextDocument>

#include <fmt/format.h>

namespace headscope::app {

namespace {

constexpr double fontPoints = 7.5;
/// Texts stand on these colours in black.
constexpr double strength = 0.45;

std::string colourOf(int expert)
{
    return widgets::expertColor(expert, strength, widgets::Theme::light()).name().toStdString();
}

} // namespace

void writeReportPdf(const std::filesystem::path& path, const core::Report& report)
{
    QSaveFile file(QString::fromStdString(path.string()));
    if (!file.open(QIODevice::WriteOnly))
        throw core::Error(fmt::format("{} cannot be written: {}; choose another place.", core::shown(path), file.errorString().toStdString()));
    {
        QPdfWriter writer(&file);
        writer.setPageSize(QPageSize(QPageSize::A4));
        writer.setPageOrientation(QPageLayout::Landscape);
        writer.setPageMargins({}); // QTextDocument keeps its own, with the number of the page
        writer.setCreator(QStringLiteral("Headscope"));
        QTextDocument document;
        QFont font(QStringLiteral("DejaVu Sans"));
        font.setPointSizeF(fontPoints);
        document.setDefaultFont(font);
        document.setHtml(QString::fromStdString(core::reportHtml(report, colourOf)));
        document.print(&writer);
    }
    if (!file.commit())
        throw core::Error(fmt::format("{} cannot be written: {}; choose another place.", core::shown(path), file.errorString().toStdString()));
}

void writeReportPdfWithoutWindow(const std::filesystem::path& path, const core::Report& report)
{
    if (QCoreApplication::instance() != nullptr)
        return writeReportPdf(path, report);
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    int count = 1;
    char name[] = "headscope";
    char* arguments[] = {name, nullptr};
    const QGuiApplication program(count, arguments);
    writeReportPdf(path, report);
}

} // namespace headscope::app
