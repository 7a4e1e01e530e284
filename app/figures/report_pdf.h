// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/export/report.h"

#include <filesystem>

namespace headscope::app {

/// Writes a report as PDF on A4 pages with numbers, experts in the colours of the window. The file appears whole or not at
/// all. Needs a QGuiApplication; any thread. Throws core::Error when it cannot be written.
void writeReportPdf(const std::filesystem::path& path, const core::Report& report);

/// The same for a program without a QGuiApplication: makes one that needs no display. Main thread only.
void writeReportPdfWithoutWindow(const std::filesystem::path& path, const core::Report& report);

} // namespace headscope::app
