"""The peer: a model family trained by PyTorch, eager on one rank or under DistributedDataParallel over Gloo.
Prints one JSON object: seconds of each step on rank 0, the loss of each step, and the loss averaged over the ranks.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import functools
import json
import os
import pathlib
import sys
import time

import numpy as np
import torch
import torch.distributed
import torch.multiprocessing
from torch import nn

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "models" / "families"))
import make_families
import torch_models

OPTIMIZERS = {
    "sgd": torch.optim.SGD,
    "momentum": functools.partial(torch.optim.SGD, momentum=0.9),
    "adamw": functools.partial(torch.optim.AdamW, weight_decay=0.01),
}


class Network(nn.Module):
    """The parameters of a family, under names that a module may have, and its loss."""

    def __init__(self, family, size, sparse):
        super().__init__()
        self.loss = torch_models.LOSSES[family]
        self.size = dict(make_families.FAMILIES[family].SIZES[size], sparse_gradients=sparse)
        self.flags = make_families.parse_flags(family, [])
        self.names = []
        for weight in make_families.build(family, size).parameters():
            if not weight.name.endswith((".running_mean", ".running_var")):
                self.names.append(weight.name)
                self.register_parameter(weight.name.replace(".", "/"), nn.Parameter(torch.from_numpy(weight.make())))

    def forward(self, batch):
        parameters = {name: getattr(self, name.replace(".", "/")) for name in self.names}
        return self.loss(parameters, self.size, self.flags, **batch)


def train(rank, arguments, port, result):
    torch.set_num_threads(1)
    network = Network(arguments.family, arguments.size, arguments.sparse)
    parallel = network
    if arguments.ranks > 1:
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
        torch.distributed.init_process_group("gloo", rank=rank, world_size=arguments.ranks)
        parallel = nn.parallel.DistributedDataParallel(network, gradient_as_bucket_view=True)
    optimizer = OPTIMIZERS[arguments.optimizer](network.parameters(), lr=arguments.learning_rate)
    samples = {name: torch.from_numpy(array) for name, array in np.load(arguments.data).items()}
    batches = len(next(iter(samples.values()))) // arguments.batch
    seconds, losses = [], []
    for step in range(arguments.steps):
        begin = time.perf_counter()
        first = step % batches * arguments.batch
        mine = slice(first + rank, first + arguments.batch, arguments.ranks)
        optimizer.zero_grad(set_to_none=True)
        loss = parallel({name: array[mine] for name, array in samples.items()})
        loss.backward()
        optimizer.step()
        seconds.append(time.perf_counter() - begin)
        losses.append(loss.item())
    if rank == 0:
        result.put({"seconds": seconds, "loss": losses})
    if arguments.ranks > 1:
        torch.distributed.barrier()
        torch.distributed.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("family", choices=torch_models.LOSSES)
    parser.add_argument("size")
    parser.add_argument("data")
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--batch", type=int, required=True, help="of all ranks together")
    parser.add_argument("--optimizer", choices=OPTIMIZERS, required=True)
    parser.add_argument("--learning-rate", type=float, required=True)
    parser.add_argument("--sparse", action="store_true", help="gradients of tables are of the rows that were looked up")
    parser.add_argument("--port", type=int, default=29532)
    arguments = parser.parse_args()
    result = torch.multiprocessing.get_context("spawn").SimpleQueue()
    if arguments.ranks == 1:
        train(0, arguments, arguments.port, result)
    else:
        torch.multiprocessing.spawn(train, (arguments, arguments.port, result), nprocs=arguments.ranks)
    print(json.dumps(result.get()))


if __name__ == "__main__":
    main()
