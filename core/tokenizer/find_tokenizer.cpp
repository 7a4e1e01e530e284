// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/beside.h"
#include "core/tokenizer/byte_vocabulary.h"
#include "core/tokenizer/sentencepiece_file.h"
#include "core/tokenizer/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace headscope::core {
namespace {

namespace fs = std::filesystem;

// The checkpoint's folder and four above it: save/NAME/checkpoint/ lies three below the run's folder, wandb/RUN/files/checkpoint/ four.
constexpr int levels = 5;
constexpr int mostEntries = 2048;
constexpr std::size_t mostCandidates = 64;
constexpr std::array<std::string_view, 3> usualNames{"tokenizer.model", "tokenizer.spm.model", "tokenizer.model.model"};
constexpr std::string_view byteVocabulary = "vocabulary.pth";

bool isFile(const fs::path& path)
{
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

bool isVocabulary(const fs::path& path)
{
    return path.filename() == byteVocabulary;
}

bool isFolder(const fs::path& path)
{
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}

struct Candidate {
    fs::path path;
    std::string bytes;
    std::int64_t pieces = 0;
};

class Search
{
public:
    Search(const fs::path& checkpoint, std::int64_t rows) : m_checkpoint(checkpoint), m_rows(rows) {}

    TokenizerSearch run()
    {
        std::optional<Candidate> padded;
        for (const fs::path& start : foldersBeside(m_checkpoint))
            if (auto exact = above(start, padded))
                return result(*exact);
        return padded ? result(*padded) : TokenizerSearch{std::nullopt, std::move(m_notes)};
    }

private:
    /// The one that fits exactly, in a folder or above it; the first that is only small enough is kept.
    std::optional<Candidate> above(fs::path folder, std::optional<Candidate>& padded)
    {
        for (int level = 0; level < levels; ++level) {
            std::error_code ignored;
            if (m_visited.emplace(fs::canonical(folder, ignored), level == 0).second) { // links lead to where others lead
                std::vector<Candidate> fitting = readFitting(level == 0 ? besideAndCache(folder) : namedAndCache(folder));
                if (auto exact = best(fitting, true))
                    return exact;
                if (!padded)
                    padded = best(fitting, false);
            }
            if (folder == folder.parent_path())
                break;
            folder = folder.parent_path();
        }
        return std::nullopt;
    }

    /// Sorted entries; fewer than there are once the search has seen too many.
    std::vector<fs::path> entries(const fs::path& folder)
    {
        std::vector<fs::path> found;
        std::error_code problem;
        fs::directory_iterator entry(folder, fs::directory_options::skip_permission_denied, problem);
        for (; !problem && entry != fs::directory_iterator() && m_entriesLeft > 0; entry.increment(problem), --m_entriesLeft)
            found.push_back(entry->path());
        std::sort(found.begin(), found.end());
        return found;
    }

    std::vector<fs::path> namedAndCache(const fs::path& folder)
    {
        std::vector<fs::path> found;
        for (const std::string_view name : usualNames)
            if (isFile(folder / name))
                found.push_back(folder / name);
        if (isFile(folder / byteVocabulary))
            found.push_back(folder / byteVocabulary);
        if (!isFolder(folder / "cache"))
            return found;
        for (const fs::path& dataset : entries(folder / "cache"))
            for (const fs::path& hash : isFolder(dataset) ? entries(dataset) : std::vector<fs::path>())
                for (const fs::path& file : isFolder(hash) ? entries(hash) : std::vector<fs::path>())
                    if ((isVocabulary(file) || (file.filename().string().starts_with("tokenizer") && file.extension() == ".model")) &&
                        isFile(file))
                        found.push_back(file);
        return found;
    }

    std::vector<fs::path> besideAndCache(const fs::path& folder)
    {
        std::vector<fs::path> found = namedAndCache(folder);
        std::vector<fs::path> others;
        for (const fs::path& file : entries(folder))
            if (file.extension() == ".model" && isFile(file) && std::find(found.begin(), found.end(), file) == found.end() &&
                !isCheckpoint(file))
                others.push_back(file);
        if (others.size() == 1)
            found.push_back(others.front());
        return found;
    }

    bool isCheckpoint(const fs::path& file) const
    {
        std::error_code ignored;
        return fs::equivalent(file, m_checkpoint, ignored);
    }

    std::vector<Candidate> readFitting(const std::vector<fs::path>& paths)
    {
        std::vector<Candidate> fitting;
        for (const fs::path& path : paths) {
            if (m_read++ == mostCandidates)
                break;
            try {
                if (isVocabulary(path)) {
                    const auto bytes = readByteVocabulary(path);
                    if (static_cast<std::int64_t>(bytes.size()) == m_rows)
                        fitting.push_back({path, {bytes.begin(), bytes.end()}, m_rows});
                    continue;
                }
                Candidate candidate{path, readSentencePieceBytes(path), 0};
                candidate.pieces = parseSentencePiece(candidate.bytes, path).pieces;
                if (m_rows <= 0 || candidate.pieces <= m_rows)
                    fitting.push_back(std::move(candidate));
                else
                    m_notes.push_back(
                        fmt::format("{} has {} pieces, more than the {} embedding rows of this checkpoint, and is not used.",
                                    path.string(), candidate.pieces, m_rows));
            } catch (const Error& error) {
                m_notes.emplace_back(error.what());
            }
        }
        return fitting;
    }

    /// The one with the most pieces. `exact`: only with as many as there are rows.
    std::optional<Candidate> best(const std::vector<Candidate>& fitting, bool exact) const
    {
        const Candidate* result = nullptr;
        const Candidate* rival = nullptr;
        for (const Candidate& candidate : fitting) {
            if (exact && candidate.pieces != m_rows)
                continue;
            if (!result || candidate.pieces > result->pieces) {
                result = &candidate;
                rival = nullptr;
            } else if (candidate.pieces == result->pieces && candidate.bytes != result->bytes && !rival) {
                rival = &candidate;
            }
        }
        if (rival)
            throw Error(fmt::format(
                "Two different tokenizers fit {} equally well: {} and {} (both have {} pieces); say which one to use.",
                m_checkpoint.string(), result->path.string(), rival->path.string(), rival->pieces));
        return result ? std::optional(*result) : std::nullopt;
    }

    TokenizerSearch result(const Candidate& found)
    {
        if (m_rows > found.pieces)
            m_notes.push_back(fmt::format(
                "{} has {} pieces and the checkpoint has {} embedding rows: the last {} rows belong to no piece.",
                found.path.string(), found.pieces, m_rows, m_rows - found.pieces));
        return {found.path, std::move(m_notes)};
    }

    fs::path m_checkpoint;
    std::int64_t m_rows;
    int m_entriesLeft = mostEntries;
    std::size_t m_read = 0;
    std::set<std::pair<fs::path, bool>> m_visited;
    std::vector<std::string> m_notes;
};

} // namespace

TokenizerSearch searchTokenizer(const fs::path& checkpoint, std::int64_t expectedPieces)
{
    return Search(checkpoint, expectedPieces).run();
}

std::optional<fs::path> findTokenizer(const fs::path& checkpoint, std::int64_t expectedPieces)
{
    return searchTokenizer(checkpoint, expectedPieces).path;
}

} // namespace headscope::core
