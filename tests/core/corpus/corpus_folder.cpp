// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/corpus/corpus_folder.h"

#include <zlib.h>

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>

namespace headscope::core::testing {

namespace fs = std::filesystem;

CorpusFolder::CorpusFolder()
{
    std::string pattern = (fs::temp_directory_path() / "headscope-corpus-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
        throw std::runtime_error("no temporary folder");
    m_path = pattern;
}

CorpusFolder::~CorpusFolder()
{
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
}

fs::path CorpusFolder::file(const std::string& name, std::string_view bytes) const
{
    const fs::path path = m_path / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
}

fs::path CorpusFolder::gzipped(const std::string& name, std::string_view bytes) const
{
    const fs::path path = m_path / name;
    gzFile out = gzopen(path.c_str(), "wb");
    gzwrite(out, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(out);
    return path;
}

std::string bytesOf(const fs::path& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> documentsIn(const std::vector<fs::path>& paths, const DocumentSplit& split)
{
    DocumentReader reader(findCorpusFiles(paths), split);
    std::vector<std::string> documents;
    while (reader.next()) {
        documents.emplace_back();
        for (auto bytes = reader.read(); !bytes.empty(); bytes = reader.read())
            documents.back() += bytes;
    }
    return documents;
}

std::shared_ptr<const Model> fixtureModel(const std::string& name)
{
    for (const auto& entry : fs::directory_iterator(fs::path(HEADSCOPE_TEST_DATA) / "fixtures" / name)) {
        const std::string file = entry.path().filename().string();
        if (file.starts_with("model") && !file.ends_with(".json"))
            return openModel(entry.path());
    }
    throw std::runtime_error("no checkpoint in " + name);
}

std::string someText(std::size_t paragraphs, unsigned seed)
{
    const std::vector<std::string> words{"The",  "café",   "opens", "at", "6:30.", "Is",   "it",    "far?", "a",    "river", "runs,", "quietly",
                                         "past", "(the)", "old",   "mill", "and",   "no",   "one's", "here", "naïve", "42",    "—",     "wheel."};
    std::mt19937 random(seed);
    std::string text;
    for (std::size_t paragraph = 0; paragraph < paragraphs; ++paragraph) {
        const std::size_t length = 5 + random() % 120;
        for (std::size_t i = 0; i < length; ++i)
            text += words[random() % (paragraph % 2 == 0 ? words.size() : 6)] + (random() % 11 == 0 ? "\n" : " ");
        text += "\n\n";
    }
    return text;
}

} // namespace headscope::core::testing
