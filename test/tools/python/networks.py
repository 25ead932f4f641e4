"""Networks as strangers write them, and the loop of PyTorch that trains them; for the tests of the Python package."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import copy

import torch
from torch import nn
from torch.nn import functional as F

SAMPLES, BATCH, STEPS, CLASSES, WORDS, LENGTH = 24, 8, 3, 5, 12, 6
EPSILON = 1e-3  # of Adam: gradients that are zero but for rounding, as of a bias before a normalization, must not count


def pictures():
    return {"x": torch.randn(SAMPLES, 3, 8, 8)}


def vectors():
    return {"x": torch.randn(SAMPLES, 6)}


def tokens():
    return {"tokens": torch.randint(0, WORDS, (SAMPLES, LENGTH))}


class TiedEmbeddings(nn.Module):
    """A language model whose table is also its last layer, with positions that are a buffer and dropout of 0."""
    example = staticmethod(tokens)

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(WORDS, 8)
        self.norm, self.dropout = nn.LayerNorm(8), nn.Dropout(0.0)
        self.head = nn.Linear(8, WORDS, bias=False)
        self.head.weight = self.table.weight
        self.register_buffer("positions", torch.sin(torch.arange(LENGTH * 8.0)).view(LENGTH, 8))
        self.register_buffer("places", torch.arange(LENGTH), persistent=False)

    def forward(self, tokens):
        x = self.table(tokens) + self.positions[self.places]
        return self.head(self.dropout(self.norm(x))).mean(1)

    labels = staticmethod(lambda: torch.randint(0, WORDS, (SAMPLES,)))


class BatchNorms(nn.Module):
    """Statistics that move, and those of a layer that stays in evaluation mode."""
    example = staticmethod(pictures)

    def __init__(self):
        super().__init__()
        self.first, self.norm = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)
        self.second, self.still = nn.Conv2d(4, 4, 3), nn.BatchNorm2d(4)
        with torch.no_grad():
            self.still.running_mean.normal_(), self.still.running_var.uniform_(0.5, 2)
        self.last = nn.Linear(4, CLASSES)

    def train(self, mode=True):
        super().train(mode)
        self.still.eval()
        return self

    def forward(self, x):
        x = F.relu(self.norm(self.first(x)))
        return self.last(self.still(self.second(x)).mean((2, 3)))


class Shared(nn.Module):
    """One module in three places, and a parameter that is assigned twice."""
    example = staticmethod(vectors)

    def __init__(self):
        super().__init__()
        layer = nn.Linear(6, 6)
        self.layers = nn.ModuleList([layer, nn.Linear(6, 6), layer])
        self.again = layer
        self.bias = nn.Parameter(torch.zeros(6))
        self.layers[1].bias = self.bias
        self.last = nn.Linear(6, CLASSES)

    def forward(self, x):
        for layer in [*self.layers, self.again]:
            x = torch.tanh(layer(x)) + self.bias
        return self.last(x)


class Recurrent(nn.Module):
    example = staticmethod(tokens)

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, 6)
        self.recurrent = nn.LSTM(6, 5, 2, batch_first=True, bidirectional=True)
        self.last = nn.Linear(10, CLASSES)

    def forward(self, tokens):
        return self.last(self.recurrent(self.words(tokens))[0].mean(1))


class VisionTransformer(nn.Module):
    example = staticmethod(pictures)

    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 8, 4, 4)
        self.token, self.places = nn.Parameter(torch.zeros(1, 1, 8)), nn.Parameter(torch.randn(1, 5, 8) * 0.02)
        layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True, norm_first=True, activation="gelu")
        self.encoder, self.last = nn.TransformerEncoder(layer, 2), nn.Linear(8, CLASSES)

    def forward(self, x):
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.places
        return self.last(self.encoder(x)[:, 0])


class Frozen(nn.Module):
    """Parameters that do not want a gradient, some that get none, one that is one number, and a part under no_grad."""
    example = staticmethod(vectors)

    def __init__(self):
        super().__init__()
        self.body, self.features = nn.Linear(6, 6), nn.Linear(6, 6)
        self.body.requires_grad_(False)
        self.last, self.unused = nn.Linear(6, CLASSES), nn.Linear(3, 3)
        self.scale, self.bare = nn.Parameter(torch.ones(())), nn.Parameter(torch.ones(6))
        self.choice = nn.Parameter(torch.randn(6, CLASSES))
        self.register_buffer("factor", torch.full((6,), 2.0))

    def forward(self, x):
        with torch.no_grad():
            extra = self.features(x)
        chosen = (x @ self.choice).argmax(1, keepdim=True).float()
        return self.last(torch.tanh(self.body(x) * self.factor * self.bare + extra)) * self.scale + 0.1 * chosen


class Padded(nn.Module):
    example = staticmethod(tokens)

    def __init__(self):
        super().__init__()
        self.words, self.plain = nn.Embedding(WORDS, 6, padding_idx=0), nn.Embedding(WORDS, 6)
        with torch.no_grad():
            self.plain.weight[3] = 0
        self.last = nn.Linear(6, CLASSES)

    def forward(self, tokens):
        return self.last((self.words(tokens) * self.plain(tokens)).sum(1))


class Dictionaries(nn.Module):
    """Keywords, a tuple and a dictionary come in, a dictionary goes out."""

    @staticmethod
    def example():
        return {"x": torch.randn(SAMPLES, 6), "pair_0": torch.randn(SAMPLES, 6), "pair_1": torch.randn(SAMPLES, 6), "more_mask": torch.rand(SAMPLES, 6)}

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(6, 6), nn.Linear(6, CLASSES)

    def forward(self, x, pair, more=None, flag=True):
        x = self.first(x) * pair[0] - pair[1]
        return {"scores": self.last(x * more["mask"] if flag else x), "hidden": x}

    @staticmethod
    def arguments(x, pair_0, pair_1, more_mask):
        return (x,), {"pair": (pair_0, pair_1), "more": {"mask": more_mask}}


class Losses(nn.Module):
    """A module that returns its loss, beside others."""

    @staticmethod
    def example():
        return {"x": torch.randn(SAMPLES, 6), "labels": torch.randint(0, CLASSES, (SAMPLES,))}

    def __init__(self):
        super().__init__()
        self.last = nn.Linear(6, CLASSES)

    def forward(self, x, labels=None):
        scores = self.last(x)
        return {"loss": F.cross_entropy(scores, labels), "logits": scores}


def make(kind, seed=3):
    """(network, {name: all samples}, labels)."""
    torch.manual_seed(seed)
    network = kind().train()
    data = kind.example()
    labels = getattr(kind, "labels", lambda: torch.randint(0, CLASSES, (SAMPLES,)))()
    return network, data, labels


RECIPES = {"sgd": {"optimizer": "sgd", "learning_rate": 0.05}, "adam": {"optimizer": "adam", "learning_rate": 0.01, "epsilon": EPSILON},
           "adamw": {"optimizer": "adamw", "learning_rate": 0.01, "epsilon": EPSILON}}


def optimizer_of(name, network):
    parameters = [one for one in network.parameters() if one.requires_grad]
    if name == "sgd":
        return torch.optim.SGD(parameters, lr=0.05)
    kind = torch.optim.AdamW if name == "adamw" else torch.optim.Adam
    return kind(parameters, lr=0.01, eps=EPSILON)


def torch_loop(network, data, labels, loss, optimizer):
    """(a copy of the network after STEPS steps in the order of the data, its losses)."""
    network = copy.deepcopy(network).train()
    step, losses = optimizer_of(optimizer, network), []
    for begin in range(0, STEPS * BATCH, BATCH):
        part = {name: value[begin:begin + BATCH] for name, value in data.items()}
        arguments, keywords = network.arguments(**part) if hasattr(network, "arguments") else ((), part)
        step.zero_grad()
        value = loss(network(*arguments, **keywords), labels[begin:begin + BATCH])
        value.backward()
        step.step()
        losses.append(value.item())
    return network, losses
