// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/tags.h"

#include "core/checkpoint/message_text.h"
#include "core/checkpoint/sha256.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace headscope::core {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const fs::path& path, std::size_t line, std::string_view what)
{
    throw Error(fmt::format("{}, line {}: {}.", shown(path), line, what));
}

std::string_view trimmed(std::string_view cell)
{
    const std::size_t begin = std::min(cell.find_first_not_of(' '), cell.size());
    return cell.substr(begin, cell.find_last_not_of(' ') + 1 - begin);
}

/// Whether somebody meant a number, right or wrong: it begins as one.
bool isMeantAsNumber(std::string_view cell)
{
    const std::size_t first = cell.find_first_not_of(" +-.,");
    return first != std::string_view::npos && cell[first] >= '0' && cell[first] <= '9';
}

/// A byte offset, perhaps with a plus and spaces around it.
std::optional<std::uint64_t> number(std::string_view text)
{
    text = trimmed(text);
    if (text.starts_with('+'))
        text.remove_prefix(1);
    std::uint64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size() || text.empty())
        return std::nullopt;
    return value;
}

std::vector<std::string_view> columns(std::string_view line)
{
    std::vector<std::string_view> result;
    for (std::size_t begin = 0; begin <= line.size();) {
        const std::size_t end = std::min(line.find('\t', begin), line.size());
        result.push_back(line.substr(begin, end - begin));
        begin = end + 1;
    }
    return result;
}

std::string wholeFile(const fs::path& path)
{
    const fs::path paths[] = {path};
    const auto files = findCorpusFiles(paths);
    if (fs::is_directory(path))
        throw Error(fmt::format("{} is a folder; --tags needs a file.", shown(path)));
    CorpusBytes bytes(files.front());
    std::string text;
    for (std::string more = bytes.read(); !more.empty(); more = bytes.read())
        text += more;
    return text;
}

/// Which file of the corpus a name means.
class FileNames
{
public:
    explicit FileNames(std::span<const CorpusFile> files)
    {
        for (std::size_t i = 0; i < files.size(); ++i) {
            addName(files[i].path, i);
            for (const fs::path& other : files[i].otherNames)
                addName(other, i);
        }
    }
    std::optional<std::size_t> find(const std::string& name) const
    {
        if (const auto path = m_paths.find(name); path != m_paths.end())
            return path->second;
        const auto found = m_names.find(name);
        return found == m_names.end() ? std::nullopt : found->second;
    }

private:
    void addName(const fs::path& path, std::size_t file)
    {
        m_paths.emplace(path.native(), file);
        const auto [found, isNew] = m_names.emplace(path.filename().native(), file);
        if (!isNew && found->second != file)
            found->second = std::nullopt;
    }

    std::map<std::string, std::size_t> m_paths;
    std::map<std::string, std::optional<std::size_t>> m_names; // nullopt: more than one
};

} // namespace

struct TagTable::Row {
    std::optional<std::string> document;
    std::optional<std::uint64_t> begin;
    std::optional<std::uint64_t> end;
    bool isHeader = false; // neither is meant as a number
    std::string tag;
};

TagTable::Row TagTable::parse(std::string_view line, std::size_t lineNumber, const fs::path& path)
{
    const auto cells = columns(line);
    if (cells.size() != 3 && cells.size() != 4)
        fail(path, lineNumber, "a line has to be \"begin end tag\" or \"document begin end tag\", with tabs between");
    Row row;
    const std::size_t first = cells.size() - 3;
    if (first == 1)
        row.document = std::string(cells[0]);
    row.begin = core::number(cells[first]);
    row.end = core::number(cells[first + 1]);
    row.isHeader = !isMeantAsNumber(cells[first]) && !isMeantAsNumber(cells[first + 1]);
    row.tag = std::string(cells[first + 2]);
    return row;
}

TagTable TagTable::read(const fs::path& path, std::span<const CorpusFile> files)
{
    const std::string text = wholeFile(path);
    const FileNames names(files);
    TagTable table;
    table.m_path = shown(path);
    table.m_stretches.resize(files.size());
    std::vector<std::string> tags;
    std::size_t lineNumber = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        std::string_view line = std::string_view(text).substr(begin, end - begin);
        begin = end + 1;
        ++lineNumber;
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        if (line.empty())
            continue;
        Row row = parse(line, lineNumber, path);
        if (row.isHeader && lineNumber == 1)
            continue;
        if (!row.begin || !row.end || *row.begin > *row.end)
            fail(path, lineNumber, "begin and end have to be byte offsets (whole numbers), begin not after end");
        if (!row.document && files.size() != 1)
            fail(path, lineNumber, "the corpus has several files, so the first column has to name the document");
        const auto file = row.document ? names.find(*row.document) : std::optional<std::size_t>(0);
        if (!file)
            fail(path, lineNumber, fmt::format("{} is not in the corpus, or several files have this name; write its path as it is given",
                                               quotedName(*row.document)));
        table.m_stretches[*file].push_back({*row.begin, *row.end, static_cast<std::uint32_t>(tags.size()), lineNumber});
        tags.push_back(std::move(row.tag));
    }
    if (tags.empty())
        throw Error(fmt::format("{} has no tags; leave --tags out.", shown(path)));
    table.number(std::move(tags));
    for (auto& stretches : table.m_stretches) {
        std::sort(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
        for (std::size_t i = 1; i < stretches.size(); ++i)
            if (stretches[i].begin < stretches[i - 1].end)
                fail(path, stretches[i].line, fmt::format("these bytes overlap those of line {}", stretches[i - 1].line));
    }
    Sha256 digest;
    digest.add(std::string_view(text));
    table.m_digest = digest.hex();
    return table;
}

/// Rows carry their index in the list of tags until all are known.
void TagTable::number(std::vector<std::string> ofRows)
{
    m_names = ofRows;
    m_names.emplace_back();
    std::sort(m_names.begin(), m_names.end());
    m_names.erase(std::unique(m_names.begin(), m_names.end()), m_names.end());
    for (auto& stretches : m_stretches)
        for (Stretch& stretch : stretches) {
            const auto found = std::lower_bound(m_names.begin(), m_names.end(), ofRows[stretch.tag]);
            stretch.tag = static_cast<std::uint32_t>(found - m_names.begin());
        }
}

std::optional<std::string> TagTable::noteOnSizes(std::span<const CorpusFile> files, std::span<const std::uint64_t> sizes) const
{
    std::size_t count = 0;
    std::string first;
    for (std::size_t file = 0; file < std::min(sizes.size(), m_stretches.size()); ++file)
        for (const Stretch& stretch : m_stretches[file])
            if (stretch.end > sizes[file] && count++ == 0)
                first = fmt::format("line {} ends at byte {}, {} has {}", stretch.line, stretch.end, shown(files[file].path), sizes[file]);
    if (count == 0)
        return std::nullopt;
    return fmt::format("{} of the stretches in {} {} behind the end of {} file: {}.", count, m_path, count == 1 ? "reaches" : "reach",
                       count == 1 ? "its" : "their", first);
}

std::uint32_t TagTable::at(std::size_t file, std::uint64_t place) const
{
    const auto& stretches = m_stretches.at(file);
    const auto after = std::upper_bound(stretches.begin(), stretches.end(), place,
                                        [](std::uint64_t wanted, const Stretch& stretch) { return wanted < stretch.begin; });
    if (after == stretches.begin() || place >= (after - 1)->end)
        return 0;
    return (after - 1)->tag;
}

} // namespace headscope::core
