// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/export/corpus_facts.h"

#include <fmt/format.h>

namespace headscope::core {

namespace {

std::int64_t whole(std::uint64_t count)
{
    return static_cast<std::int64_t>(count);
}

} // namespace

void addModelFacts(Facts& facts, const CountBasis& basis)
{
    facts.emplace_back("model", basis.model);
    facts.emplace_back("family", basis.family);
    facts.emplace_back("variant", basis.variant);
    facts.emplace_back("checkpoint_fingerprint", basis.fingerprint);
    facts.emplace_back("dtype", basis.dtype);
    facts.emplace_back("tokenizer", basis.tokenizer);
    facts.emplace_back("tokenizer_sha256", basis.tokenizerHash);
    facts.emplace_back("text_policy",
                       fmt::format("{}{}{}", toString(basis.textPolicy.split), basis.textPolicy.addBos ? ", BOS" : "",
                                   basis.textPolicy.addEos ? ", EOS" : ""));
    if (!basis.textPolicy.documentSeparator.empty())
        facts.emplace_back("document_separator", basis.textPolicy.documentSeparator);
}

void addCorpusFacts(Facts& facts, const CorpusSize& corpus, const std::string& prefix)
{
    facts.emplace_back(prefix + "corpus_hash", toString(corpus.hash));
    facts.emplace_back(prefix + "corpus_documents", whole(corpus.documents));
    facts.emplace_back(prefix + "corpus_bytes", whole(corpus.bytes));
    facts.emplace_back(prefix + "corpus_tokens", whole(corpus.tokens));
    facts.emplace_back(prefix + "counted_positions", whole(corpus.positions));
    if (corpus.blankDocuments > 0)
        facts.emplace_back(prefix + "blank_documents", whole(corpus.blankDocuments));
    if (corpus.equalDocuments > 0)
        facts.emplace_back(prefix + "equal_documents", whole(corpus.equalDocuments));
    if (corpus.invalidBytes > 0)
        facts.emplace_back(prefix + "bytes_not_utf8", whole(corpus.invalidBytes));
}

void addWindowFacts(Facts& facts, const CountBasis& basis)
{
    facts.emplace_back("documents_cut", basis.documents);
    if (!basis.jsonField.empty())
        facts.emplace_back("json_field", basis.jsonField);
    facts.emplace_back("window", basis.window);
    facts.emplace_back("skip_first", basis.skipFirst);
    addEvaluationFacts(facts, basis.evaluation);
}

void addEvaluationFacts(Facts& facts, const EvaluationMode& mode, const std::string& prefix)
{
    if (mode.segment == 0)
        return;
    facts.emplace_back(prefix + "memory_blocks", mode.memoryBlocks);
    facts.emplace_back(prefix + "segment", mode.segment);
    facts.emplace_back(prefix + "same_length", std::int64_t{mode.sameLength});
    if (mode.lastLayerMemory)
        facts.emplace_back(prefix + "last_layer_memory", std::int64_t{1});
}

} // namespace headscope::core
