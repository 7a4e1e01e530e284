// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli/command.h"
#include "app/cli/model_options.h"
#include "app/cli/output_guard.h"
#include "app/cli/progress_line.h"
#include "core/corpus/count_corpus.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace headscope::app {

/// What the commands that run a corpus take: CORPUS…, --documents, --window, --skip-first, --tags, --words, … Has to outlive the parsing.
class CorpusOptions
{
public:
    enum class Corpus : std::uint8_t { Required, Optional };
    void add(CLI::App& app, Corpus corpus);
    /// Only what says how the texts are read and run: CORPUS…, --documents, --json-field, --window, --skip-first, --threads, --batch.
    void addReading(CLI::App& app, Corpus corpus);
    /// --part, --resume
    void addParts(CLI::App& app);

    bool given() const { return !m_corpus.empty(); }
    bool resumes() const { return m_resume; }
    /// Throws UsageError where an option makes no sense, core::Error where a list of tokens cannot be read.
    core::CountSettings settings(const core::ModelInfo& info, const CommandContext& context) const;

private:
    std::vector<std::string> m_corpus;
    std::string m_documents = "file";
    std::string m_jsonField;
    std::string m_tags;
    std::string m_frequent;
    std::string m_part;
    std::int64_t m_window = 0;
    std::int64_t m_skipFirst = 0;
    std::int64_t m_frequentTokens = 500;
    int m_groups = 32;
    int m_threads = 0;
    int m_batch = 0;
    bool m_words = false;
    bool m_resume = false;
};

/// "counting, 12345 tokens/s, 3 min left"
std::string countingText(const core::CountProgress& now);

/// What MKL needs to give the same bits every time; before it computes anything. Who has set it knows better (one setting for several kinds of
/// CPU).
void makeProductsRepeatable();

/// Opens the checkpoint for counting and counts, with a line that says how far it is. What MKL needs to give the same bits
/// every time is set before it computes anything. `partial` is where an unfinished count is kept (empty: nowhere); `outputs`
/// are checked once it is known what is read. Throws as countCorpus.
core::Counts countFor(const ModelOptions& model, const CorpusOptions& corpus, const std::filesystem::path& partial,
                      const OutputGuard& outputs, ProgressLine& line, const CommandContext& context);

} // namespace headscope::app
