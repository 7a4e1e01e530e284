// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/checkpoint/file_bytes.h"

namespace headscope::core {

enum class ContainerKind { Safetensors, TorchZip, TorchLegacy };

/// What the first bytes of a file say it is; its name decides only between "damaged safetensors" and "something else".
/// Throws Error with a sentence of its own for each other kind of file that people mistake for a checkpoint.
ContainerKind sniffContainer(const FileBytes& file);

} // namespace headscope::core
