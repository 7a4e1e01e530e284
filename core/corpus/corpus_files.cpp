// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/corpus_files.h"

#include "core/checkpoint/files_in_use.h"
#include "core/checkpoint/message_text.h"
#include "core/corpus/json_lines.h"
#include "core/corpus/text_kind.h"
#include "core/error.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <system_error>
#include <utility>

namespace headscope::core {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t chunkBytes = 1U << 16;

std::int64_t modificationTime(const struct stat& info)
{
    return static_cast<std::int64_t>(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec;
}

/// What a path leads to: the same for all names and links of one file.
using FileIdentity = std::pair<dev_t, ino_t>;

struct Described {
    CorpusFile file;
    FileIdentity identity;
};

Described describe(const fs::path& path)
{
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0)
        throw Error(fmt::format("{} cannot be read: {}.", shown(path), std::strerror(errno)));
    if (!S_ISREG(info.st_mode))
        throw Error(fmt::format("{} is no regular file; a corpus is read twice, so give it as files or folders.", shown(path)));
    noteRead(path);
    return {{path, static_cast<std::uintmax_t>(info.st_size), modificationTime(info), {}}, {info.st_dev, info.st_ino}};
}

/// zlib puts "<fd:4>: " before its words when it has no name.
std::string_view withoutDescriptor(std::string_view words)
{
    const std::size_t end = words.starts_with("<fd:") ? words.find(">: ") : std::string_view::npos;
    return end == std::string_view::npos ? words : words.substr(end + 3);
}

/// Files in the order in which they are met, each once.
class FoundFiles
{
public:
    void add(const fs::path& path)
    {
        Described found = describe(path);
        const auto [known, isNew] = m_places.emplace(found.identity, m_files.size());
        if (isNew)
            m_files.push_back(std::move(found.file));
        else
            m_files[known->second].otherNames.push_back(path);
    }
    std::vector<CorpusFile> take() { return std::move(m_files); }

private:
    std::vector<CorpusFile> m_files;
    std::map<FileIdentity, std::size_t> m_places;
};

bool hidden(const fs::path& path)
{
    return path.filename().string().starts_with('.');
}

void addFolder(const fs::path& folder, FoundFiles& files)
{
    noteCorpusFolder(folder);
    std::vector<fs::path> found;
    try {
        for (auto entry = fs::recursive_directory_iterator(folder); entry != fs::recursive_directory_iterator(); ++entry) {
            if (hidden(entry->path())) {
                if (entry->is_directory())
                    entry.disable_recursion_pending();
            } else if (entry->is_regular_file()) {
                found.push_back(entry->path());
            }
        }
    } catch (const fs::filesystem_error& error) {
        throw Error(fmt::format("The folder {} cannot be read: {}.", shown(folder), error.code().message()));
    }
    std::sort(found.begin(), found.end(), [](const fs::path& a, const fs::path& b) { return a.native() < b.native(); });
    for (const fs::path& path : found)
        files.add(path);
}

constexpr std::string_view zstdMagic = "\x28\xb5\x2f\xfd";

bool beginsWithZstd(int descriptor)
{
    std::array<char, zstdMagic.size()> head{};
    return ::pread(descriptor, head.data(), head.size(), 0) == static_cast<ssize_t>(head.size())
           && std::string_view(head.data(), head.size()) == zstdMagic;
}

} // namespace

std::vector<CorpusFile> findCorpusFiles(std::span<const fs::path> paths)
{
    FoundFiles found;
    for (const fs::path& path : paths) {
        std::error_code problem;
        const fs::file_status status = fs::status(path, problem);
        if (!fs::exists(status))
            throw Error(fmt::format("{} does not exist; check the path.", shown(path)));
        if (fs::is_directory(status))
            addFolder(path, found);
        else
            found.add(path);
    }
    std::vector<CorpusFile> files = found.take();
    if (files.empty())
        throw Error("No file was found in the folders given as corpus; give folders that hold text.");
    return files;
}

std::vector<CorpusFile> findTexts(std::span<const fs::path> paths, std::string_view jsonField)
{
    std::vector<CorpusFile> files = findCorpusFiles(paths);
    for (const CorpusFile& file : files) {
        const CorpusBytes looked(file);
        if (!isNamedAsJson(file.path) || !jsonField.empty())
            continue;
        const std::string fields = fieldsOfFirstLine(file);
        throw Error(fields.empty()
                        ? fmt::format("{} is JSON, not text; lines of JSON are read with --json-field NAME, anything else has to become text first.",
                                      shown(file.path))
                        : fmt::format("{} holds lines of JSON: say with --json-field NAME which field is the text; the first line has {}.",
                                      shown(file.path), fields));
    }
    return files;
}

