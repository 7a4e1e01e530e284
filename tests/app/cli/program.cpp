// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/cli/program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>
#include <filesystem>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <vector>

namespace headscope::app::testing {

namespace {

namespace fs = std::filesystem;

void redirect(const fs::path& path, int flags, int descriptor)
{
    const int opened = ::open(path.c_str(), flags, 0600);
    if (opened < 0 || ::dup2(opened, descriptor) < 0)
        ::_exit(99);
}

void limit(decltype(RLIMIT_AS) what, const std::optional<rlim_t>& to)
{
    if (!to)
        return;
    const rlimit value{*to, *to};
    ::setrlimit(what, &value);
}

} // namespace

Outcome runProgram(const Arguments& arguments, const Start& start)
{
    const OwnFolder folder;
    const std::string out = folder.file("out");
    const std::string err = folder.file("err");
    std::vector<std::string> words{HEADSCOPE_CLI_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        // Where one of several threads cannot be started LibTorch's pool waits for it for ever.
        ::setenv("OMP_NUM_THREADS", "1", 1);
        redirect(start.input.empty() ? fs::path("/dev/null") : start.input, O_RDONLY, STDIN_FILENO);
        redirect(out, O_WRONLY | O_CREAT, STDOUT_FILENO);
        redirect(err, O_WRONLY | O_CREAT, STDERR_FILENO);
        if (!start.folder.empty() && ::chdir(start.folder.c_str()) != 0)
            ::_exit(98);
        if (start.folderGone)
            ::rmdir(start.folder.c_str());
        if (start.ignoresHangUp)
            std::signal(SIGHUP, SIG_IGN);
        limit(RLIMIT_FSIZE, start.fileBytes);
        limit(RLIMIT_AS, start.addressBytes);
        ::execv(argv.front(), argv.data());
        ::_exit(97);
    }
    int status = 0;
    if (start.signal != 0) {
        std::error_code ignored;
        while (!fs::exists(start.signalWhen, ignored) && ::waitpid(child, &status, WNOHANG) == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ::kill(child, start.signal);
    }
    ::waitpid(child, &status, 0);
    const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return {code, contents(out), contents(err)};
}

} // namespace headscope::app::testing
