// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/program.h"

#include "app/cli/command_line.h"
#include "app/cli/exit_code.h"
#include "app/cli/process.h"
#include "app/window/main_window.h"
#include "app/window/resources.h"

#include <QApplication>
#include <QStyleFactory>

#include <cstdlib>
#include <iostream>

namespace headscope::app {

namespace {

/// Qt would end the process with words about plugins.
bool hasDisplay()
{
    return !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") ||
           !qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM");
}

} // namespace

widgets::Theme::Kind prepareProgram(QApplication& program)
{
    const widgets::Theme::Kind theme = systemTheme();
    QApplication::setOrganizationName(QStringLiteral("Headscope"));
    QApplication::setApplicationName(QStringLiteral("headscope"));
    QApplication::setApplicationDisplayName(QStringLiteral("Headscope"));
    QApplication::setApplicationVersion(QString::fromUtf8(version().data(), static_cast<qsizetype>(version().size())));
    QApplication::setDesktopFileName(QStringLiteral("org.headscope.Headscope"));
    QApplication::setWindowIcon(programIcon());
    program.setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
    return theme;
}

ModelOpener modelOpener()
{
    return [](const std::filesystem::path& path, const core::OpenOptions& options, const core::Progress& progress) {
        return core::openModel(path, options, progress);
    };
}

int runWindow(int argc, char** argv)
{
    prepareProcess();
    setenv("MKL_CBWR", "AUTO,STRICT", 0); // as the command that counts: what is counted here is the same to the bit
    if (!hasDisplay()) {
        std::cerr << "There is no display: neither DISPLAY nor WAYLAND_DISPLAY is set. `headscope show` writes a picture of "
                     "the window and "
                     "prints the routing as a table.\n";
        return static_cast<int>(ExitCode::WrongInput);
    }
    QApplication program(argc, argv);
    const widgets::Theme::Kind theme = prepareProgram(program);
    Workspace workspace(modelOpener());
    MainWindow window(workspace, MainWindow::Memory::Settings, theme);
    window.setText(sampleTexts().front().text);
    window.show();
    const QStringList paths = QApplication::arguments().mid(1);
    for (const QString& path : paths)
        window.open(path);
    if (paths.isEmpty())
        window.openDemo();
    return QApplication::exec();
}

} // namespace headscope::app
