#!/usr/bin/python3
"""Exports networks from PyTorch and records their losses: NAME.onnx, NAME.fixed.onnx (a batch of 4) and expected.json.
By hand, where PyTorch is installed.

    make_exports.py [NAME ...]        (default: all)

The networks are small, and each has what makes an exporter write something that others do not. They are written for this
test. SGD with a rate of 0.05; the loss of a step is that before its update.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import pathlib
import sys
import warnings

import torch
import torch.nn.functional as F
from torch import nn

import samples

HERE = pathlib.Path(__file__).resolve().parent
RATE = 0.05


class Network(nn.Module):
    """Modules by name, and a function of them and the input."""

    def __init__(self, compute, **modules):
        super().__init__()
        self.compute = compute
        for name, module in modules.items():
            setattr(self, name, module)

    def forward(self, x):
        return self.compute(self, x)


def classifier(width):
    return nn.Linear(width, samples.CLASSES)


def flatten_by_size():
    """A size of the input, taken for what was computed from it."""
    return Network(lambda net, x: net.last(net.conv(x).view(x.size(0), -1)), conv=nn.Conv2d(3, 4, 3, stride=3),
                   last=classifier(100))


def margins():
    """Pads that are computed by nodes."""
    return nn.Sequential(nn.ReflectionPad2d(1), nn.Conv2d(3, 4, 3, stride=2), nn.ReLU(),
                         Network(lambda net, x: F.pad(x, (1, 0, 2, 0))), nn.Flatten(), classifier(4 * 9 * 10))


def attend(query, key, value, mask=0.0):
    return torch.softmax(query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5 + mask, -1) @ value


def decoder():
    """Heads by split, view and transpose; a causal mask that is cut to the length."""
    def compute(net, tokens):
        count, length = tokens.shape
        x = net.words(tokens) + net.places(torch.arange(length))[None]
        query, key, value = (part.view(count, length, 4, 4).transpose(1, 2) for part in net.project(net.norm(x)).split(16, -1))
        scores = query @ key.transpose(2, 3) / 2
        below = torch.tril(torch.ones(length, length)).view(1, 1, length, length)
        shares = F.softmax(scores.masked_fill(below[:, :, :length, :length] == 0, float("-inf")), -1)
        x = x + (shares @ value).transpose(1, 2).contiguous().view(count, length, 16)
        return net.last(x[:, -1])
    return Network(compute, words=nn.Embedding(20, 16), places=nn.Embedding(6, 16), norm=nn.LayerNorm(16),
                   project=nn.Linear(16, 48), last=classifier(16))


def vision_transformer():
    """A class token that is repeated for each sample."""
    def compute(net, x):
        patches = net.patches(x).flatten(2).transpose(1, 2)
        patches = torch.cat([net.token.expand(x.shape[0], -1, -1), patches], 1) + net.places
        return net.last(net.encoder(patches)[:, 0])
    layer = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, batch_first=True, norm_first=True, activation="gelu")
    return Network(compute, patches=nn.Conv2d(3, 16, 4, 4), token=nn.Parameter(torch.zeros(1, 1, 16)),
                   places=nn.Parameter(torch.randn(1, 17, 16) * 0.02), encoder=layer, last=classifier(16))


def shifted_windows():
    """Windows of a picture that is rolled: sizes of six dimensions, two of which hold the batch together."""
    def compute(net, x):
        x = net.patches(x).permute(0, 2, 3, 1)
        count, height, width, channels = x.shape
        x = torch.roll(x, (-2, -2), (1, 2)).view(count, height // 4, 4, width // 4, 4, channels)
        windows = x.permute(0, 1, 3, 2, 4, 5).reshape(-1, 16, channels)
        windows = attend(*net.project(windows).chunk(3, -1))
        x = windows.view(count, height // 4, width // 4, 4, 4, channels).permute(0, 1, 3, 2, 4, 5)
        return net.last(torch.roll(x.reshape(count, height, width, channels), (2, 2), (1, 2)).mean((1, 2)))
    return Network(compute, patches=nn.Conv2d(3, 8, 2, 2), project=nn.Linear(8, 24), last=classifier(8))


def sequence_first():
    """Attention of the library, sequence first, as it folds heads into the batch."""
    return Network(lambda net, x: net.last(net.attention(*3 * [x.permute(1, 0, 2)])[0].mean(0)),
                   attention=nn.MultiheadAttention(16, 4), last=classifier(16))


def encoder_and_decoder():
    def compute(net, x):
        return net.last(net.both(x, x[:, :3], tgt_mask=torch.triu(torch.full((3, 3), float("-inf")), 1))[:, -1])
    return Network(compute, both=nn.Transformer(16, 4, 1, 1, 32, dropout=0.0, batch_first=True), last=classifier(16))


def squeeze_and_excite():
    """Channels that are scaled by what the whole picture says; groups; a batch normalization that trains."""
    def compute(net, x):
        x = F.silu(net.norm(net.depth(net.start(x))))
        return net.last((x * net.share(x)).mean((2, 3)))
    share = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(8, 4, 1), nn.SiLU(), nn.Conv2d(4, 8, 1), nn.Sigmoid())
    return Network(compute, start=nn.Conv2d(3, 8, 3, 2, 1, bias=False), depth=nn.Conv2d(8, 8, 3, padding=1, groups=8, bias=False),
                   norm=nn.BatchNorm2d(8), share=share, last=classifier(8))


def dense_blocks():
    """Channels that are joined; a local response of instance and group normalization."""
    def compute(net, x):
        parts = [net.start(x)]
        for block in (net.first, net.second):
            parts.append(block(torch.cat(parts, 1)))
        return net.last(F.adaptive_avg_pool2d(torch.cat(parts, 1), 1).flatten(1))
    return Network(compute, start=nn.Conv2d(3, 8, 3, padding=1),
                   first=nn.Sequential(nn.GroupNorm(2, 8), nn.LeakyReLU(0.1), nn.Conv2d(8, 4, 3, padding=1)),
                   second=nn.Sequential(nn.InstanceNorm2d(12, affine=True), nn.ELU(), nn.Conv2d(12, 4, 3, padding=1)),
                   last=classifier(16))


def relative_places():
    """A bias of attention that is looked up by distance, and a norm that is written out."""
    def compute(net, tokens):
        x = net.words(tokens)
        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
        places = torch.arange(tokens.shape[1])
        bias = net.bias((places[:, None] - places[None]).clamp(-4, 3) + 4).permute(2, 0, 1)[None]
        heads = net.project(x).view(-1, tokens.shape[1], 2, 8).transpose(1, 2)
        return net.last(attend(heads, heads, heads, bias).transpose(1, 2).flatten(2).mean(1))
    return Network(compute, words=nn.Embedding(20, 16), bias=nn.Embedding(8, 2), project=nn.Linear(16, 16, bias=False),
                   last=classifier(16))


def factorization():
    """Tables that are one, with offsets; sums of products."""
    def compute(net, tokens):
        rows = net.table(tokens + net.offsets)
        pairs = 0.5 * (rows.sum(1) ** 2 - (rows ** 2).sum(1)).sum(1, keepdim=True)
        return net.last(rows.flatten(1)) + pairs
    network = Network(compute, table=nn.Embedding(120, 4), last=classifier(24))
    network.register_buffer("offsets", torch.arange(6) * 20)
    return network


def functions():
    """What is rarely used, on a vector."""
    def compute(net, x):
        x = net.first(x)
        parts = [torch.log1p(x.abs()), torch.erf(x), torch.where(x > 0, x.square(), x.clamp(-0.5, 0.5)), F.normalize(x, dim=-1),
                 F.glu(x).repeat(1, 2), torch.logsumexp(x.view(-1, 3, 4), -1).repeat(1, 4), x.cumsum(1),
                 torch.stack([x.var(-1), x.norm(dim=-1), x.amax(-1), x.amin(-1)], -1).repeat(1, 3)]
        return net.last(F.hardswish(F.mish(torch.cat(parts, -1))))
    return Network(compute, first=nn.utils.weight_norm(nn.Linear(16, 12)), last=classifier(96))


def enlarged_pictures():
    """Pictures made smaller and larger again, in three ways, and joined; products said by letters."""
    def compute(net, x):
        small = F.relu(net.second(F.max_pool2d(F.relu(net.first(x)), 2)))
        parts = [net.learned(small), F.interpolate(small, scale_factor=2),
                 F.interpolate(small, scale_factor=2, mode="bilinear", align_corners=False), F.pixel_shuffle(net.wide(small), 2)]
        return net.last(torch.einsum("bchw,cd->bd", torch.cat(parts, 1), net.mix) / 64)
    return Network(compute, first=nn.Conv2d(3, 4, 3, padding=1), second=nn.Conv2d(4, 6, 3, padding=1),
                   learned=nn.ConvTranspose2d(6, 4, 2, 2), wide=nn.Conv2d(6, 8, 1), mix=nn.Parameter(torch.randn(18, 8) * 0.3),
                   last=classifier(8))


def gated_text():
    """A bidirectional GRU whose state begins with zeros for as many samples as there are; the largest of each feature."""
    def compute(net, tokens):
        return net.last(net.recurrent(net.words(tokens))[0].max(1).values)
    return Network(compute, words=nn.Embedding(20, 8), recurrent=nn.GRU(8, 6, batch_first=True, bidirectional=True),
                   last=classifier(12))


def remembered_text():
    """An LSTM of two layers, and the last state of both directions of the upper one."""
    def compute(net, tokens):
        hidden = net.recurrent(net.words(tokens))[1][0]
        return net.last(torch.cat([hidden[-2], hidden[-1]], 1))
    return Network(compute, words=nn.Embedding(20, 8), recurrent=nn.LSTM(8, 6, 2, batch_first=True, bidirectional=True),
                   last=classifier(12))


def learned_beginning():
    """A plain recurrent layer, sequence first, whose state begins with a parameter that all samples share."""
    def compute(net, x):
        begin = net.begin.expand(-1, x.shape[0], -1).contiguous()
        return net.last(net.recurrent(x.transpose(0, 1), begin)[1][0])
    return Network(compute, begin=nn.Parameter(torch.randn(1, 1, 8) * 0.5), recurrent=nn.RNN(16, 8, nonlinearity="relu"),
                   last=classifier(8))


def cell_by_cell():
    """A GRU and an LSTM written as loops over cells, which the exporter unrolls."""
    def compute(net, x):
        hidden = torch.zeros(x.shape[0], 8)
        upper = memory = torch.zeros(x.shape[0], 6)
        for step in range(x.shape[1]):
            hidden = net.gated(x[:, step], hidden)
            upper, memory = net.remembering(hidden, (upper, memory))
        return net.last(upper)
    return Network(compute, gated=nn.GRUCell(16, 8), remembering=nn.LSTMCell(8, 6), last=classifier(6))


def translation():
    """Sequence to sequence: a decoder that begins with the state of the encoder, and looks at all of its states."""
    def compute(net, tokens):
        states, (hidden, memory) = net.encoder(net.words(tokens))
        begin = (torch.cat([hidden[0], hidden[1]], 1)[None], torch.cat([memory[0], memory[1]], 1)[None])
        decoded, _ = net.decoder(net.words(tokens[:, :4]), begin)
        shares = torch.softmax(net.ask(decoded) @ states.transpose(1, 2), -1)
        return net.last(torch.tanh(torch.cat([decoded, shares @ states], -1))[:, -1])
    return Network(compute, words=nn.Embedding(20, 8), encoder=nn.LSTM(8, 5, batch_first=True, bidirectional=True),
                   decoder=nn.LSTM(8, 10, batch_first=True), ask=nn.Linear(10, 10), last=classifier(20))


def long_text():
    """Positions up to the length, which varies; attention that leaves padding out."""
    def compute(net, tokens):
        places = torch.arange(tokens.size(1)).unsqueeze(0).expand(tokens.size(0), -1)
        x = net.words(tokens) + net.places(places)
        return net.last((x + net.attention(x, x, x, key_padding_mask=tokens == 0)[0]).mean(1))
    return Network(compute, words=nn.Embedding(20, 12), places=nn.Embedding(8, 12),
                   attention=nn.MultiheadAttention(12, 3, batch_first=True), last=classifier(12))


def frames():
    """Time folded into the batch and taken out again, both of sizes that vary."""
    def compute(net, x):
        batch, time, width = x.shape
        y = torch.relu(net.first(x.reshape(batch * time, width)))
        return net.last(y.view(batch, time, -1).mean(1))
    return Network(compute, first=nn.Linear(16, 8), last=classifier(8))


def two_views():
    """Two batches joined for one pass and cut apart again; a row of a class that is repeated for each sample."""
    def compute(net, x):
        count = x.size(0)
        z = torch.tanh(net.first(torch.cat([x, x.flip(1)], 0)))
        rows = torch.stack([net.row.repeat(count, 1), z[:count], z[count:]], 1)
        return net.last(rows.view(count, -1))
    return Network(compute, first=nn.Linear(16, 8), row=nn.Parameter(torch.randn(1, 8)), last=classifier(24))


def all_pairs():
    """The mean distance of two samples, over all pairs but those of a sample and itself; zeros as many as samples."""
    def compute(net, x):
        h, count = torch.tanh(net.first(x)), x.size(0)
        others = 1 - torch.eye(count)
        mean = ((h[:, None] - h[None]).square().sum(2) * others).sum() / (count * (count - 1))
        return net.last(torch.cat([h * mean, h.new_zeros(count, 2)], 1))
    return Network(compute, first=nn.Linear(16, 8), last=classifier(10))


def contrast():
    """Every sample of two views against all others, as SimCLR compares them, and what each is like as a feature."""
    def compute(net, x):
        count = x.size(0)
        z = F.normalize(net.first(torch.cat([x, x.flip(1)], 0)), dim=1)
        alike = (z @ z.t() / 0.5).masked_fill(torch.eye(2 * count, dtype=torch.bool), -1e9).softmax(1)
        other = (torch.arange(2 * count) + count) % (2 * count)
        right = alike[torch.arange(2 * count), other]
        return net.last(z[:count]) - right[:count, None] - right[count:, None]
    return Network(compute, first=nn.Linear(16, 8), last=classifier(8))


def chosen_words():
    """One word of each text, by the places of all; how often words of a group occur."""
    def compute(net, tokens):
        x = net.words(tokens)
        chosen = x[torch.arange(x.size(0)), tokens[:, 0] % 6]
        groups = torch.zeros_like(x[:, :, 0]).scatter_add(1, tokens % 6, x.mean(2))
        return net.last(torch.cat([chosen, groups], 1))
    return Network(compute, words=nn.Embedding(20, 8), last=classifier(14))


NETWORKS = {
    "flatten_by_size": (flatten_by_size, "image"), "margins": (margins, "image"), "decoder": (decoder, "tokens"),
    "vision_transformer": (vision_transformer, "image"), "shifted_windows": (shifted_windows, "image"),
    "sequence_first": (sequence_first, "sequence"), "encoder_and_decoder": (encoder_and_decoder, "sequence"),
    "squeeze_and_excite": (squeeze_and_excite, "image"), "dense_blocks": (dense_blocks, "image"),
    "relative_places": (relative_places, "tokens"), "factorization": (factorization, "tokens"),
    "functions": (functions, "vector"), "enlarged_pictures": (enlarged_pictures, "image"),
    "gated_text": (gated_text, "tokens"), "remembered_text": (remembered_text, "tokens"),
    "learned_beginning": (learned_beginning, "sequence"), "cell_by_cell": (cell_by_cell, "sequence"),
    "translation": (translation, "tokens"),
    "long_text": (long_text, "tokens"), "frames": (frames, "sequence"), "two_views": (two_views, "vector"),
    "all_pairs": (all_pairs, "vector"), "contrast": (contrast, "vector"), "chosen_words": (chosen_words, "tokens"),
}


# Whose batch, if the file fixes it, cannot vary.
VARYING_ONLY = {"cell_by_cell", "gated_text", "remembered_text", "translation", "long_text", "frames", "two_views", "all_pairs",
                "contrast", "chosen_words"}
# Whose length varies, too: it is that of the data.
OPEN_LENGTH = {"long_text", "frames"}
# Before operator set 16 a sum of scattered updates forgets those that fall on one element.
OPSET = {"chosen_words": 16}


def export(network, x, path, axes, opset=15):
    # As an exporter does that is asked for a graph that trains.
    torch.onnx.export(network, (x,), path, input_names=["x"], output_names=["scores"], opset_version=opset, dynamic_axes=axes,
                      training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False)


def train(network, data):
    """The losses of the steps."""
    optimizer, losses = torch.optim.SGD(network.parameters(), lr=RATE), []
    for step in range(samples.STEPS):
        part = slice(step * samples.BATCH, (step + 1) * samples.BATCH)
        optimizer.zero_grad()
        loss = F.cross_entropy(network(data["x"][part]), data["label"][part])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def main():
    warnings.filterwarnings("ignore")
    file = HERE / "expected.json"
    expected = json.loads(file.read_text()) if file.exists() else {}
    for name in sys.argv[1:] or NETWORKS:
        make, kind = NETWORKS[name]
        torch.manual_seed(7)
        network = make().train()
        data = {key: torch.from_numpy(array) for key, array in samples.make(kind).items()}
        state = {key: value.clone() for key, value in network.state_dict().items()}
        export(network, data["x"][:3], HERE / f"{name}.onnx", {"x": {0: "batch", **({1: "time"} if name in OPEN_LENGTH else {})}},
               OPSET.get(name, 15))
        if name not in VARYING_ONLY:
            export(network, data["x"][:4], HERE / f"{name}.fixed.onnx", None)
        network.load_state_dict(state)  # an export in training form moves running statistics
        expected[name] = {"kind": kind, "loss": train(network, data)}
        print(name, *expected[name]["loss"])
    file.write_text(json.dumps(dict(sorted(expected.items())), indent=1) + "\n")


if __name__ == "__main__":
    main()
