// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/tokenizer/tokenizer.h"

#include <filesystem>
#include <string_view>

namespace headscope::core {

/// How the training codes of SwitchHead and MoEUT turn the texts of a data set into ids, from the name of the run's task or, where that tells
/// nothing, from the folder its tokenizer lies in: WikiText line by line; C4, peS2o and SlimPajama document by document, each with
/// "<STORY_SEP>" behind it; all others as they are.
TextPolicy trainingTextPolicy(std::string_view task, const std::filesystem::path& tokenizer);

/// Whether the task is one on bytes, whose ids are only in the run's vocabulary file.
bool isByteTask(std::string_view task);

} // namespace headscope::core
