// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/figures/report_pdf.h"

#include "core/checkpoint/atomic_file.h"
#include "widgets/palette.h"
#include "widgets/theme.h"

#include <QBuffer>
#include <QGuiApplication>
#include <QPageSize>
#include <QPdfWriter>
#include <QTextDocument>

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
    core::AtomicFile file(path); // first: what cannot be written needs no painting
    QBuffer pages;
    pages.open(QIODevice::WriteOnly);
    {
        QPdfWriter writer(&pages);
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
    file.write(std::string_view(pages.data().constData(), static_cast<std::size_t>(pages.data().size())));
    file.commit();
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
