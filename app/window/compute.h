// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/jobs/compute_queue.h"

#include <QObject>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace headscope::app {

/// The queues of the program: one for opening files, so that what is open stays usable meanwhile, and one for every device.
class Compute : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;

    ComputeQueue& files() { return m_files; }
    ComputeQueue& device(const std::string& name);
    /// Lets go of something large in the background and returns its memory to the system.
    void dispose(std::shared_ptr<const void> value);
    /// Nothing waits or runs.
    bool idle() const;

private:
    ComputeQueue m_files;
    std::map<std::string, ComputeQueue> m_devices;
    std::vector<Job> m_disposals; // last: its jobs end before the queues do
};

} // namespace headscope::app
