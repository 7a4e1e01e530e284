// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

namespace headscope::core {

/// Files that nothing may be written over while this lives: whatever is opened for reading in the meantime, and what it is
/// told. Every function that opens a file for reading says so with noteRead, and AtomicFile, which writes all files, asks
/// conflictWith: so no command and no view can forget one of its inputs (a shard, the tokenizer that was found beside the
/// checkpoint, args.json a folder above it). That is why the list of these objects is the one thing here that the whole
/// process shares. Thread-safe.
class FilesInUse
{
public:
    enum class Readers : std::uint8_t { AllThreads, ThisThread, None };

    /// Whose files are added from now on, besides those that `add` is given.
    explicit FilesInUse(Readers readers);
    ~FilesInUse();
    FilesInUse(const FilesInUse&) = delete;
    FilesInUse& operator=(const FilesInUse&) = delete;

    /// What is opened from now on is not added; what was stays in use.
    void stopAdding();
    /// A file; a folder stands for a corpus: nothing may be written into it.
    void add(const std::filesystem::path& path);

private:
    friend void noteRead(const std::filesystem::path& file);
    friend void noteCorpusFolder(const std::filesystem::path& folder);
    friend void forgetRead(const std::filesystem::path& file);
    friend struct InUseSearch;

    bool adds() const;

    mutable std::mutex m_mutex;
    Readers m_readers;
    std::thread::id m_thread;
    std::set<std::filesystem::path> m_files; // absolute, links not followed: a file may be replaced by another of its name
    std::set<std::filesystem::path> m_folders;
};

/// `file` has been opened for reading, or is going to be.
void noteRead(const std::filesystem::path& file);
/// All files below this folder are read, and whatever is put into it would be read the next time.
void noteCorpusFolder(const std::filesystem::path& folder);
/// Its reader is done with it and replaces it itself (its own state), or has only looked what it is and does not use it.
void forgetRead(const std::filesystem::path& file);

/// What stands against writing a file.
struct InUse {
    enum class How : std::uint8_t { SameFile, InsideCorpus };
    How how = How::SameFile;
    std::filesystem::path with; // the file that is read, or the folder of the corpus

    /// Its path, for messages; standard input where it is that.
    std::string name() const;
};
/// Whether `output` is a file that is in use (the same device and inode, links followed, whatever its spelling) or lies
/// inside a folder of a corpus. What is no regular file (a terminal, a pipe) never is.
std::optional<InUse> conflictWith(const std::filesystem::path& output);

/// Where the bytes of an output go in the end: behind a link, the file it leads to, which need not exist yet.
std::filesystem::path behindLinks(const std::filesystem::path& path);

} // namespace headscope::core
