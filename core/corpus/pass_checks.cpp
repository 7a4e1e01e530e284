// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/corpus/pass_checks.h"

#include "core/checkpoint/file_bytes.h"
#include "core/checkpoint/sha256.h"
#include "core/corpus/count_corpus.h"
#include "core/error.h"
#include "core/export/trace_export.h"
#include "core/nn/threads.h"
#include "core/trace/model_info.h"

#include <fmt/format.h>

#include <algorithm>

namespace headscope::core {

namespace {

constexpr std::int64_t longestWindow = 1 << 24;

std::string tokenizerHash(const Tokenizer& tokenizer)
{
    Sha256 digest;
    const auto file = FileBytes::open(tokenizer.path());
    digest.add(file->read(0, file->size()));
    return digest.hex();
}

} // namespace

std::int64_t windowLength(const Model& model, std::int64_t given, std::int64_t skipFirst)
{
    const ModelInfo& info = *model.info();
    const std::int64_t window = given > 0 ? given : trainingLength(info).value_or(0);
    if (!model.tokenizer() && !info.withoutTokenizer.empty())
        throw Error(fmt::format("{}: {}", info.path, info.withoutTokenizer));
    if (!model.tokenizer() || model.tokenizer()->path().empty())
        throw Error(fmt::format("{} has no tokenizer beside it: give one with --tokenizer.", info.path));
    if (info.routers.empty())
        throw Error(
            fmt::format("{} is a {}, which routes nothing; there is nothing to count.", modelName(info), info.variant));
    if (window == 0)
        throw Error(
            fmt::format("The hyper-parameters of {} do not say how long the texts of its training were; give --window N.",
                        modelName(info)));
    if (window > longestWindow)
        throw Error(fmt::format("A window of {} tokens is too long; at most {} are possible.", window, longestWindow));
    if (skipFirst < 0 || skipFirst >= window)
        throw Error(fmt::format("Of windows of {} tokens the first {} cannot be left out; nothing would be counted.", window,
                                skipFirst));
    return window;
}

CountBasis basisOf(const Model& model, const std::string& fingerprint, const DocumentSplit& documents, std::int64_t window,
                   std::int64_t skipFirst)
{
    const ModelInfo& info = *model.info();
    CountBasis basis;
    basis.model = modelName(info);
    basis.family = info.family;
    basis.variant = info.variant;
    basis.fingerprint = fingerprint;
    basis.dtype = info.dtype;
    basis.tokenizer = model.tokenizer()->description();
    basis.tokenizerHash = tokenizerHash(*model.tokenizer());
    basis.textPolicy = info.textPolicy;
    basis.documents = toString(documents);
    basis.jsonField = documents.jsonField;
    basis.window = window;
    basis.skipFirst = skipFirst;
    basis.evaluation = evaluationMode(info);
    return basis;
}

int threadsFor(const ModelInfo& info, int given)
{
    if (given > 0)
        return given;
    return info.device == "cpu" ? std::max(1, nn::processors()) : 1;
}

} // namespace headscope::core
