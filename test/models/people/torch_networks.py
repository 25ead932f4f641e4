"""Networks of many fields, small, for PyTorch's exporter of 1.13.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

from torch_modules import BCE, CROSS_ENTROPY, LABEL, MSE, OUTPUT, Net, network, parameter


# Classifiers.

@network(11, CROSS_ENTROPY, x=["f32", "normal", 6], label=LABEL)
def mlp():
    return nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 8), nn.Tanh(), nn.Linear(8, 5))


@network(13, CROSS_ENTROPY, x=["f32", "normal", 2, 8, 8], label=LABEL)
def cnn_with_batch_norm():
    return nn.Sequential(nn.Conv2d(2, 4, 3, bias=False), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 8),
                         nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 5))


@network(12, CROSS_ENTROPY, x=["f32", "normal", 2, 8, 8], label=LABEL)
def residual_block():
    def compute(net, x):
        y = net.norm2(net.conv2(F.relu(net.norm1(net.conv1(x)))))
        y = F.relu(y + net.norm3(net.short(x)))
        return net.last(torch.flatten(F.adaptive_avg_pool2d(y, (1, 1)), 1))
    return Net(compute, conv1=nn.Conv2d(2, 4, 3, 2, 1, bias=False), norm1=nn.BatchNorm2d(4), conv2=nn.Conv2d(4, 4, 3, 1, 1, bias=False),
               norm2=nn.BatchNorm2d(4), short=nn.Conv2d(2, 4, 1, 2, bias=False), norm3=nn.BatchNorm2d(4), last=nn.Linear(4, 5))


@network(14, CROSS_ENTROPY, x=["f32", "normal", 2, 8, 8], label=["i64", 3, 8, 8])
def u_net():
    """A class for each pixel: scores [batch, classes, height, width]."""
    def compute(net, x):
        upper = F.relu(net.down(x))
        lower = F.relu(net.bottom(F.max_pool2d(upper, 2)))
        joined = torch.cat([upper, net.up(lower), F.interpolate(lower, scale_factor=2, mode="nearest")], 1)
        return net.last(F.relu(net.join(joined)))
    return Net(compute, down=nn.Conv2d(2, 4, 3, padding=1), bottom=nn.Conv2d(4, 6, 3, padding=1), up=nn.ConvTranspose2d(6, 4, 2, 2),
               join=nn.Conv2d(14, 4, 3, padding=1), last=nn.Conv2d(4, 3, 1))


@network(16, CROSS_ENTROPY, x=["f32", "normal", 5, 8], label=LABEL)
def mixer():
    def compute(net, x):
        x = x + net.across(net.norm1(x).transpose(1, 2)).transpose(1, 2)
        x = x + net.along(net.norm2(x))
        return net.last(x.mean(dim=1))
    return Net(compute, norm1=nn.LayerNorm(8), norm2=nn.LayerNorm(8), across=nn.Sequential(nn.Linear(5, 6), nn.GELU(), nn.Linear(6, 5)),
               along=nn.Sequential(nn.Linear(8, 12), nn.GELU(), nn.Linear(12, 8)), last=nn.Linear(8, 5))


@network(17, CROSS_ENTROPY, x=["f32", "normal", 2, 4, 6, 6], label=LABEL)
def video():
    return nn.Sequential(nn.Conv3d(2, 4, 3, padding=(0, 1, 1)), nn.ReLU(), nn.AvgPool3d((1, 2, 2)), nn.Conv3d(4, 4, (2, 3, 3)), nn.ReLU(),
                         nn.AdaptiveAvgPool3d(1), nn.Flatten(), nn.Linear(4, 5))


@network(13, CROSS_ENTROPY, x=["f32", "normal", 3, 10], label=LABEL)
def temporal_convolution():
    """Dilated and causal, with weights of their norm and direction."""
    def compute(net, x):
        for conv in (net.first, net.second):
            dilation = conv.dilation[0]
            y = F.relu(conv(F.pad(x, (2 * dilation, 0))))
            x = y + (x if x.shape[1] == y.shape[1] else net.short(x))
        return net.last(x[:, :, -1])
    return Net(compute, first=nn.utils.weight_norm(nn.Conv1d(3, 6, 3)), second=nn.utils.weight_norm(nn.Conv1d(6, 6, 3, dilation=2)),
               short=nn.Conv1d(3, 6, 1), last=nn.Linear(6, 5))


@network(14, CROSS_ENTROPY, x=["f32", "normal", 8, 6], label=LABEL)
def conformer_convolution():
    def compute(net, x):
        y = net.norm(x).transpose(1, 2)
        y = F.glu(net.wide(y), dim=1)
        y = net.narrow(F.silu(net.batch(net.depth(y))))
        x = x + 0.5 * y.transpose(1, 2)
        return net.last(x.mean(1))
    return Net(compute, norm=nn.LayerNorm(6), wide=nn.Conv1d(6, 12, 1), depth=nn.Conv1d(6, 6, 3, padding=1, groups=6), batch=nn.BatchNorm1d(6),
               narrow=nn.Conv1d(6, 6, 1), last=nn.Linear(6, 5))


@network(12, CROSS_ENTROPY, x=["f32", "normal", 4, 6, 6], label=LABEL)
def normalizations():
    def compute(net, x):
        x = net.group(net.conv(x))
        x = net.instance(x) + net.layer(x)
        root = torch.sqrt(torch.mean(x * x, dim=1, keepdim=True) + 1e-6)
        return net.last((x / root * net.scale).amax(dim=(2, 3)))
    return Net(compute, conv=nn.Conv2d(4, 4, 3, padding=1), group=nn.GroupNorm(2, 4), instance=nn.InstanceNorm2d(4), layer=nn.LayerNorm([4, 6, 6]),
               scale=nn.Parameter(torch.rand(4, 1, 1) + 0.5), last=nn.Linear(4, 5))


@network(14, CROSS_ENTROPY, x=["f32", "normal", 8], label=LABEL)
def activations():
    functions = [F.silu, F.gelu, F.mish, F.hardswish, F.elu, F.selu, F.celu, F.softplus, F.relu6, F.softsign, F.hardsigmoid, F.logsigmoid,
                 F.tanhshrink, F.hardtanh, lambda x: F.leaky_relu(x, 0.2), lambda x: F.threshold(x, 0.0, 0.0), F.hardshrink, F.softshrink]

    def compute(net, x):
        x = net.first(x)
        parts = [function(x[:, 2 * i: 2 * i + 2]) for i, function in enumerate(functions)]
        return net.last(net.slope(torch.cat(parts, 1)))
    return Net(compute, first=nn.Linear(8, 36), slope=nn.PReLU(), last=nn.Linear(36, 5))


@network(13, CROSS_ENTROPY, x=["f32", "normal", 2, 6, 6], label=LABEL)
def aware_of_quantization():
    """Weights by channel and activations by tensor, rounded to 8 bits."""
    def compute(net, x):
        weight = torch.fake_quantize_per_channel_affine(net.conv.weight, *net.steps, 0, -128, 127)
        x = torch.fake_quantize_per_tensor_affine(F.relu(F.conv2d(x, weight, net.conv.bias)), 0.02, 0, 0, 255)
        last = torch.fake_quantize_per_tensor_affine(net.last.weight, 0.004, 0, -128, 127)
        return F.linear(x.flatten(1), last, net.last.bias)
    net = Net(compute, conv=nn.Conv2d(2, 4, 3), last=nn.Linear(64, 5))
    net.steps = torch.tensor([0.004, 0.003, 0.005, 0.004]), torch.zeros(4, dtype=torch.int32)
    return net


# Sequences.

@network(14, CROSS_ENTROPY, x=["i64", 16, 7], label=LABEL)
def bidirectional_lstm():
    def compute(net, tokens):
        states, _ = net.recurrent(net.words(tokens))
        shares = torch.softmax(net.ask(torch.tanh(states)), dim=1)
        return net.last((shares * states).sum(1))
    return Net(compute, words=nn.Embedding(16, 6), recurrent=nn.LSTM(6, 5, batch_first=True, bidirectional=True), ask=nn.Linear(10, 1, bias=False),
               last=nn.Linear(10, 5))


@network(11, CROSS_ENTROPY, x=["i64", 16, 7], length=["i64", 7], label=LABEL)
def masked_gru():
    """The mean of the states up to a length that each sample has."""
    def compute(net, tokens, length):
        states, _ = net.recurrent(net.words(tokens))
        mask = (torch.arange(7)[None] <= length[:, None]).unsqueeze(-1).to(states.dtype)
        return net.last((states * mask).sum(1) / mask.sum(1))
    return Net(compute, words=nn.Embedding(16, 6), recurrent=nn.GRU(6, 5, batch_first=True), last=nn.Linear(5, 5))


@network(15, OUTPUT, source=["i64", 16, 6], target=["i64", 16, 5])
def sequence_to_sequence():
    """A decoder that is shown the words before, and attends to the encoder; the loss of padding does not count."""
    def compute(net, source, target):
        states, hidden = net.encoder(net.words(source))
        decoded, _ = net.decoder(net.words(target[:, :-1]), hidden)
        shares = torch.softmax(torch.bmm(decoded, states.transpose(1, 2)), dim=-1)
        scores = net.last(torch.cat([decoded, torch.bmm(shares, states)], -1))
        return F.cross_entropy(scores.reshape(-1, 16), target[:, 1:].reshape(-1), ignore_index=0)
    return Net(compute, words=nn.Embedding(16, 6), encoder=nn.GRU(6, 6, batch_first=True), decoder=nn.GRU(6, 6, batch_first=True),
               last=nn.Linear(12, 16))


@network(15, OUTPUT, tokens=["i64", 16, 8])
def tied_gpt():
    """A block of a language model whose table is also its last layer."""
    def compute(net, tokens):
        count, length = tokens.size()
        x = net.words(tokens) + net.places(torch.arange(length))
        y = net.norm1(x)
        query, key, value = net.project(y).split(12, dim=2)
        query, key, value = (part.view(count, length, 3, 4).transpose(1, 2) for part in (query, key, value))
        scores = (query @ key.transpose(-2, -1)) * (1.0 / math.sqrt(key.size(-1)))
        scores = scores.masked_fill(net.mask[:, :, :length, :length] == 0, float("-inf"))
        y = (F.softmax(scores, dim=-1) @ value).transpose(1, 2).contiguous().view(count, length, 12)
        x = x + net.join(y)
        x = x + net.narrow(0.5 * (h := net.wide(net.norm2(x))) * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (h + 0.044715 * torch.pow(h, 3.0)))))
        scores = F.linear(net.norm3(x), net.words.weight)
        return F.cross_entropy(scores[:, :-1].reshape(-1, 16), tokens[:, 1:].reshape(-1))
    net = Net(compute, words=nn.Embedding(16, 12), places=nn.Embedding(8, 12), norm1=nn.LayerNorm(12), project=nn.Linear(12, 36), join=nn.Linear(12, 12),
              norm2=nn.LayerNorm(12), wide=nn.Linear(12, 24), narrow=nn.Linear(24, 12), norm3=nn.LayerNorm(12))
    net.mask = torch.tril(torch.ones(8, 8, dtype=torch.uint8)).view(1, 1, 8, 8)
    return net


@network(17, OUTPUT, tokens=["i64", 16, 6])
def rotated_llama():
    """Root mean square norms, rotated places, keys that several heads share, a gated layer."""
    def compute(net, tokens):
        def norm(x, weight):
            return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * weight

        def rotate(x):
            half = torch.cat((-x[..., 2:], x[..., :2]), dim=-1)
            return x * net.cosines + half * net.sines
        count, length = tokens.shape
        x = net.words(tokens)
        y = norm(x, net.norm1)
        query = rotate(net.query(y).view(count, length, 4, 4).transpose(1, 2))
        key = rotate(net.key(y).view(count, length, 2, 4).transpose(1, 2))
        value = net.value(y).view(count, length, 2, 4).transpose(1, 2)
        key, value = (part[:, :, None].expand(count, 2, 2, length, 4).reshape(count, 4, length, 4) for part in (key, value))
        mask = torch.full((length, length), float("-inf")).triu(1)
        shares = torch.softmax(torch.matmul(query, key.transpose(2, 3)) / 2 + mask, dim=-1)
        x = x + net.join(torch.matmul(shares, value).transpose(1, 2).reshape(count, length, 16))
        y = norm(x, net.norm2)
        x = x + net.down(F.silu(net.gate(y)) * net.up(y))
        return F.cross_entropy(net.head(norm(x, net.norm3))[:, :-1].transpose(1, 2), tokens[:, 1:])
    norms = {f"norm{i}": nn.Parameter(torch.rand(16) + 0.5) for i in (1, 2, 3)}
    layers = {name: nn.Linear(a, b, bias=False) for name, a, b in (("query", 16, 16), ("key", 16, 8), ("value", 16, 8), ("join", 16, 16), ("gate", 16, 20),
                                                                   ("up", 16, 20), ("down", 20, 16), ("head", 16, 16))}
    net = Net(compute, words=nn.Embedding(16, 16), **norms, **layers)
    angles = torch.arange(6.0)[:, None] * torch.tensor([1.0, 0.1])[None].repeat(1, 2)
    net.cosines, net.sines = angles.cos(), angles.sin()
    return net


@network(16, CROSS_ENTROPY, x=["f32", "normal", 5, 8], keep=["bool", 2, 5], label=LABEL)
def masked_attention():
    """Places that a sample does not have count for nothing; the first one it always has."""
    def compute(net, x, keep):
        keep = torch.cat([torch.ones_like(keep[:, :1]), keep[:, 1:]], 1)
        query, key, value = (part.view(x.shape[0], 5, 2, 4).transpose(1, 2) for part in net.project(x).chunk(3, dim=-1))
        scores = torch.einsum("bhqd,bhkd->bhqk", query, key) / 2
        scores = scores.masked_fill(~keep[:, None, None], -1e9)
        y = torch.einsum("bhqk,bhkd->bqhd", scores.softmax(-1), value).reshape(x.shape[0], 5, 8)
        weights = keep.to(y.dtype).unsqueeze(-1)
        return net.last((net.join(y) * weights).sum(1) / weights.sum(1))
    return Net(compute, project=nn.Linear(8, 24), join=nn.Linear(8, 8), last=nn.Linear(8, 5))


@network(14, OUTPUT, x=["f32", "normal", 6, 5], label=["i64", 3, 2])
def connectionist_loss():
    """CTC of two labels in six steps, the sum over alignments written as logarithms of sums."""
    def compute(net, x, label):
        states, _ = net.recurrent(x)
        logs = F.log_softmax(net.last(states), dim=-1)
        extended = torch.stack([torch.zeros_like(label[:, 0]), label[:, 0] + 1, torch.zeros_like(label[:, 0]), label[:, 1] + 1, torch.zeros_like(label[:, 0])], 1)
        emitted = torch.gather(logs, 2, extended.unsqueeze(1).expand(-1, 6, -1))
        allowed = torch.where(label[:, :1] != label[:, 1:], 0.0, -1e4).to(logs.dtype)
        far = torch.cat([torch.full_like(emitted[:, 0, :3], -1e4), allowed, torch.full_like(emitted[:, 0, :1], -1e4)], 1)
        low = torch.full_like(emitted[:, 0, :1], -1e4)
        alpha = torch.cat([emitted[:, 0, :2], low.expand(-1, 3)], 1)
        for step in range(1, 6):
            before = torch.cat([low, alpha[:, :-1]], 1)
            twice = torch.cat([low, low, alpha[:, :-2]], 1) + far
            alpha = torch.logsumexp(torch.stack([alpha, before, twice], 0), 0) + emitted[:, step]
        return -torch.logsumexp(alpha[:, -2:], 1).mean()
    return Net(compute, recurrent=nn.RNN(5, 6, batch_first=True), last=nn.Linear(6, 4))


# Recommendation, experts, graphs.

@network(13, BCE, dense=["f32", "normal", 4], sparse=["i64", 20, 3], label=["f32", "unit", 1])
def deep_recommender():
    """Tables, products of all pairs, and two perceptrons, as a DLRM has them."""
    def compute(net, dense, sparse):
        rows = [net.bottom(dense)] + [table(sparse[:, i]) for i, table in enumerate(net.tables)]
        stacked = torch.stack(rows, 1)
        products = torch.bmm(stacked, stacked.transpose(1, 2))
        below, beside = torch.tensor([1, 2, 2, 3, 3, 3]), torch.tensor([0, 0, 1, 0, 1, 2])
        return net.top(torch.cat([rows[0], products[:, below, beside]], 1))
    return Net(compute, bottom=nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 6)), tables=nn.ModuleList(nn.Embedding(20, 6) for _ in range(3)),
               top=nn.Sequential(nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 1)))


@network(12, OUTPUT, user=["i64", 20], wanted=["i64", 30], other=["i64", 30])
def pairwise_ranking():
    """The item that was bought before one that was not (BPR)."""
    def compute(net, user, wanted, other):
        user = net.users(user)
        apart = (user * (net.items(wanted) - net.items(other))).sum(1, keepdim=True) + net.bias(wanted) - net.bias(other)
        return -F.logsigmoid(apart).mean() + 0.01 * user.pow(2).sum(1).mean()
    return Net(compute, users=nn.Embedding(20, 6), items=nn.Embedding(30, 6), bias=nn.Embedding(30, 1))


@network(16, OUTPUT, x=["f32", "normal", 6], label=LABEL)
def mixture_of_experts():
    """The two best of four experts, and a loss that keeps the load of experts alike over the batch."""
    def compute(net, x, label):
        shares = torch.softmax(net.gate(x), -1)
        best, which = torch.topk(shares, 2, dim=-1)
        best = best / best.sum(-1, keepdim=True)
        hidden = F.relu(torch.einsum("bi,eij->bej", x, net.first))
        results = torch.einsum("bej,ejk->bek", hidden, net.second)
        chosen = torch.gather(results, 1, which.unsqueeze(-1).expand(-1, -1, 5))
        load = (torch.nn.functional.one_hot(which, 4).to(x.dtype).sum(1).mean(0) * shares.mean(0)).sum() * 4
        return F.cross_entropy((chosen * best.unsqueeze(-1)).sum(1), label) + 0.1 * load
    return Net(compute, gate=nn.Linear(6, 4, bias=False), first=parameter(4, 6, 8), second=parameter(4, 8, 5))


@network(16, CROSS_ENTROPY, x=["f32", "normal", 5, 4], source=["i64", 5, 7], target=["i64", 5, 7], label=LABEL)
def graph_network():
    """Messages along the edges of each sample's graph, added up where they arrive."""
    def compute(net, x, source, target):
        for layer in (net.first, net.second):
            messages = layer(x)
            width = messages.shape[2]
            sent = torch.gather(messages, 1, source.unsqueeze(-1).expand(-1, -1, width))
            x = F.relu(torch.zeros_like(messages).scatter_add(1, target.unsqueeze(-1).expand(-1, -1, width), sent) + messages)
        return net.last(x.sum(1))
    return Net(compute, first=nn.Linear(4, 6), second=nn.Linear(6, 6), last=nn.Linear(6, 5))


