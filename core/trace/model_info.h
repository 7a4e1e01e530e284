// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/routing/router.h"
#include "core/tokenizer/tokenizer.h"
#include "core/trace/trace.h"

#include <cstdint>
#include <string>
#include <vector>

namespace headscope::core {

/// The attention maps of one block.
struct MapGroup {
    MapAddress address;
    int maps = 0;           // as in AttentionKeep
    bool slots = false;     // maps are slots of a `qo` router; by expert they are `experts` maps with blank rows
    int experts = 0;        // of that router; 0 otherwise
    // The sizes of AttentionKeep, without the number of tokens.
    int keyHeads = 0;
    int width = 0;
    int valueWidth = 0;
    int relativeHeads = 0; // 0: no relative positions
    bool positionQueries = false;
};

/// A hyper-parameter and where its value comes from ("run_invariants.args", "headscope.json", "shapes", …).
struct Setting {
    std::string name;
    std::string value;
    std::string source;
    bool unconfirmed = false;    // nothing in the weights confirms it: another value gives another trace
    std::string overrode = {};   // other values that gave way to this one: "1 in args.json"; empty when there are none
};

/// What a loaded checkpoint is. Plain values; a trace keeps it after the weights are gone.
struct ModelInfo {
    std::string path;           // as the user gave it
    std::string family;         // "moe_attention", …
    std::string variant;        // "SwitchHead XL", "MoA (mode my)", "dense Transformer-XL", …, for a reader
    std::string container;      // "PyTorch zip", …
    std::int64_t parameters = 0;
    std::int64_t modelBytes = 0; // of the tensors in the file
    std::int64_t bytesRead = 0;  // from the file while opening
    int layers = 0;             // applications in the forward pass
    std::int64_t width = 0;     // d
    std::int64_t vocabulary = 0; // embedding rows
    int heads = 0;              // attention heads (or chosen experts for MoA)
    int headWidth = 0;
    std::string positions;      // "Transformer-XL relative", "rotary (24 of 48 dimensions)"
    std::string norm;           // "pre-LN", "post-LN"
    Visibility visibility;
    bool lastLayerMemory = false; // later segments attend to the last layer's output (AttentionKeep::keysOfSegments)
    std::int64_t layerProducts = 0; // multiply-accumulates with weights that a token costs in the layers
    std::int64_t headProducts = 0;  // and in the output head
    std::string device;         // "cpu", "cuda:0"
    std::string dtype;          // computed in: "float32", "bfloat16"
    std::vector<Router> routers; // every router (one per head), in order of the forward pass
    std::vector<MapGroup> maps;
    std::vector<Setting> settings;
    std::string tokenizer;      // description and path; empty when there is none
    TextPolicy textPolicy;
    std::string withoutTokenizer; // why texts need its tokenizer, a sentence; empty: nothing special
    std::vector<std::string> notes;
};

} // namespace headscope::core
