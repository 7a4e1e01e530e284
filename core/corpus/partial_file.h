// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>

namespace headscope::core {

/// The file in which an unfinished count is kept, claimed by one count at a time. From its first moment on the file is there
/// and locked (flock, which ends with the process), so that two counts to one place cannot take each other for a left-over,
/// and a left-over is never written over: it is somebody's work, or no count wrote it at all. Used by one thread.
class PartialFile
{
public:
    enum class Start : std::uint8_t { Anew, Resume };

    /// What the constructor would throw is thrown here, without claiming anything: before long work begins.
    static void require(const std::filesystem::path& path, Start start);
    /// Anew: throws Error when the file is there. Resume: when it is not, or holds nothing. Both: when another count is at
    /// it.
    PartialFile(std::filesystem::path path, Start start);
    /// A claim in whose place nothing was saved goes away.
    ~PartialFile();
    PartialFile(const PartialFile&) = delete;
    PartialFile& operator=(const PartialFile&) = delete;

    /// A state was written in its place. Throws Error when another count has taken it.
    void saved();
    /// The count is complete: the file goes, unless another count is at it.
    static void remove(const std::filesystem::path& path);
    /// Whether a count holds it now.
    static bool isHeld(const std::filesystem::path& path);

private:
    void claim();
    void takeOver(Start start);

    std::filesystem::path m_path;
    int m_descriptor = -1;
    bool m_saved = false;
};

} // namespace headscope::core
