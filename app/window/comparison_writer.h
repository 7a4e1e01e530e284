// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/jobs/compute_queue.h"
#include "app/window/file_stamp.h"
#include "app/window/workspace.h"
#include "core/export/comparison_export.h"
#include "widgets/compared_models.h"

#include <QObject>

#include <filesystem>
#include <vector>

namespace headscope::app {

/// Writes comparisons into files in the background, with the fingerprints of both checkpoints.
class ComparisonWriter : public QObject
{
    Q_OBJECT

public:
    /// The workspace outlives it.
    explicit ComparisonWriter(Workspace& workspace, QObject* parent = nullptr);
    ~ComparisonWriter() override;

    /// Of A and B as they are in their slots. The format is that of the file's extension; .json holds everything, whatever
    /// the table.
    void writeTable(const std::filesystem::path& path, core::ComparisonTable table, const widgets::ComparedModels& models);
    /// .md or .pdf, with the strips of one pair of routers.
    void writeReport(const std::filesystem::path& path, std::size_t pair, const widgets::ComparedModels& models);
    /// Nothing is being written.
    bool idle() const;

Q_SIGNALS:
    void failed(const QString& sentence);
    void written(const std::filesystem::path& path);

private:
    template <class Work>
    void write(const std::filesystem::path& path, const widgets::ComparedModels& models, Work work);

    Workspace& m_workspace;
    std::vector<Job> m_writing; // last: they end before anything they deliver to
};

} // namespace headscope::app
