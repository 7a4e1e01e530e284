// SPDX-License-Identifier: GPL-3.0-or-later
// In the small library that is initialised first (beside nn/openmp_waiting.cpp): what has to be seen to before the libraries
// of LibTorch and sentencepiece set themselves up, which is before main.
//
// - What runs out of memory where nobody can catch it, there or in a thread of theirs, ends the process with a sentence and
// the exit code of
//   every other error instead of an abort.
// - In a working folder that was deleted oneMKL ends the process with words about a library that cannot be loaded.
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace {

std::terminate_handler otherwise = nullptr; // set once, before any thread exists

[[noreturn]] void end(std::string_view sentence)
{
    constexpr int wrongInput = 1;
    if (::write(STDERR_FILENO, sentence.data(), sentence.size()) < 0) {
        // Nobody is there to read it.
    }
    ::_exit(wrongInput);
}

[[noreturn]] void endForMemory()
{
    end("error: There is not enough memory to run Headscope; close other programs or raise the limit (ulimit -v).\n");
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

[[gnu::constructor]] void startUp()
{
    otherwise = std::set_terminate(ended);
    char folder[PATH_MAX];
    if (::getcwd(folder, sizeof folder) == nullptr && errno == ENOENT)
        end("error: The folder that this was started in does not exist any more; change into another one (cd) and start it "
            "there.\n");
}

} // namespace
