"""The peer: the same MLP trained by PyTorch, eager on one rank or under DistributedDataParallel over Gloo.
Prints one JSON object: seconds of each measured step on rank 0, and the last loss.
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


def model():
    layers = []
    for index, (inputs, outputs) in enumerate(zip(workload.LAYERS, workload.LAYERS[1:])):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    network = nn.Sequential(*layers[:-1])
    initial = [torch.from_numpy(value) for value in workload.weights().values()]
    with torch.no_grad():
        for parameter, value in zip(network.parameters(), initial):
            parameter.copy_(value)
    return network


def train(rank, ranks, steps, port, result):
    torch.set_num_threads(1)
    network = model()
    if ranks > 1:
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
        torch.distributed.init_process_group("gloo", rank=rank, world_size=ranks)
        network = nn.parallel.DistributedDataParallel(network)
    optimizer = torch.optim.SGD(network.parameters(), lr=workload.LEARNING_RATE)
    loss_function = nn.CrossEntropyLoss()
    inputs, labels = (torch.from_numpy(array) for array in workload.data())
    batches = workload.SAMPLES // workload.GLOBAL_BATCH
    seconds = []
    for step in range(steps):
        begin = time.perf_counter()
        first = (step % batches) * workload.GLOBAL_BATCH
        mine = slice(first + rank, first + workload.GLOBAL_BATCH, ranks)
        optimizer.zero_grad()
        loss = loss_function(network(inputs[mine]), labels[mine])
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
    parser.add_argument("--port", type=int, default=29531)
    arguments = parser.parse_args()
    result = torch.multiprocessing.get_context("spawn").SimpleQueue()
    if arguments.ranks == 1:
        train(0, 1, arguments.steps, arguments.port, result)
    else:
        torch.multiprocessing.spawn(train, (arguments.ranks, arguments.steps, arguments.port, result),
                                    nprocs=arguments.ranks)
    print(json.dumps(result.get()))


if __name__ == "__main__":
    main()