# Pictures.

@network(11, MSE, x=["f32", "normal", 1, 5, 5], label=["f32", "normal", 1, 10, 10])
def super_resolution():
    def compute(net, x):
        y = F.pixel_shuffle(net.last(F.relu(net.first(x))), 2)
        return y + F.interpolate(x, scale_factor=2, mode="bicubic", align_corners=False) + F.interpolate(net.small(x), size=(10, 10), mode="bilinear", align_corners=True)
    return Net(compute, first=nn.Conv2d(1, 4, 5, padding=2), last=nn.Conv2d(4, 4, 3, padding=1), small=nn.Conv2d(1, 1, 1))


@network(14, "l1", x=["f32", "normal", 2, 9], label=["f32", "normal", 2, 9])
def denoising_autoencoder():
    return nn.Sequential(nn.Conv1d(2, 4, 3, 2), nn.ELU(), nn.Conv1d(4, 6, 2, 2), nn.ELU(), nn.ConvTranspose1d(6, 4, 2, 2), nn.ELU(),
                         nn.ConvTranspose1d(4, 2, 3, 2), nn.Tanh())


@network(13, OUTPUT, x=["f32", "normal", 2, 8, 8], box=["f32", "unit", 16, 4], kind=["i64", 3, 16])
def detection_head():
    """Boxes and classes of anchors: smooth distances of those that have an object, focal losses of all."""
    def compute(net, x, box, kind):
        features = F.relu(net.body(x))
        boxes = net.boxes(features).permute(0, 2, 3, 1).reshape(x.shape[0], -1, 4)
        scores = net.scores(features).permute(0, 2, 3, 1).reshape(x.shape[0], -1, 2)
        positive = (kind > 0).to(x.dtype)
        apart = (boxes - box).abs()
        apart = torch.where(apart < 0.5, apart * apart, apart - 0.25).sum(-1)
        target = torch.stack([(kind == 1).to(x.dtype), (kind == 2).to(x.dtype)], -1)
        chance = torch.sigmoid(scores)
        cross = F.binary_cross_entropy_with_logits(scores, target, reduction="none")
        focal = cross * (1 - (chance * target + (1 - chance) * (1 - target))) ** 2
        return (apart * positive).sum() / positive.sum().clamp(min=1) + focal.sum() / positive.sum().clamp(min=1)
    return Net(compute, body=nn.Conv2d(2, 4, 3, 2, 1), boxes=nn.Conv2d(4, 4, 1), scores=nn.Conv2d(4, 2, 1))


