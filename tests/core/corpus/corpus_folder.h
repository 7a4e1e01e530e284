// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/corpus/count_corpus.h"
#include "core/families/model.h"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::core::testing {

/// A folder of a test's own, removed at the end.
class CorpusFolder
{
public:
    CorpusFolder();
    ~CorpusFolder();
    CorpusFolder(const CorpusFolder&) = delete;
    CorpusFolder& operator=(const CorpusFolder&) = delete;

    const std::filesystem::path& path() const { return m_path; }
    std::filesystem::path file(const std::string& name) const { return m_path / name; }
    /// Writes it, with the folders it needs.
    std::filesystem::path file(const std::string& name, std::string_view bytes) const;
    std::filesystem::path gzipped(const std::string& name, std::string_view bytes) const;

private:
    std::filesystem::path m_path;
};

std::string bytesOf(const std::filesystem::path& path);

/// The error's sentence; empty when nothing is thrown.
template<typename Work>
std::string sentenceOf(Work work)
{
    try {
        work();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

/// The documents as `read` gives them.
std::vector<std::string> documentsIn(const std::vector<std::filesystem::path>& paths, const DocumentSplit& split);

/// A checkpoint of tests/data/fixtures.
std::shared_ptr<const Model> fixtureModel(const std::string& name);

/// Text of many sentences that repeat themselves in part, with blank lines between paragraphs. The same for the same seed.
std::string someText(std::size_t paragraphs, unsigned seed = 1);

} // namespace headscope::core::testing
