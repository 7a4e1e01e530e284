// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/device_list.h"

#include "core/families/model.h"

namespace headscope::app {

Job askDevices(ComputeQueue& queue, QObject* receiver, std::function<void(const QStringList&)> answer)
{
    using Devices = std::vector<std::string>;
    return queue.submit(
        Priority::Overview, [](const core::Progress&) { return core::availableDevices(); }, receiver,
        [answer = std::move(answer)](const Outcome<Devices>& outcome) {
            const auto* devices = std::get_if<Devices>(&outcome);
            if (!devices)
                return;
            QStringList names;
            for (const std::string& name : *devices)
                names << QString::fromStdString(name);
            answer(names);
        });
}

} // namespace headscope::app
