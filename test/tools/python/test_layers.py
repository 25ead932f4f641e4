"""Small networks, each for one layer or form of use: exported, trained by dist-run on two ranks, loaded back, beside the loop of PyTorch."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import collections
import dataclasses
import os
import tempfile
import unittest

import numpy as np

import surroundings
import tutti

torch = surroundings.torch
SAMPLES, BATCH, STEPS, RATE, LIMIT = 24, 8, 3, 0.05, 5e-6

if torch:
    from torch import nn
    from torch.nn import functional as F

    class Net(nn.Module):
        """Parts, and the function that computes with them."""

        def __init__(self, compute, **parts):
            super().__init__()
            self.compute = compute
            for name, part in parts.items():
                setattr(self, name, part)

        def forward(self, x):
            return self.compute(self, x)

    class Scalars(nn.Module):
        """Parameters and buffers of one number, of truths, and of bounds, which are constants of the graph."""

        def __init__(self):
            super().__init__()
            self.last, self.scale, self.one = nn.Linear(6, 5), nn.Parameter(torch.tensor(1.5)), nn.Parameter(torch.tensor([0.5]))
            self.register_buffer("shift", torch.tensor(1.0))
            self.register_buffer("mask", torch.tril(torch.ones(6, 6)).bool())
            self.register_buffer("lowest", torch.tensor(-1.0))
            self.register_buffer("power", torch.tensor(2.0))

        def forward(self, x):
            return torch.max(self.last(x @ self.mask.float()) * self.scale * self.one + self.shift, self.lowest) ** self.power

    class Optional(nn.Module):
        def __init__(self):
            super().__init__()
            self.last = nn.Linear(6, 5)

        def forward(self, x, mask=None, scale: int = 2, **more):
            return self.last(x if mask is None else x * mask) * scale

    @dataclasses.dataclass
    class Output:
        scores: torch.Tensor
        hidden: torch.Tensor

    Pair = collections.namedtuple("Pair", ["scores", "count"])


def distance(first, second):
    first, second = first.double(), second.double()
    return float((first - second).norm() / max(float(second.norm()), 1e-3))


@unittest.skipUnless(torch, surroundings.NO_TORCH)
class Layers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "m.onnx")
        torch.manual_seed(5)
        self.x, self.tokens = torch.randn(SAMPLES, 6), torch.randint(0, 12, (SAMPLES, 6))
        self.labels, self.loss = torch.randint(0, 5, (SAMPLES,)), nn.CrossEntropyLoss()

    def train(self, make, data, loss, labels, call=None, example=None, ranks=2, **how):
        """(exported, state that dist-run finds, state that PyTorch finds, losses of both)."""
        network = make()
        call = call or (lambda net, part: net(part["x"]))
        example = {name: value[:2] for name, value in data.items()} if example is None else example
        exported = tutti.export(network, example, self.path, loss=loss, labels=labels[:2], quiet=True, **how)
        result = tutti.train(exported, {**data, "label": labels}, ranks=ranks, steps=STEPS, shuffle=False, progress=False, learning_rate=RATE, global_batch=BATCH)
        step, losses = torch.optim.SGD(network.parameters(), lr=RATE), []
        for begin in range(0, STEPS * BATCH, BATCH):
            step.zero_grad()
            value = loss(call(network, {name: part[begin:begin + BATCH] for name, part in data.items()}), labels[begin:begin + BATCH])
            value.backward()
            step.step()
            losses.append(value.item())
        fresh = make()
        tutti.load_into(fresh, result, quiet=True)
        return exported, fresh.state_dict(), network.state_dict(), (result.losses, losses)

    def check(self, make, data=None, loss=None, labels=None, limit=LIMIT, skip=(), **how):
        def seeded():
            torch.manual_seed(7)
            return make()
        exported, found, right, losses = self.train(seeded, data or {"x": self.x}, loss or self.loss, self.labels if labels is None else labels, **how)
        np.testing.assert_allclose(*losses, rtol=limit)
        for name, value in right.items():
            if value.is_floating_point() and name not in skip:
                self.assertLess(distance(found[name], value), limit, name)
        return exported

    def test_types(self):
        self.check(lambda: nn.Linear(6, 5).double(), {"input": self.x.double()}, call=lambda net, part: net(part["input"]))
        self.check(lambda: Net(lambda net, x: net.last(x).half().float(), last=nn.Linear(6, 5)))
        self.check(lambda: nn.Linear(6, 5).bfloat16(), {"input": self.x.bfloat16()}, lambda output, labels: F.cross_entropy(output.float(), labels),
                   call=lambda net, part: net(part["input"]), limit=1e-2)

    def test_recurrent_layers(self):
        self.check(lambda: Net(lambda net, x: net.last(net.gru(net.words(x))[0][:, -1]), words=nn.Embedding(12, 6), gru=nn.GRU(6, 6, batch_first=True),
                               last=nn.Linear(6, 5)), {"x": self.tokens})
        network = lambda: Net(lambda net, x: net.last(net.rnn(net.words(x))[0][-1]), words=nn.Embedding(12, 6), rnn=nn.RNN(6, 6), last=nn.Linear(6, 5))
        exported = self.check(network, {"x": self.tokens}, example=self.tokens[:2].t(), batch={"x": 1}, call=lambda net, part: net(part["x"].t()))
        self.assertEqual(exported.inputs, ["x", "label"])

    def test_attention_and_normalizations(self):
        self.check(lambda: Net(lambda net, x: (lambda y: net.last(net.attention(y, y, y, need_weights=False)[0].mean(1)))(net.words(x)),
                               words=nn.Embedding(12, 8), attention=nn.MultiheadAttention(8, 2, batch_first=True), last=nn.Linear(8, 5)), {"x": self.tokens})
        self.check(lambda: Net(lambda net, x: net.last(net.norm(x)), norm=nn.BatchNorm1d(6, affine=False), last=nn.Linear(6, 5)), skip=["norm.running_var"])
        self.check(lambda: Net(lambda net, x: net.last(net.norm(x.view(-1, 2, 3)).flatten(1)), norm=nn.GroupNorm(2, 2), last=nn.Linear(6, 5)))
        self.check(lambda: nn.utils.weight_norm(nn.Linear(6, 5)), {"input": self.x}, call=lambda net, part: net(part["input"]))

    def test_a_normalization_that_is_used_twice(self):
        """As of two views of a batch: the second use goes on with the running statistics of the first."""
        self.check(lambda: Net(lambda net, x: net.last(net.norm(torch.relu(net.norm(x))) + net.norm(-x)), norm=nn.BatchNorm1d(6), last=nn.Linear(6, 5)),
                   skip=["norm.running_var"])

    def test_containers_and_numbers(self):
        self.check(lambda: Net(lambda net, x: net.layers["last"](x @ net.first[0] + net.first[1]), layers=nn.ModuleDict({"last": nn.Linear(6, 5)}),
                               first=nn.ParameterList([nn.Parameter(torch.randn(6, 6)), nn.Parameter(torch.zeros(6))])))
        exported = self.check(Scalars)
        self.assertEqual(set(exported.parameters), {"last.weight", "last.bias", "scale", "one"})

    def test_forms_of_calls(self):
        self.check(Optional, example=(self.x[:2], None, 3), call=lambda net, part: net(part["x"], None, 3))
        self.check(Optional, {"mask": self.x, "x": self.x}, call=lambda net, part: net(**part))
        self.check(Optional, {"x": self.x, "mask": self.x}, example=(self.x[:2], {"mask": self.x[:2]}), call=lambda net, part: net(**part))
        self.check(lambda: Net(lambda net, x: Output(net.last(x), x), last=nn.Linear(6, 5)), loss=lambda output, labels: F.cross_entropy(output.scores, labels))
        self.check(lambda: Net(lambda net, x: net.last(x.scores * x.hidden), last=nn.Linear(6, 5)), {"x_scores": self.x, "x_hidden": self.x},
                   example=Output(self.x[:2], self.x[:2]), call=lambda net, part: net(Output(part["x_scores"], part["x_hidden"])))
        self.check(lambda: Net(lambda net, x: Pair(net.last(x), 3), last=nn.Linear(6, 5)), loss=lambda output, labels: F.cross_entropy(output.scores, labels))

    def test_losses(self):
        self.check(lambda: nn.Linear(6, 5), {"input": self.x}, nn.CrossEntropyLoss(weight=torch.arange(1.0, 6), ignore_index=2), call=lambda net, part: net(part["input"]))
        network = lambda: Net(lambda net, x: net.last(net.words(x)).transpose(1, 2), words=nn.Embedding(12, 6), last=nn.Linear(6, 12))
        self.check(network, {"x": self.tokens}, labels=self.tokens)
        self.check(lambda: Net(lambda net, x: net.last(x), last=nn.Linear(6, 5)), loss=nn.BCEWithLogitsLoss(pos_weight=torch.arange(1.0, 6)),
                   labels=torch.rand(SAMPLES, 5).round())
        self.check(lambda: Net(lambda net, x: net.last(x), last=nn.Linear(6, 5)), loss=lambda output, labels: F.cross_entropy(output, labels) + 1e-2 * (output ** 2).mean())

    def test_a_loss_with_parameters_of_its_own(self):
        class Heated(nn.Module):
            def __init__(self):
                super().__init__()
                self.heat = nn.Parameter(torch.tensor(2.0))

            def forward(self, output, labels):
                return F.cross_entropy(output / self.heat, labels)
        exported = tutti.export(nn.Linear(6, 5), self.x[:2], self.path, loss=Heated(), labels=self.labels[:2], quiet=True)
        self.assertIn("loss.heat", exported.parameters)

    def test_dropout_draws_alike_on_any_number_of_ranks(self):
        network = Net(lambda net, x: net.last(net.dropout(net.first(x))), dropout=nn.Dropout(0.5), first=nn.Linear(6, 6), last=nn.Linear(6, 5))
        exported = tutti.export(network, self.x[:2], self.path, loss=self.loss, labels=self.labels[:2], quiet=True)
        losses = [tutti.train(exported, {"x": self.x, "label": self.labels}, ranks=ranks, steps=STEPS, progress=False, global_batch=BATCH).losses for ranks in (1, 2)]
        np.testing.assert_allclose(*losses, rtol=1e-6)


if __name__ == "__main__":
    unittest.main()
