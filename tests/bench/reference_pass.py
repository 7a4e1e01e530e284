#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A straightforward PyTorch pass over a SwitchHead checkpoint, to hold `headscope count` against: eager, one window at a time or in batches,
forward hooks on the routers, experts grouped by token, counts with bincount. What a researcher writes in an afternoon.

    tests/bench/reference_pass.py CHECKPOINT.pth args.json IDS.json [--batch B] [--counts]

IDS.json is what `headscope tokenize --json` prints (its member `ids` is read), or a list of ids. Prints tokens/s; with --counts also the sum of n(e) per router, which must
equal `selections` of `headscope count`. Without PyTorch it says so and exits with 77.
"""
import argparse
import json
import math
import sys
import time
from collections import OrderedDict

try:
    import torch
    import torch.nn.functional as F
    torch.zeros(1)
except Exception as problem:  # absent, or a wheel that does not load here
    print(f"SKIPPED: PyTorch cannot be imported ({problem})")
    sys.exit(77)


class Router(torch.nn.Module):
    """[n, d] -> logits [n, heads, E]"""

    def __init__(self, matrix, heads):
        super().__init__()
        self.matrix, self.heads = matrix, heads

    def forward(self, x):
        return F.linear(x, self.matrix).view(x.shape[0], self.heads, -1)


def mixture(rows, weights, experts, gates, out_rows, n_out):
    """out[out_rows] += gate · rows W[expert], one product for every expert."""
    out = rows.new_zeros(n_out, weights.shape[-1])
    for e in range(weights.shape[0]):
        entry = (experts == e).nonzero(as_tuple=True)[0]
        if entry.numel():
            out.index_add_(0, out_rows[entry], gates[entry, None] * (rows[entry] @ weights[e]))
    return out


def relative_shift(scores, length):
    """[b, h, T, 2T-1] scores by distance -> [b, h, T, T]"""
    i = torch.arange(length)
    return scores.gather(3, (i[None, :] - i[:, None] + length - 1).expand(*scores.shape[:2], -1, -1))


class Layer(torch.nn.Module):
    def __init__(self, weights, heads, chosen):
        super().__init__()
        self.w, self.h, self.k = weights, heads, chosen
        self.route_v = Router(weights["self_attn.selections.v"], heads)
        self.route_o = Router(weights["self_attn.selections.o"], heads)

    def choose(self, logits):
        gates, experts = torch.sigmoid(logits).topk(self.k, dim=-1, sorted=False)
        numbers = experts + torch.arange(self.h)[None, :, None] * logits.shape[-1]
        return numbers.reshape(-1), gates.reshape(-1)

    def attention(self, n, batch, length):
        w, h, d = self.w, self.h, n.shape[1]
        width = w["self_attn.projections.q"].shape[0] // h
        heads = lambda x: x.view(batch, length, h, -1).transpose(1, 2)
        q = heads(F.linear(n, w["self_attn.projections.q"]))
        k = heads(F.linear(n, w["self_attn.projections.k"]))
        tokens = torch.arange(n.shape[0])
        source = tokens.repeat_interleave(h * self.k)          # entries are (token, head, slot)
        token_head = torch.arange(n.shape[0] * h).repeat_interleave(self.k)
        experts, gates = self.choose(self.route_v(n))
        v = mixture(n[source], w["self_attn.projections.v"], experts, gates, token_head, n.shape[0] * h)
        v = heads(v.view(n.shape[0], -1))
        distance = torch.arange(1 - length, length).float()    # j - i
        omega = torch.exp(torch.arange(0, d, 2).float() * (-math.log(10000.0) / d))
        angle = distance[:, None] * omega
        sinusoids = torch.stack([angle.sin(), angle.cos()], -1).view(-1, d)
        r = F.linear(sinusoids, w["self_attn.pos_to_pk"]).view(-1, h, width).permute(1, 2, 0)
        scores = (q @ k.transpose(2, 3) + relative_shift(q @ r, length)) / math.sqrt(width)
        scores.masked_fill_(torch.ones(length, length, dtype=torch.bool).triu(1), float("-inf"))
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(n.shape[0] * h, -1)
        experts, gates = self.choose(self.route_o(n))
        return mixture(mixed[token_head], w["self_attn.projections.o"], experts, gates, source, n.shape[0])

    def forward(self, x, batch, length):
        w, d = self.w, x.shape[1]
        norm = lambda t, name: F.layer_norm(t, (d,), w[name + ".weight"], w[name + ".bias"])
        y = x + self.attention(norm(x, "norm1"), batch, length)
        hidden = F.relu(F.linear(norm(y, "norm2"), w["linear1.weight"], w["linear1.bias"]))
        return y + F.linear(hidden, w["linear2.weight"], w["linear2.bias"])


def layers_of(state, args):
    """The layers in order; their names are what stands before `self_attn.projections.q`."""
    mark = "self_attn.projections.q"
    prefixes = sorted((name[:-len(mark)] for name in state if name.endswith(mark)), key=lambda p: int([x for x in p.split(".") if x.isdigit()][-1]))
    layers = []
    for prefix in prefixes:
        weights = {name[len(prefix):]: value.float() for name, value in state.items() if name.startswith(prefix)}
        layers.append(Layer(weights, int(args["transformer.n_heads"]), int(args["moe.att.k"])))
    return layers


def allow_stand_ins(path):
    """Classes of the training code that lie in the file become dictionaries: nothing of it is executed, and the code need not be there."""
    for name in torch.serialization.get_unsafe_globals_in_checkpoint(path):
        torch.serialization.add_safe_globals([(OrderedDict, name)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("checkpoint")
    parser.add_argument("args")
    parser.add_argument("ids")
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--counts", action="store_true")
    options = parser.parse_args()
    args = json.load(open(options.args))
    ids = json.load(open(options.ids))
    ids = torch.tensor(ids["ids"] if isinstance(ids, dict) else ids)
    allow_stand_ins(options.checkpoint)
    state = torch.load(options.checkpoint, map_location="cpu", weights_only=True)
    state = state.get("model", state)
    embedding = next(v for k, v in state.items() if k.endswith("embedding.weight")).float()
    layers, length = layers_of(state, args), int(args["lm.unroll"])
    counts = {}

    def count(name):
        def hook(module, inputs, logits):
            experts = logits.topk(int(args["moe.att.k"]), dim=-1).indices  # [n, heads, k]
            for head in range(experts.shape[1]):
                pairs = current[:, None] * logits.shape[-1] + experts[:, head]
                table = torch.bincount(pairs.reshape(-1), minlength=embedding.shape[0] * logits.shape[-1])
                key = f"{name}.h{head}"
                counts[key] = counts.get(key, 0) + table
        return hook

    for depth, layer in enumerate(layers):
        layer.route_v.register_forward_hook(count(f"layers.{depth}.self.v"))
        layer.route_o.register_forward_hook(count(f"layers.{depth}.self.o"))
    whole = ids[: len(ids) // length * length].view(-1, length)
    batches = list(whole.split(options.batch)) + ([ids[whole.numel():][None]] if len(ids) % length else [])
    start = time.perf_counter()
    with torch.inference_mode():
        for batch in batches:
            current = batch.reshape(-1)
            x = embedding[current]
            for layer in layers:
                x = layer(x, *batch.shape)
    seconds = time.perf_counter() - start
    print(f"PyTorch {torch.__version__}: {len(ids)} tokens in {seconds:.1f} s, {len(ids) / seconds:.0f} tokens/s, batches of {options.batch}")
    if options.counts:
        experts = int(args["moe.att.n_experts"])
        for name, table in counts.items():
            print(name, table.view(-1, experts).sum(0).tolist())


main()
