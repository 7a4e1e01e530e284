// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/read_bytes.h"

#include "core/checkpoint/files_in_use.h"
#include "core/checkpoint/message_text.h"
#include "core/corpus/text_kind.h"
#include "core/error.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace headscope::app {

namespace {

// A device without an end has to become an error before it fills the memory.
constexpr std::size_t longestText = std::size_t{1} << 30;
constexpr int pollMilliseconds = 100;

std::string reason(int error)
{
    return std::generic_category().message(error);
}

class Descriptor
{
public:
    explicit Descriptor(int descriptor) : m_descriptor(descriptor) {}
    ~Descriptor() { close(m_descriptor); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return m_descriptor; }

private:
    int m_descriptor;
};

} // namespace

std::string readDescriptor(int descriptor, std::string_view name, const std::stop_token& stop)
{
    std::string bytes;
    std::array<char, 1 << 16> chunk{};
    for (;;) {
        if (stop.stop_requested())
            throw core::Cancelled();
        pollfd waiting{descriptor, POLLIN, 0};
        const int ready = poll(&waiting, 1, pollMilliseconds);
        if (ready == 0 || (ready < 0 && errno == EINTR))
            continue;
        const ssize_t count = read(descriptor, chunk.data(), chunk.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            throw core::Error(fmt::format("{} cannot be read: {}.", name, reason(errno)));
        if (count == 0)
            return std::string(core::withoutByteOrderMark(bytes));
        bytes.append(chunk.data(), static_cast<std::size_t>(count));
        if (bytes.size() > longestText)
            throw core::Error(fmt::format("{} holds more than 1 GiB of text; give a part of it.", name));
    }
}

std::string readBytes(const std::filesystem::path& path, const std::stop_token& stop)
{
    const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) {
        if (errno == ENOENT)
            throw core::Error(fmt::format("{} does not exist; give the path of a text file, or - for standard input.", core::shown(path)));
        throw core::Error(fmt::format("{} cannot be opened: {}.", core::shown(path), reason(errno)));
    }
    struct stat status {};
    if (fstat(file.get(), &status) == 0 && S_ISDIR(status.st_mode))
        throw core::Error(fmt::format("{} is a folder; give a text file.", core::shown(path)));
    core::noteRead(path);
    return readDescriptor(file.get(), core::shown(path), stop);
}

} // namespace headscope::app