@network(16, CROSS_ENTROPY, x=["f32", "normal", 1, 6, 6], label=LABEL)
def spatial_transformer():
    """A picture turned by what a layer says, and sampled there."""
    def compute(net, x):
        theta = torch.tanh(net.turn(x.flatten(1))).view(-1, 2, 3)
        grid = torch.einsum("bij,hwj->bhwi", theta, net.places)
        return net.last(F.grid_sample(net.conv(x), grid, align_corners=False).flatten(1))
    net = Net(compute, turn=nn.Linear(36, 6), conv=nn.Conv2d(1, 2, 3, padding=1), last=nn.Linear(72, 5))
    line = torch.linspace(-1, 1, 6)
    net.places = torch.stack([line[None].expand(6, 6), line[:, None].expand(6, 6), torch.ones(6, 6)], -1)
    return net


@network(14, OUTPUT, x=["f32", "normal", 6, 6], label=["i64", 2, 6, 6])
def dice():
    """Overlap of a segmentation, over each picture, and cross entropy with weights of classes."""
    def compute(net, x, label):
        scores = net.layers(x.unsqueeze(1))
        target = label.to(x.dtype)
        chance = torch.softmax(scores, 1)[:, 1]
        overlap = (2 * (chance * target).sum((1, 2)) + 1) / (chance.sum((1, 2)) + target.sum((1, 2)) + 1)
        return (1 - overlap).mean() + F.cross_entropy(scores, label, weight=net.weights)
    net = Net(compute, layers=nn.Sequential(nn.Conv2d(1, 4, 3, padding=2, dilation=2), nn.ReLU(), nn.Conv2d(4, 2, 1)))
    net.weights = torch.tensor([0.3, 0.7])
    return net


