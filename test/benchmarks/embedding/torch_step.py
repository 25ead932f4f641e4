"""The peer: the same tables and network trained by PyTorch, eager on one rank or under DistributedDataParallel over Gloo, with
sparse or dense gradients of the tables. Prints one JSON object: seconds of each step on rank 0, and the last loss.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import os
import time

import torch
import torch.distributed
import torch.multiprocessing
from torch import nn

import workload


class Model(nn.Module):
    def __init__(self, sparse):
        super().__init__()
        self.tables = nn.ModuleList([nn.Embedding.from_pretrained(torch.from_numpy(value), freeze=False, sparse=sparse)
                                     for value in workload.tables().values()])
        self.network = nn.Sequential(nn.Linear(*workload.LAYERS[:2]), nn.ReLU(), nn.Linear(*workload.LAYERS[1:]))
        with torch.no_grad():
            for parameter, value in zip(self.network.parameters(), workload.weights().values()):
                parameter.copy_(torch.from_numpy(value))

    def forward(self, *indices):
        return self.network(torch.cat([table(i) for table, i in zip(self.tables, indices)], dim=1))


def train(rank, ranks, steps, sparse, port, result):
    torch.set_num_threads(1)
    model = Model(sparse)
    if ranks > 1:
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
        torch.distributed.init_process_group("gloo", rank=rank, world_size=ranks)
        model = nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=workload.LEARNING_RATE)
    loss_function = nn.CrossEntropyLoss()
    indices, labels = workload.data()
    indices, labels = [torch.from_numpy(array) for array in indices], torch.from_numpy(labels)
    batches = workload.SAMPLES // workload.GLOBAL_BATCH
    seconds = []
    for step in range(steps):
        begin = time.perf_counter()
        first = (step % batches) * workload.GLOBAL_BATCH
        mine = slice(first + rank, first + workload.GLOBAL_BATCH, ranks)
        optimizer.zero_grad(set_to_none=True)
        loss = loss_function(model(*[array[mine] for array in indices]), labels[mine])
        loss.backward()
        optimizer.step()
        seconds.append(time.perf_counter() - begin)
    if rank == 0:
        result.put({"seconds": seconds, "loss": loss.item()})
    if ranks > 1:
        torch.distributed.barrier()
        torch.distributed.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--sparse", action="store_true")
    parser.add_argument("--port", type=int, default=29533)
    arguments = parser.parse_args()
    result = torch.multiprocessing.get_context("spawn").SimpleQueue()
    settings = (arguments.ranks, arguments.steps, arguments.sparse, arguments.port, result)
    if arguments.ranks == 1:
        train(0, *settings)
    else:
        torch.multiprocessing.spawn(train, settings, nprocs=arguments.ranks)
    print(json.dumps(result.get()))


if __name__ == "__main__":
    main()
