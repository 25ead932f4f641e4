"""The peer: Llama trained by PyTorch as Megatron-LM divides it (Shoeybi et al. 2019), over Gloo: neighbouring ranks each have some of the heads, of
the features of the perceptrons and of the vocabulary, and DistributedDataParallel reduces gradients among ranks of the same parts.
Prints one JSON object: seconds of each step on rank 0, and the loss of each step averaged over the ranks.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import os
import pathlib
import sys
import time

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing
from torch import nn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "models" / "families"))
import make_families  # noqa: E402
import torch_models  # noqa: E402

# The dimension along which a weight is cut: features that are made, or features that are taken.
COLUMNS = ("q_proj.weight", "k_proj.weight", "v_proj.weight", "gate_proj.weight", "up_proj.weight", "lm_head.weight")
ROWS = ("o_proj.weight", "down_proj.weight")


class Enter(torch.autograd.Function):
    """What all neighbours have; its gradient is the sum of theirs."""

    @staticmethod
    def forward(context, x, group):
        context.group = group
        return x.view_as(x)

    @staticmethod
    def backward(context, gradient):
        gradient = gradient.contiguous()
        dist.all_reduce(gradient, group=context.group)
        return gradient, None


class Leave(torch.autograd.Function):
    """The sum of what neighbours have; its gradient is that of each."""

    @staticmethod
    def forward(context, x, group):
        dist.all_reduce(x, group=group)
        return x

    @staticmethod
    def backward(context, gradient):
        return gradient, None


class LossInParts(torch.autograd.Function):
    """The cross entropy of scores of which each neighbour has those of some classes, in turn: three numbers a token are exchanged."""

    @staticmethod
    def forward(context, scores, labels, first, group):
        most = scores.max(1, keepdim=True).values
        dist.all_reduce(most, op=dist.ReduceOp.MAX, group=group)
        shares = scores.sub_(most).exp_() if not scores.requires_grad else (scores - most).exp_()
        own = labels - first
        has = (own >= 0) & (own < scores.shape[1])
        place = own.where(has, torch.zeros_like(own)).unsqueeze(1)
        sums = torch.stack([shares.sum(1), shares.gather(1, place).squeeze(1).log().where(has, torch.zeros_like(most[:, 0]))])
        dist.all_reduce(sums, group=group)
        shares /= sums[0].unsqueeze(1)
        context.save_for_backward(shares, place, has)
        return (sums[0].log() - sums[1]).mean()

    @staticmethod
    def backward(context, gradient):
        shares, place, has = context.saved_tensors
        shares.scatter_add_(1, place, -has.to(shares.dtype).unsqueeze(1))
        return shares.mul_(gradient / len(shares)), None, None, None


class Network(nn.Module):
    """The parameters of a rank, under names that a module may have, and its loss."""

    def __init__(self, size, neighbour, neighbours, group):
        super().__init__()
        self.group = group
        whole = dict(make_families.FAMILIES["llama"].SIZES[size])
        self.size = dict(whole, heads=whole["heads"] // neighbours, groups=whole["groups"] // neighbours)
        self.first = neighbour * (whole["vocabulary"] // neighbours)
        self.names = []
        for weight in make_families.build("llama", size).parameters():
            value = torch.from_numpy(weight.make())
            axis = 0 if weight.name.endswith(COLUMNS) else 1 if weight.name.endswith(ROWS) else None
            if axis is not None:
                value = value.chunk(neighbours, axis)[neighbour].clone()
            self.names.append(weight.name)
            self.register_parameter(weight.name.replace(".", "/"), nn.Parameter(value))

    def forward(self, input_ids, labels):
        parameters = {name: getattr(self, name.replace(".", "/")) for name in self.names}
        scores = torch_models.llama_scores(parameters, self.size, input_ids, lambda x: Enter.apply(x, self.group),
                                           lambda x: Leave.apply(x, self.group))
        return LossInParts.apply(scores[:, :-1].flatten(0, 1), labels[:, 1:].flatten(), self.first, self.group)


def train(rank, arguments, port, result):
    torch.set_num_threads(1)
    ranks, neighbours = arguments.groups * arguments.neighbours, arguments.neighbours
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    dist.init_process_group("gloo", rank=rank, world_size=ranks)
    models = [dist.new_group(list(range(first, first + neighbours))) for first in range(0, ranks, neighbours)]
    batches = [dist.new_group(list(range(first, ranks, neighbours))) for first in range(neighbours)]
    network = Network(arguments.size, rank % neighbours, neighbours, models[rank // neighbours])
    parallel = network
    if arguments.groups > 1:
        parallel = nn.parallel.DistributedDataParallel(network, process_group=batches[rank % neighbours], gradient_as_bucket_view=True)
    optimizer = torch.optim.AdamW(network.parameters(), lr=arguments.learning_rate, weight_decay=0.01)
    samples = {name: torch.from_numpy(array) for name, array in np.load(arguments.data).items()}
    count = len(next(iter(samples.values()))) // arguments.batch
    seconds, losses = [], []
    for step in range(arguments.steps):
        begin = time.perf_counter()
        first = step % count * arguments.batch
        mine = slice(first + rank // neighbours, first + arguments.batch, arguments.groups)
        optimizer.zero_grad(set_to_none=True)
        loss = parallel(**{name: array[mine] for name, array in samples.items()})
        loss.backward()
        optimizer.step()
        seconds.append(time.perf_counter() - begin)
        mean = loss.detach() / ranks
        dist.all_reduce(mean)
        losses.append(mean.item())
    if rank == 0:
        result.put({"seconds": seconds, "loss": losses})
    dist.barrier()
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("size")
    parser.add_argument("data")
    parser.add_argument("--groups", type=int, required=True)
    parser.add_argument("--neighbours", type=int, required=True)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--batch", type=int, required=True, help="of all ranks together")
    parser.add_argument("--learning-rate", type=float, required=True)
    parser.add_argument("--port", type=int, default=29541)
    arguments = parser.parse_args()
    result = torch.multiprocessing.get_context("spawn").SimpleQueue()
    torch.multiprocessing.spawn(train, (arguments, arguments.port, result), nprocs=arguments.groups * arguments.neighbours)
    print(json.dumps(result.get()))


if __name__ == "__main__":
    main()