@network(14, CROSS_ENTROPY, x=["f32", "normal", 2, 8, 8], label=LABEL)
def windows():
    """Pools that end outside, with holes, and over parts of unequal size; windows side by side."""
    def compute(net, x):
        x = net.conv(x)
        parts = [F.avg_pool2d(x, 3, 2, 1, ceil_mode=True, count_include_pad=False), F.avg_pool2d(x, 3, 2, 1), F.max_pool2d(x, 2, 2, 1, dilation=2),
                 F.max_pool2d(x, 3, 2, ceil_mode=True), F.adaptive_max_pool2d(x, (2, 4)), F.lp_pool2d(x, 2, 2), F.pixel_unshuffle(x, 2),
                 F.unfold(x, 3, stride=2), F.pad(x, (-1, 2, 1, -2)), torch.flip(x, (2, 3)), F.local_response_norm(x, 3)]
        return net.last(torch.cat([part.flatten(1) for part in parts], 1) * 0.2)
    return Net(compute, conv=nn.Conv2d(2, 4, 3, padding=1), last=nn.Linear(1732, 5, bias=False))


@network(14, CROSS_ENTROPY, x=["f32", "normal", 8], label=LABEL)
def orders_and_products():
    """What is sorted, summed up, multiplied and looked up along a vector."""
    def compute(net, x):
        x = net.first(x)
        parts = [torch.logsumexp(x, 1, keepdim=True), x.prod(1, keepdim=True), x.cumsum(1), torch.sort(x, 1)[0], torch.topk(x, 3, 1, largest=False)[0],
                 x[:, [0, 3, 3, 1]], x[:, ::2], x.gather(1, x.argsort(1)[:, :2]), torch.max(x, net.bound), torch.pow(x.abs() + 0.1, net.bound),
                 torch.zeros_like(x).scatter_add(1, x.argsort(1), x * x), torch.tril(x.unsqueeze(2) * x.unsqueeze(1)).sum(1),
                 torch.fmod(x, 0.7), torch.remainder(x, 0.7), torch.sign(x) * x, x.repeat_interleave(2, 1), x.std(1, keepdim=True)]
        return net.last(torch.cat(parts, 1))
    return Net(compute, first=nn.Linear(8, 8), bound=parameter(8), last=nn.Linear(104, 5))