std::vector<std::string> notesOn(std::span<const CorpusFile> files)
{
    constexpr std::size_t most = 5;
    std::vector<std::string> notes;
    std::size_t more = 0;
    for (const CorpusFile& file : files)
        for (const fs::path& other : file.otherNames)
            if (notes.size() == most)
                ++more;
            else if (other == file.path)
                notes.push_back(fmt::format("{} was given more than once; it is counted once.", shown(other)));
            else
                notes.push_back(fmt::format("{} is the same file as {}; it is counted once.", shown(other), shown(file.path)));
    if (more > 0)
        notes.push_back(fmt::format("{} more names lead to files that are counted already; each is counted once.", more));
    return notes;
}

struct CorpusBytes::Opened {
    gzFile file = nullptr;
    int descriptor = -1; // of zstd
    std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> zstd{nullptr, &ZSTD_freeDCtx};
    std::string packed;
    std::size_t used = 0;     // bytes of `packed`
    std::size_t pending = 0;  // not 0 inside of a frame
    Opened() = default;
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
    ~Opened()
    {
        if (file != nullptr)
            gzclose(file);
        if (descriptor >= 0)
            ::close(descriptor);
    }
};

CorpusBytes::CorpusBytes(const CorpusFile& file) : m_path(file.path), m_opened(std::make_unique<Opened>())
{
    const int descriptor = ::open(m_path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        fail(std::strerror(errno));
    struct stat info {};
    const bool same = ::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode) && static_cast<std::uintmax_t>(info.st_size) == file.size
                      && modificationTime(info) == file.modified;
    if (same && beginsWithZstd(descriptor)) {
        m_opened->descriptor = descriptor;
        m_opened->zstd.reset(ZSTD_createDCtx());
        if (!m_opened->zstd)
            throw std::bad_alloc();
    } else {
        m_opened->file = same ? gzdopen(descriptor, "rb") : nullptr;
        if (m_opened->file == nullptr)
            ::close(descriptor);
        if (!same)
            throw Error(fmt::format("{} changed while it was counted; count again when it is complete.", shown(m_path)));
        if (m_opened->file == nullptr)
            throw std::bad_alloc();
        gzbuffer(m_opened->file, chunkBytes);
    }
    m_first = unpacked();
    if (const auto what = whatInsteadOfText(m_first))
        throw Error(fmt::format("{} is {}. Leave it out of the corpus: of a folder every file is read whose name does not begin with a dot.",
                                shown(m_path), *what));
    if (m_first.starts_with(byteOrderMark)) {
        m_markBytes = byteOrderMark.size();
        m_first.erase(0, m_markBytes);
        if (m_first.empty())
            m_first = unpacked();
    }
}

CorpusBytes::~CorpusBytes() = default;

std::string CorpusBytes::read()
{
    return m_first.empty() ? unpacked() : std::exchange(m_first, {});
}

/// As much as a chunk; nothing at the end.
std::string CorpusBytes::unpacked()
{
    if (m_opened->zstd)
        return fromZstd();
    std::string bytes(chunkBytes, '\0');
    const int count = gzread(m_opened->file, bytes.data(), static_cast<unsigned>(bytes.size()));
    int problem = Z_OK;
    const char* const words = gzerror(m_opened->file, &problem);
    if (problem == Z_ERRNO)
        fail(std::strerror(errno));
    if (problem == Z_BUF_ERROR)
        fail("its gzip data is cut off; copy it again");
    if (count < 0 || problem != Z_OK)
        fail(fmt::format("its gzip data is damaged ({}); copy it again", withoutDescriptor(words)));
    bytes.resize(static_cast<std::size_t>(count));
    return bytes;
}

std::string CorpusBytes::fromZstd()
{
    Opened& opened = *m_opened;
    std::string bytes(chunkBytes, '\0');
    ZSTD_outBuffer out{bytes.data(), bytes.size(), 0};
    while (out.pos < out.size) {
        if (opened.used == opened.packed.size()) {
            opened.packed.resize(chunkBytes);
            opened.used = 0;
            const ssize_t count = ::read(opened.descriptor, opened.packed.data(), opened.packed.size());
            if (count < 0 && errno == EINTR)
                continue;
            if (count < 0)
                fail(std::strerror(errno));
            opened.packed.resize(static_cast<std::size_t>(count));
            if (count == 0 && opened.pending != 0 && out.pos == 0)
                fail("its zstd data is cut off; copy it again");
            if (count == 0)
                break;
        }
        ZSTD_inBuffer in{opened.packed.data(), opened.packed.size(), opened.used};
        opened.pending = ZSTD_decompressStream(opened.zstd.get(), &out, &in);
        opened.used = in.pos;
        if (ZSTD_isError(opened.pending) != 0)
            fail(fmt::format("its zstd data is damaged or asks for more than 128 MB of memory ({})", ZSTD_getErrorName(opened.pending)));
    }
    bytes.resize(out.pos);
    return bytes;
}

void CorpusBytes::fail(std::string_view what) const
{
    throw Error(fmt::format("{} cannot be read: {}.", shown(m_path), what));
}

} // namespace headscope::core
