"""Models whose floats are parameters, buffers, or nobody knows. `python variable_models.py FOLDER` writes them."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import sys

import numpy as np
from onnx import helper, save

from onnx_pieces import INT64, graph, node, tensor, value

WIDTH, LENGTH = 8, 6


def positions():
    """Sines and cosines, as the tutorial of PyTorch writes them."""
    angles = np.arange(LENGTH)[:, None] * np.exp(np.arange(0, WIDTH, 2) * -np.log(10000.0) / WIDTH)
    table = np.zeros((1, LENGTH, WIDTH), np.float32)
    table[0, :, 0::2], table[0, :, 1::2] = np.sin(angles), np.cos(angles)
    return table


def normal(seed, *shape):
    return np.random.RandomState(seed).standard_normal(shape).astype(np.float32)


def padded(seed, *shape):
    """One row of zeros."""
    table = normal(seed, *shape)
    table[3] = 0
    return table


def network(metadata=None, producer="pytorch", positions_name="pos.pe", table=normal):
    """Tokens, scaled and with positions; a token, a mask that is compared, and a number by which scores are multiplied."""
    nodes = [node("Gather", "emb.weight tokens", "e"), node("Mul", "e scale", "s"), node("Add", f"s {positions_name}", "p"),
             node("Add", "p cls", "c"), node("Constant", "", "zero", value=tensor("zero", np.float32(0))),
             node("Equal", "mask zero", "hidden"), node("Where", "hidden zero c", "m"),
             node("ReduceMean", "m", "r", axes=[1], keepdims=0), node("Gemm", "r fc.weight fc.bias", "g", transB=1),
             node("Mul", "g temperature", "scores")]
    tensors = {"emb.weight": table(1, 20, WIDTH), "scale": np.full(WIDTH, 4, np.float32), positions_name: positions(),
               "cls": normal(2, WIDTH), "mask": np.float32(np.arange(WIDTH) % 2), "fc.weight": normal(3, 5, WIDTH),
               "fc.bias": np.zeros(5, np.float32), "temperature": np.float32(0.5)}
    model = helper.make_model(graph(nodes, [value("tokens", ["batch", LENGTH], INT64)], [value("scores", ["batch", 5])],
                                    [tensor(name, array) for name, array in tensors.items()]),
                              opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name=producer)
    if metadata:
        helper.set_model_props(model, metadata)
    return model


def constant_weight():
    """Two layers, the second of which has its weight in a Constant node, transposed."""
    nodes = [node("MatMul", "x first", "a"), node("Constant", "", "second", value=tensor("second", normal(4, 3, 4)), name="made"),
             node("Transpose", "second", "turned", perm=[1, 0]), node("MatMul", "a turned", "y", name="product"),
             node("Constant", "", "ones", value=tensor("ones", np.ones((4, 4), np.float32))), node("MatMul", "x ones", "s"),
             node("Constant", "", "shift", value=tensor("shift", normal(5, 4))), node("Add", "s shift", "z"),
             node("ReduceMean", "z", "r", axes=[1], keepdims=1), node("Add", "y r", "scores")]
    return helper.make_model(graph(nodes, [value("x", ["batch", 4])], [value("scores", ["batch", 3])],
                                   [tensor("first", normal(6, 4, 4))]),
                             opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def filters():
    """Pictures under filters that nobody draws, and one that is drawn."""
    smooth, rise = np.exp(-np.float32([1, 0, 1])), np.float32([-0.125, 0, 0.125])
    kernels = {"laplace": np.float32([[0, 1, 0], [1, -4, 1], [0, 1, 0]]), "blur": np.outer(smooth, smooth) / smooth.sum()**2,
               "edges": np.stack([rise, 2 * rise, rise]), "theta": normal(9, 3, 3)}
    nodes = [node("Conv", f"{'x' if i == 0 else f'h{i - 1}'} {name}", f"h{i}", pads=[1, 1, 1, 1]) for i, name in enumerate(kernels)]
    nodes.append(node("ReduceMean", "h3", "scores", axes=[2, 3], keepdims=0))
    return helper.make_model(graph(nodes, [value("x", ["batch", 1, 5, 5])], [value("scores", ["batch", 1])],
                                   [tensor(name, array.reshape(1, 1, 3, 3).astype(np.float32)) for name, array in kernels.items()]),
                             opset_imports=[helper.make_opsetid("", 17)], ir_version=8, producer_name="pytorch")


DECLARED = {"tutti.parameters": "emb.weight, fc.weight,fc.bias\ncls,temperature", "tutti.buffers": "scale,pos.pe,mask"}
MODELS = {
    "declared": network(DECLARED),
    "silent": network(),
    "others": network(producer="somebody"),
    "folded": network({"tutti.parameters": "emb.weight,fc.weight,fc.bias,cls,temperature", "tutti.buffers": "scale,pos.pe,mask"},
                      positions_name="onnx::Add_7"),
    "doubtful": network({"tutti.parameters": "emb.weight,fc.weight,fc.bias,cls,temperature,lost", "tutti.buffers": "scale,pos.pe,mask"},
                        positions_name="onnx::Add_7"),
    "twice": network({"tutti.parameters": "fc.weight,scale", "tutti.buffers": "scale"}),
    "wrong": network({"tutti.parameters": "module.fc.weight"}),
    "constant": constant_weight(),
    "filters": filters(),
    "padded": network(DECLARED, table=padded),
    "padded-others": network(DECLARED, producer="somebody", table=padded),
}

if __name__ == "__main__":
    for name, model in MODELS.items():
        save(model, os.path.join(sys.argv[1], name + ".onnx"))
    np.savez(os.path.join(sys.argv[1], "data.npz"), tokens=np.random.RandomState(7).randint(0, 20, (16, LENGTH)),
             label=np.random.RandomState(8).randint(0, 5, 16))