# Exported without any argument: names that are made up, folded weights, a fixed batch.

@network(None, CROSS_ENTROPY, x=["f32", "normal", 6], label=LABEL)
def default_perceptron():
    return nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 5))


@network(None, CROSS_ENTROPY, x=["f32", "normal", 5, 8], label=LABEL)
def default_attention():
    def compute(net, x):
        query, key, value = net.query(net.norm(x)), net.key(x), net.value(x)
        y = torch.softmax(query @ key.transpose(1, 2) / 8 ** 0.5, -1) @ value
        return net.last(F.gelu(net.join(y) + x).mean(1))
    layers = {name: nn.Linear(8, 8) for name in ("query", "key", "value", "join")}
    return Net(compute, norm=nn.LayerNorm(8), last=nn.Linear(8, 5), **layers)


@network(None, CROSS_ENTROPY, x=["f32", "normal", 2, 6, 6], label=LABEL)
def default_convolution():
    return nn.Sequential(nn.Conv2d(2, 4, 3), nn.SiLU(), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(16, 8), nn.PReLU(), nn.Linear(8, 5))


# Steps in front of samples, which is the default of recurrent layers and of attention.

@network(14, MSE, steps_first=("x", "state"), x=["f32", "normal", 5, 6], state=["f32", "normal", 1, 8], label=["f32", "normal", 3])
def steps_in_front():
    def compute(net, x, state):
        y, _ = net.recurrent(x, state)
        return net.last(net.attention(y, y, y, need_weights=False)[0].mean(0))
    return Net(compute, recurrent=nn.GRU(6, 8), attention=nn.MultiheadAttention(8, 2), last=nn.Linear(8, 3))
