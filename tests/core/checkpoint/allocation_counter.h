// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

namespace headscope::test {

/// The most memory that `new` has given out at one time since this was made, above what it had then. Of the whole test
/// program; blocks count with the size that the allocator gave them.
class AllocationCounter
{
public:
    AllocationCounter();
    std::size_t peakBytes() const;

private:
    std::size_t m_before;
};

} // namespace headscope::test
