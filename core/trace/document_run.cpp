// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/document_run.h"

#include "core/trace/model.h"

namespace headscope::core {

std::shared_ptr<DocumentRun> beginDocument(const Model& model)
{
    const auto* runs = dynamic_cast<const DocumentRuns*>(&model);
    const Visibility& seen = model.info()->visibility;
    return runs != nullptr && seen.segment > 0 && seen.segmentsBack > 0 ? runs->beginDocument() : nullptr;
}

std::int64_t segmentsReached(const ModelInfo& info)
{
    return info.lastLayerMemory ? -1 : info.visibility.segmentsBack * info.layers;
}

} // namespace headscope::core
