// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/resources.h"

#include <QCoreApplication>
#include <QFile>
#include <QPainter>
#include <QSvgRenderer>

#include <system_error>

namespace headscope::app {

namespace fs = std::filesystem;

namespace {

bool isFile(const fs::path& path)
{
    std::error_code failed;
    return fs::is_regular_file(path, failed);
}

bool holdsDemo(const fs::path& folder)
{
    std::error_code failed;
    return fs::is_directory(folder / "demo", failed);
}

QByteArray builtIn(const QString& path)
{
    QFile file(QStringLiteral(":/headscope/") + path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QPixmap drawn(QSvgRenderer& renderer, int pixels, double opacity)
{
    QPixmap pixmap(pixels, pixels);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setOpacity(opacity);
    renderer.render(&painter);
    return pixmap;
}

} // namespace

std::optional<fs::path> resourceFolder()
{
    if (const QByteArray given = qgetenv("HEADSCOPE_RESOURCES"); !given.isEmpty())
        return holdsDemo(given.toStdString()) ? std::optional<fs::path>(given.toStdString()) : std::nullopt;
    fs::path above = QCoreApplication::applicationDirPath().toStdString();
    if (const fs::path installed = above / "../share/headscope"; holdsDemo(installed))
        return installed.lexically_normal();
    for (int up = 0; up < 4; ++up, above = above.parent_path()) // <source>/build/<preset>/bin
        if (holdsDemo(above / "resources"))
            return above / "resources";
    return std::nullopt;
}

std::vector<fs::path> demoCheckpoints()
{
    std::vector<fs::path> found;
    if (const auto folder = resourceFolder())
        for (const char* name : {"switchhead", "moa"})
            if (const fs::path file = *folder / "demo" / name / "model-1400.pth"; isFile(file))
                found.push_back(file);
    return found;
}

std::vector<SampleText> sampleTexts()
{
    const std::pair<const char*, QString> samples[]{
        {"conversation", QCoreApplication::translate("samples", "Conversation")},
        {"dictionary", QCoreApplication::translate("samples", "Dictionary entries")},
        {"chronicle", QCoreApplication::translate("samples", "Chronicle")},
        {"jargon", QCoreApplication::translate("samples", "Hackers' jargon")},
        {"repetition", QCoreApplication::translate("samples", "Repetition")},
        {"scripts", QCoreApplication::translate("samples", "Many scripts and signs")},
    };
    std::vector<SampleText> texts;
    for (const auto& [file, title] : samples)
        texts.push_back({title, builtIn(QStringLiteral("samples/%1.txt").arg(QLatin1String(file))).toStdString()});
    return texts;
}

QIcon symbol(const QString& name, const QColor& color)
{
    QByteArray svg = builtIn(QStringLiteral("icons/%1.svg").arg(name));
    svg.replace("currentColor", color.name().toLatin1());
    QSvgRenderer renderer(svg);
    QIcon icon;
    for (const int pixels : {16, 20, 24, 32, 40, 48}) {
        icon.addPixmap(drawn(renderer, pixels, 1), QIcon::Normal);
        icon.addPixmap(drawn(renderer, pixels, 0.4), QIcon::Disabled);
    }
    return icon;
}

QIcon programIcon()
{
    QSvgRenderer renderer(builtIn(QStringLiteral("icons/headscope.svg")));
    QIcon icon;
    for (const int pixels : {16, 24, 32, 48, 64, 128, 256})
        icon.addPixmap(drawn(renderer, pixels, 1));
    return icon;
}

} // namespace headscope::app
