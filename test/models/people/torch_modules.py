"""What networks for PyTorch's exporter are made of, and the list of them.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import torch
from torch import nn

CROSS_ENTROPY, MSE, BCE, OUTPUT = "softmax-cross-entropy", "mse", "bce-with-logits", "output"
NETWORKS = {}
STEPS_FIRST = {}


def network(opset, loss, steps_first=(), **inputs):
    """Registers a function that makes a module: `inputs` as samples.make takes them, in the order of the module's; the label last,
    if the recipe has the loss. No opset: the exporter is called without any argument, as many call it. Of the inputs `steps_first`
    the module has the samples along its second dimension."""
    def register(make):
        NETWORKS[make.__name__] = (make, opset, loss, inputs, opset is not None)
        STEPS_FIRST[make.__name__] = steps_first
        return make
    return register


class Net(nn.Module):
    """Modules and parameters by name, and a function of them and the inputs."""

    def __init__(self, compute, **members):
        super().__init__()
        self.compute = compute
        for name, member in members.items():
            setattr(self, name, member)

    def forward(self, *inputs):
        return self.compute(self, *inputs)


def parameter(*shape, scale=0.3):
    return nn.Parameter(torch.randn(*shape) * scale)


LABEL = ["i64", 5]
