// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/checkpoint/allocation_counter.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> live = 0;
std::atomic<std::size_t> peak = 0;

} // namespace

void* operator new(std::size_t size)
{
    void* const block = std::malloc(size == 0 ? 1 : size);
    if (block == nullptr)
        throw std::bad_alloc();
    const std::size_t now = live += malloc_usable_size(block);
    std::size_t highest = peak;
    while (now > highest && !peak.compare_exchange_weak(highest, now)) {
    }
    return block;
}

void operator delete(void* block) noexcept
{
    if (block != nullptr)
        live -= malloc_usable_size(block);
    std::free(block);
}

void operator delete(void* block, std::size_t) noexcept
{
    operator delete(block);
}

namespace headscope::test {

AllocationCounter::AllocationCounter() : m_before(live)
{
    peak = live.load();
}

std::size_t AllocationCounter::peakBytes() const
{
    return peak - m_before;
}

} // namespace headscope::test
