// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/cli/work_counter.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::uint64_t> calls = 0;

} // namespace

void* operator new(std::size_t size)
{
    void* const block = std::malloc(size == 0 ? 1 : size);
    if (block == nullptr)
        throw std::bad_alloc();
    ++calls;
    return block;
}

void operator delete(void* block) noexcept
{
    std::free(block);
}

void operator delete(void* block, std::size_t) noexcept
{
    std::free(block);
}

namespace headscope::app::testing {

std::uint64_t allocations()
{
    return calls;
}

} // namespace headscope::app::testing
