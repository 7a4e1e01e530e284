// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/missing_parameters.h"
#include "core/progress.h"
#include "core/trace/model.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headscope::core {

enum class ComputeType : std::uint8_t { Float32, BFloat16 };

/// Describe reads no weights: for questions about a model (info, tokenize) that is not going to be run.
enum class OpenFor : std::uint8_t { Running, Describing };

struct OpenOptions {
    std::string device = "auto"; // "auto", "cpu", "cuda", "cuda:<n>"
    ComputeType dtype = ComputeType::Float32;
    std::string family;          // by name, where the files alone do not tell; empty: recognised
    std::filesystem::path tokenizer; // empty: searched beside the checkpoint
    std::filesystem::path sidecar;   // hyper-parameters; empty: from the checkpoint
    GivenParameters parameters;      // hyper-parameters that the files lack (MissingParameters)
    std::string weights;             // which of several sets of weights (CheckpointOptions::weights); empty: the usual one
    std::optional<TextPolicy::Split> textSplit; // empty: the family's convention
    std::optional<std::string> documentSeparator; // TextPolicy::documentSeparator; empty: the family's convention
    /// Transformer-XL memory and the length of its segments, in place of what the run's own evaluation has. Error where a
    /// family has none.
    std::optional<std::int64_t> memoryBlocks; // from 0
    std::optional<std::int64_t> segment;      // tokens, from 1
    OpenFor purpose = OpenFor::Running;
};

/// Opens a checkpoint, recognises its family and reads its weights. Throws Error with one sentence, MissingParameters, Cancelled.
std::shared_ptr<const Model> openModel(const std::filesystem::path& path, const OpenOptions& options = {}, const Progress& progress = {});

/// core::fingerprint of the tensors that openModel reads with the same options. Reads everything: run it in the background.
std::string modelFingerprint(const std::filesystem::path& path, const OpenOptions& options = {}, const Progress& progress = {});

/// What `--device` accepts on this machine, most capable first: {"cuda:0", "cpu"}.
std::vector<std::string> availableDevices();

/// The names `--family` takes.
std::vector<std::string> familyNames();

} // namespace headscope::core
