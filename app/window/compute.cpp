// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/compute.h"

#include <malloc.h>

#include <algorithm>

namespace headscope::app {

ComputeQueue& Compute::device(const std::string& name)
{
    return m_devices.try_emplace(name).first->second;
}

void Compute::dispose(std::shared_ptr<const void> value)
{
    std::erase_if(m_disposals, [](const Job& job) { return !job.pending(); });
    m_disposals.push_back(m_files.submit(
        Priority::Opening,
        [value = std::move(value)](const core::Progress&) mutable {
            value.reset();
            malloc_trim(0); // glibc keeps what was freed unless it is told
            return true;
        },
        this, [](const Outcome<bool>&) {}));
}

bool Compute::idle() const
{
    return m_files.unfinished() == 0 &&
           std::ranges::all_of(m_devices, [](const auto& named) { return named.second.unfinished() == 0; });
}

} // namespace headscope::app
