"""Rows with servers of PyTorch: what Measure.cpp does, over torch.distributed.rpc or Gloo's send and receive.

    torch_rows.py --library rpc|gloo --way memory|tcp --servers N --rows N --batch N --seconds S

Server s has the rows s, s + N, ... as one tensor, and takes gradients with index_add_.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import os
import statistics
import tempfile
import time

import torch
import torch.distributed as dist
import torch.distributed.rpc as rpc
import torch.multiprocessing as processes

WIDTH, RATE, WARM_UP = 16, 0.5, 5
PULL, PUSH, END = 1, 2, 3
table = None  # of a server's process


def make_table(rows):
    global table
    table = torch.zeros(rows, WIDTH)


def pull_rows(rows):
    return table[rows]


def push_rows(rows, gradients):
    table.index_add_(0, rows, gradients, alpha=-RATE)


def divided(rows, servers):
    """Of each server the places in the list, and the rows as it counts them."""
    owner = rows % servers
    places = [(owner == server).nonzero().flatten() for server in range(servers)]
    return [(place, rows[place] // servers) for place in places]


class Rpc:
    def __init__(self, settings, folder):
        self.names = [f"server{number}" for number in range(settings.servers)]
        transports = None if settings.way == "memory" else ["uv"]
        channels = None if settings.way == "memory" else ["basic"]
        self.options = dict(backend=rpc.BackendType.TENSORPIPE, world_size=settings.servers + 1,
                            rpc_backend_options=rpc.TensorPipeRpcBackendOptions(
                                init_method=f"file://{folder}/rpc", _transports=transports, _channels=channels))

    def serve(self, number, rows):
        make_table(rows)
        rpc.init_rpc(self.names[number], rank=number + 1, **self.options)
        rpc.shutdown()

    def connect(self):
        rpc.init_rpc("worker", rank=0, **self.options)

    def pull(self, parts, out):
        calls = [rpc.rpc_async(name, pull_rows, (rows,)) for name, (_, rows) in zip(self.names, parts)]
        for (place, _), call in zip(parts, calls):
            out[place] = call.wait()

    def push(self, parts, gradients):
        for call in [rpc.rpc_async(name, push_rows, (rows, gradients[place]))
                     for name, (place, rows) in zip(self.names, parts)]:
            call.wait()

    def end(self):
        rpc.shutdown()


class Gloo:
    """A word of what is wanted and how much, then the rows, then their values."""

    def __init__(self, settings, folder):
        self.servers, self.file = settings.servers, f"file://{folder}/gloo"

    def join(self, rank):
        dist.init_process_group("gloo", init_method=self.file, rank=rank, world_size=self.servers + 1)

    def serve(self, number, rows):
        make_table(rows)
        self.join(number + 1)
        head = torch.zeros(2, dtype=torch.int64)
        while True:
            dist.recv(head, 0)
            what, count = head.tolist()
            if what == END:
                return
            wanted = torch.empty(count, dtype=torch.int64)
            dist.recv(wanted, 0)
            if what == PULL:
                dist.send(pull_rows(wanted), 0)
                continue
            gradients = torch.empty(count, WIDTH)
            dist.recv(gradients, 0)
            push_rows(wanted, gradients)
            dist.send(head, 0)

    def connect(self):
        self.join(0)

    def pull(self, parts, out):
        sent = [work for server, (_, rows) in enumerate(parts)
                for work in (dist.isend(torch.tensor([PULL, len(rows)]), server + 1), dist.isend(rows, server + 1))]
        answers = [torch.empty(len(rows), WIDTH) for _, rows in parts]
        for work in [dist.irecv(answer, server + 1) for server, answer in enumerate(answers)] + sent:
            work.wait()
        for (place, _), answer in zip(parts, answers):
            out[place] = answer

    def push(self, parts, gradients):
        sent = [work for server, (place, rows) in enumerate(parts)
                for work in (dist.isend(torch.tensor([PUSH, len(rows)]), server + 1), dist.isend(rows, server + 1),
                             dist.isend(gradients[place], server + 1))]
        answer = torch.zeros(2, dtype=torch.int64)
        for server in range(self.servers):
            dist.recv(answer, server + 1)
        for work in sent:
            work.wait()

    def end(self):
        for server in range(self.servers):
            dist.send(torch.tensor([END, 0]), server + 1)


def measure(way, settings):
    way.connect()
    torch.manual_seed(7)
    pulls, pushes, step, end = [], [], 0, time.perf_counter() + settings.seconds
    values = torch.empty(settings.batch, WIDTH)
    while step < WARM_UP + 3 or time.perf_counter() < end:
        rows = torch.unique(torch.randint(settings.rows, (2 * settings.batch,)))
        rows = rows[torch.randperm(len(rows))][:settings.batch]
        gradients = torch.randint(-32, 32, (settings.batch, WIDTH)) / 16
        begin = time.perf_counter()
        parts = divided(rows, settings.servers)
        way.pull(parts, values)
        pulled = time.perf_counter()
        expected = values - RATE * gradients
        computed = time.perf_counter()
        parts = divided(rows, settings.servers)
        way.push(parts, gradients)
        pushed = time.perf_counter()
        if step >= WARM_UP:
            pulls.append(pulled - begin)
            pushes.append(pushed - computed)
        step += 1
        if step % 10 == 1:
            way.pull(parts, values)
            assert torch.equal(values, expected), f"after step {step} rows are not what was pushed"
    both = [pull + push for pull, push in zip(pulls, pushes)]
    rates = {name: settings.batch / statistics.median(seconds)
             for name, seconds in (("pulled", pulls), ("pushed", pushes), ("both", both))}
    print(json.dumps(dict(rates, steps=len(pulls))), flush=True)
    way.end()


def serve(number, way, settings):
    torch.set_num_threads(1)
    way.serve(number, (settings.rows + settings.servers - 1) // settings.servers)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", choices=("rpc", "gloo"), required=True)
    parser.add_argument("--way", choices=("memory", "tcp"), required=True)
    for name in ("servers", "rows", "batch"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    settings = parser.parse_args()
    torch.set_num_threads(1)
    for name in ("TP_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME"):
        os.environ.setdefault(name, "lo")
    with tempfile.TemporaryDirectory() as folder:
        way = (Rpc if settings.library == "rpc" else Gloo)(settings, folder)
        context = processes.get_context("fork")
        servers = [context.Process(target=serve, args=(number, way, settings), daemon=True)
                   for number in range(settings.servers)]
        for server in servers:
            server.start()
        measure(way, settings)
        for server in servers:
            server.join(timeout=10)


if __name__ == "__main__":
    main()
