// SPDX-License-Identifier: GPL-3.0-or-later
// In the small library that is initialised first (beside nn/openmp_waiting.cpp): what runs out of memory where nobody can catch it, while the
// libraries of LibTorch and sentencepiece set themselves up before main or in a thread of theirs, ends the process with a sentence and the
// exit code of every other error instead of an abort.
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace {

std::terminate_handler otherwise = nullptr; // set once, before any thread exists

[[noreturn]] void endForMemory()
{
    constexpr std::string_view sentence =
        "error: There is not enough memory to run Headscope; close other programs or raise the limit (ulimit -v).\n";
    constexpr int wrongInput = 1;
    if (::write(STDERR_FILENO, sentence.data(), sentence.size()) < 0) {
        // Nobody is there to read it.
    }
    ::_exit(wrongInput);
}

[[noreturn]] void ended()
{
    if (std::current_exception()) {
        try {
            throw;
        } catch (const std::bad_alloc&) {
            endForMemory();
        } catch (const std::system_error& error) { // no thread can be started
            if (error.code() == std::errc::resource_unavailable_try_again || error.code() == std::errc::not_enough_memory)
                endForMemory();
        } catch (...) {
        }
    }
    if (otherwise != nullptr)
        otherwise();
    std::abort();
}

[[gnu::constructor]] void setHandler()
{
    otherwise = std::set_terminate(ended);
}

} // namespace
