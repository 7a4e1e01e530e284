// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/jobs/compute_queue.h"

#include <QStringList>

namespace headscope::app {

/// Asks in the background which devices there are; looking for a GPU may take a second. `answer` is called on the thread of
/// `receiver`.
Job askDevices(ComputeQueue& queue, QObject* receiver, std::function<void(const QStringList&)> answer);

} // namespace headscope::app
