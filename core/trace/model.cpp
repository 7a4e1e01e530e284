// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/model.h"

#include "core/trace/next_token.h"
#include "core/trace/weight_view.h"

#include <fmt/format.h>

namespace headscope::core {

TokenizedText Model::tokenize(std::string_view text, const Progress& progress) const
{
    if (!m_tokenizer && !m_info->withoutTokenizer.empty())
        throw Error(fmt::format("{}: {}", m_info->path, m_info->withoutTokenizer));
    if (!m_tokenizer)
        throw Error(fmt::format("{} has no tokenizer beside it: give one with --tokenizer, or give the text as ids.", m_info->path));
    auto tokens = m_tokenizer->encode(text, m_info->textPolicy, progress);
    requireIdsBelow(tokens, m_info->vocabulary, m_tokenizer.get());
    return tokens;
}

TokenizedText Model::tokensFromIds(const std::vector<TokenId>& ids) const
{
    return core::tokensFromIds(ids, m_tokenizer.get(), m_info->vocabulary);
}

std::shared_ptr<const Trace> Model::trace(TokenizedText text, const TraceOptions& options, const Progress& progress) const
{
    std::vector<Stream> streams;
    streams.push_back({"text", std::move(text)});
    return trace(std::move(streams), options, progress);
}

const WeightViews* weightViews(const Model& model)
{
    return dynamic_cast<const WeightViews*>(&model);
}

const NextTokenHead* nextTokenHead(const Model& model)
{
    return dynamic_cast<const NextTokenHead*>(&model);
}

bool sameVocabulary(const Model& a, const Model& b)
{
    if (a.info()->vocabulary != b.info()->vocabulary)
        return false;
    const Tokenizer* const x = a.tokenizer().get();
    const Tokenizer* const y = b.tokenizer().get();
    if (x == y)
        return true;
    if (x == nullptr || y == nullptr || x->size() != y->size())
        return false;
    for (TokenId id = 0; id < x->size(); ++id)
        if (x->piece(id) != y->piece(id) || x->isSpecial(id) != y->isSpecial(id))
            return false;
    return true;
}

} // namespace headscope::core
