"""The peer: DLRM as it is trained on several processes by PyTorch. Tables are divided over the ranks, each of which looks up the whole
batch in its own; all_to_all gives each rank the vectors of its samples, and takes the gradients back. The networks are replicated
under DistributedDataParallel. Over Gloo, with sparse gradients of the tables. Prints one JSON object: seconds of each step on rank 0,
and the mean loss of each step.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import os
import pathlib
import sys
import time

import numpy as np
import onnx
import torch
import torch.distributed
import torch.multiprocessing
from onnx import numpy_helper
from torch import nn

EXAMPLE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "examples" / "recommendation"
sys.path.insert(0, str(EXAMPLE))
from torch_models import DLRM, look_up  # noqa: E402


class Exchange(torch.autograd.Function):
    """[ranks * batch, own tables, width] of the own tables -> [batch, tables, width] of the own samples, rank by rank; and back."""

    @staticmethod
    def forward(context, own, rank, ranks, counts):
        context.rank, context.ranks, context.counts = rank, ranks, counts
        batch, width = own.shape[0] // ranks, own.shape[2]
        received = own.new_empty(batch * sum(counts) * width)
        torch.distributed.all_to_all_single(received, own.reshape(-1), [batch * count * width for count in counts],
                                            [batch * counts[rank] * width] * ranks)
        parts = received.split([batch * count * width for count in counts])
        return torch.cat([part.view(batch, count, width) for part, count in zip(parts, counts)], dim=1)

    @staticmethod
    def backward(context, gradient):
        batch, _, width = gradient.shape
        sent = torch.cat([part.reshape(-1) for part in gradient.split(context.counts, dim=1)])
        own = gradient.new_empty(context.ranks * batch * context.counts[context.rank] * width)
        torch.distributed.all_to_all_single(own, sent, [batch * context.counts[context.rank] * width] * context.ranks,
                                            [batch * count * width for count in context.counts])
        mean = own.view(context.ranks * batch, context.counts[context.rank], width) / context.ranks
        return mean, None, None, None


class Networks(nn.Module):
    """What is after the lookups of a DLRM."""

    def __init__(self, model):
        super().__init__()
        self.bottom, self.top, self.pairs = model.bottom, model.top, model.pairs

    def forward(self, dense, looked_up):
        dense = torch.relu(self.bottom(dense))
        vectors = torch.cat([dense[:, None], looked_up], 1)
        products = torch.bmm(vectors, vectors.transpose(1, 2)).flatten(1)
        return self.top(torch.cat([dense, products[:, self.pairs]], 1))


class Data:
    def __init__(self, folder, features):
        arrays = np.load(folder / "train.npz")
        self.ids = [torch.from_numpy(arrays[table["name"]]) for table in features["tables"]]
        self.dense, self.label = torch.from_numpy(arrays["dense"]), torch.from_numpy(arrays["label"])


def read_model(folder, features, width):
    model = DLRM(features, width)
    loaded = onnx.load(str(folder / "dlrm.onnx"))
    given = {tensor.name: torch.tensor(numpy_helper.to_array(tensor)) for tensor in loaded.graph.initializer}
    model.load_state_dict({name: given[name] for name in model.state_dict()})
    return model


def train(rank, options, result):
    torch.set_num_threads(1)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(options.port))
    torch.distributed.init_process_group("gloo", rank=rank, world_size=options.ranks)
    folder = pathlib.Path(options.folder)
    features = json.loads((folder / "features.json").read_text())
    data, model = Data(folder, features), read_model(folder, features, options.width)
    # Tables of rank 0, then of rank 1, ...: products of pairs are those of the model's order, which is kept.
    owners = [list(part) for part in np.array_split(np.arange(len(features["tables"])), options.ranks)]
    tables = [list(model.tables.values())[index] for index in owners[rank]]
    for table in tables:
        table.sparse = True
    networks = nn.parallel.DistributedDataParallel(Networks(model))
    optimizer = torch.optim.Adagrad([*networks.parameters(), *(table.weight for table in tables)], lr=options.learning_rate)
    loss_function = nn.BCEWithLogitsLoss()
    counts = [len(part) for part in owners]
    seconds, losses = [], []
    for step in range(options.steps):
        begin = time.perf_counter()
        first = step * options.batch % (len(data.label) // options.batch * options.batch)
        by_rank = [slice(first + other, first + options.batch, options.ranks) for other in range(options.ranks)]
        optimizer.zero_grad(set_to_none=True)
        own = [look_up(table, torch.cat([data.ids[index][part] for part in by_rank]))
               for table, index in zip(tables, owners[rank])]
        looked_up = Exchange.apply(torch.stack(own, 1), rank, options.ranks, counts)
        loss = loss_function(networks(data.dense[by_rank[rank]], looked_up), data.label[by_rank[rank]])
        loss.backward()
        optimizer.step()
        seconds.append(time.perf_counter() - begin)
        losses.append(loss.item())
    means = torch.tensor(losses, dtype=torch.float64)
    torch.distributed.all_reduce(means)
    if rank == 0:
        result.put({"seconds": seconds, "loss": (means / options.ranks).tolist()})
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--port", type=int, default=29537)
    parser.add_argument("--learning-rate", type=float, required=True)
    for name in ("ranks", "steps", "batch", "width"):
        parser.add_argument("--" + name, type=int, required=True)
    options = parser.parse_args()
    result = torch.multiprocessing.get_context("spawn").SimpleQueue()
    torch.multiprocessing.spawn(train, (options, result), nprocs=options.ranks)
    print(json.dumps(result.get()))


if __name__ == "__main__":
    main()
