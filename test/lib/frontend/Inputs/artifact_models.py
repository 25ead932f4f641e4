"""Training artifacts as ONNX Runtime writes them, of y = x w + b and the mean of y, and such as must be refused.

    artifact_models.py write NAME FOLDER      training_model.onnx, optimizer_model.onnx and checkpoint
    artifact_models.py refuse GROUP DIST_OPT  runs the tool on each of a group and prints its name and the first error;
                                              fails when one is accepted or the tool crashes
    artifact_models.py damage DIST_OPT        the same for a checkpoint that ends early, or with one byte changed
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import subprocess
import sys
import tempfile

import numpy as np
from onnx import TensorProto, helper

from onnx_pieces import BOOL, FLOAT, INT64, floats, ints, model, node, tensor, value

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "models"))
import ort_checkpoint  # noqa: E402

MICROSOFT = "com.microsoft"


def accumulator(name, gradient=None):
    return node("InPlaceAccumulatorV2", f"{name}_grad.accumulation.buffer {gradient or name + '_grad'} lazy_reset_grad",
                f"{name}_grad.accumulation.out", f"accumulate.{name}", domain=MICROSOFT)


class Artifacts:
    """The three files, each to be changed before they are written. `b` is trained, `scale` is frozen."""

    def __init__(self):
        self.nodes = [node("MatMul", "x w", "h"), node("Mul", "h scale", "s"), node("Add", "s b", "y"),
                      node("ReduceMean", "y", "loss", keepdims=0),
                      node("Expand", "loss_grad shape", "y_grad"),
                      node("ReduceSum", "y_grad rows", "b_grad", keepdims=0),
                      node("Mul", "y_grad scale", "h_grad"),
                      node("MatMul", "xt h_grad", "w_grad"), node("Transpose", "x", "xt", perm=[1, 0])]
        self.accumulators = [accumulator("w"), accumulator("b")]
        # labels have no use here; their type is the one that ONNX Runtime's tools take
        self.inputs = [value("x", [4, "features"]), value("w", [3, 2]), value("b", [2]), value("scale", [2]),
                       value("w_grad.accumulation.buffer", [3, 2]), value("b_grad.accumulation.buffer", [2]),
                       value("lazy_reset_grad", [1], BOOL)]
        self.outputs = [value("loss", []), value("w_grad.accumulation.out", [1], BOOL),
                        value("b_grad.accumulation.out", [1], BOOL)]
        self.initializers = [tensor("loss_grad", np.float32(0.125)), ints("shape", 4, 2), ints("rows", 0)]
        self.optimizer = [node("AdamWOptimizer", "learning_rate step params gradients first second", "updated", "adamw",
                               domain=MICROSOFT, adam_mode=1, epsilon=1e-6, weight_decay=0.0)]
        self.trainable = [ort_checkpoint.tensor("b", np.float32([0.5, -1])),
                          ort_checkpoint.tensor("w", np.arange(6, dtype=np.float32).reshape(3, 2))]
        self.frozen = [ort_checkpoint.tensor("scale", np.float32([2, 3]))]
        self.checkpoint = {}

    def write(self, folder):
        os.makedirs(folder, exist_ok=True)
        training = model(self.nodes + self.accumulators, self.inputs, self.outputs, self.initializers, opset=14,
                         domains=[MICROSOFT])
        inputs = [value("learning_rate", [1]), value("step", [1], INT64)]
        inputs += [helper.make_tensor_sequence_value_info(name, FLOAT, None)
                   for name in ("params", "gradients", "first", "second")]
        optimizer = model(self.optimizer, inputs, [value("updated", [1], BOOL)], domains=[MICROSOFT])
        content = ort_checkpoint.write(ort_checkpoint.checkpoint(self.trainable, self.frozen, **self.checkpoint))
        for name, content in (("training_model.onnx", training.SerializeToString()),
                              ("optimizer_model.onnx", optimizer.SerializeToString()), ("checkpoint", content)):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)


def changed(change):
    def make(folder):
        artifacts = Artifacts()
        change(artifacts)
        artifacts.write(folder)
    return make


def optimizer(*nodes):
    return changed(lambda artifacts: setattr(artifacts, "optimizer", list(nodes)))


def adamw(inputs="learning_rate step params gradients first second", **attributes):
    return node("AdamWOptimizer", inputs, "updated", "adamw", domain=MICROSOFT, **attributes)


def sgd(gradients="gradients"):
    return node("SGDOptimizerV2", f"learning_rate params {gradients}", "updated", "sgd", domain=MICROSOFT)


def clip(**attributes):
    return node("InplaceClipGradNorm", "gradients", "clipped", "clip", domain=MICROSOFT, **attributes)


def trained(artifacts):
    """A checkpoint that has been trained for seven steps."""
    moments = [(name, [ort_checkpoint.tensor("momentum0", np.full(shape, 0.25, np.float32)),
                       ort_checkpoint.tensor("momentum1", np.full(shape, 4, np.float32))])
               for name, shape in (("b", [2]), ("w", [3, 2]))]
    artifacts.checkpoint["groups"] = [ort_checkpoint.group(moments, step=7, rate=0.5)]


def nominal(artifacts):
    artifacts.checkpoint["nominal"] = 1
    for tensors in (artifacts.trainable, artifacts.frozen):
        for each in tensors:
            each[2], each[4] = ("numbers", []), ("bytes", b"")


def moment(name="momentum0", shape=(2,), parameter="b"):
    states = [(parameter, [ort_checkpoint.tensor(name, np.zeros(shape, np.float32))])]
    return in_checkpoint(groups=[ort_checkpoint.group(states)])


def in_checkpoint(**fields):
    return changed(lambda artifacts: artifacts.checkpoint.update(fields))


def parameter_b(array=(0.5, -1), name="b", **changes):
    """Another `b` in the checkpoint."""
    return changed(lambda artifacts: artifacts.trainable.__setitem__(
        0, ort_checkpoint.tensor(name, np.float32(array), **changes)))


def without(name):
    def make(folder):
        Artifacts().write(folder)
        os.remove(os.path.join(folder, name))
    return make


def gradient_of_ghost(folder):
    changed(lambda artifacts: artifacts.accumulators.append(accumulator("ghost", "b_grad")))(folder)
    os.remove(os.path.join(folder, "checkpoint"))


def replaced(name, content):
    def make(folder):
        Artifacts().write(folder)
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
    return make


def folder_for_checkpoint(folder):
    Artifacts().write(folder)
    os.remove(os.path.join(folder, "checkpoint"))
    os.mkdir(os.path.join(folder, "checkpoint"))


def pipe_for(name):
    def make(folder):
        Artifacts().write(folder)
        os.remove(os.path.join(folder, name))
        os.mkfifo(os.path.join(folder, name))
    return make


def freeze_b(artifacts):
    artifacts.frozen.append(artifacts.trainable.pop(0))


def integers(artifacts):
    artifacts.trainable[0] = ort_checkpoint.tensor("b", np.int32([1, 2]))
    artifacts.inputs[2] = value("b", [2], TensorProto.INT32)


def drop_accumulator(artifacts):
    artifacts.accumulators.pop()


def drop_input(artifacts):
    artifacts.inputs = [each for each in artifacts.inputs if each.name != "b"]


GOOD = {
    "adamw": lambda artifacts: None,
    "adamw-torch": lambda artifacts: setattr(artifacts, "optimizer", [adamw(correct_bias=0)]),
    "sgd": lambda artifacts: setattr(artifacts, "optimizer", [sgd()]),
    "clip": lambda artifacts: setattr(artifacts, "optimizer", [sgd("clipped"), clip(max_norm=2.0, norm_type="fro")]),
    "trained": trained,
    "nominal": nominal,
}

FILES = {
    "no-checkpoint-no-input": gradient_of_ghost,
    "optimizer-is-text": replaced("optimizer_model.onnx", b"\x08"),
    "checkpoint-is-folder": folder_for_checkpoint,
    "checkpoint-is-pipe": pipe_for("checkpoint"),
    "optimizer-is-pipe": pipe_for("optimizer_model.onnx"),
    "checkpoint-is-empty": replaced("checkpoint", b""),
    "checkpoint-is-onnx": replaced("checkpoint", b"\x08\x07\x12\x07pytorch"),
}

CHECKPOINTS = {
    "identifier": replaced("checkpoint", ort_checkpoint.write(ort_checkpoint.checkpoint(), b"ORTM")),
    "version": in_checkpoint(version=3),
    "external": in_checkpoint(external=1),
    "groups": in_checkpoint(groups=[ort_checkpoint.group(), ort_checkpoint.group(name="group1")]),
    "moment-name": moment("velocity"),
    "moment-type": moment(shape=(3,)),
    "moment-of-ghost": moment(parameter="ghost"),
    "twice": changed(lambda artifacts: artifacts.frozen.append(artifacts.trainable[0])),
    "no-name": parameter_b(name=""),
    "rank": parameter_b(dims=[1] * 65),
    "element-type": parameter_b(data_type=TensorProto.STRING),
    "integers": parameter_b(data_type=TensorProto.INT32),
    "negative": parameter_b(dims=[-2]),
    "huge": parameter_b(dims=[2**40, 2**40]),
    "bytes": parameter_b(raw_data=b"\0" * 7),
    "no-parameters": changed(lambda artifacts: artifacts.trainable.clear()),
}

GRAPHS = {
    "sizes": parameter_b((1, 2, 3)),
    "type": parameter_b(data_type=TensorProto.DOUBLE, raw_data=b"\0" * 16),
    "not-float": changed(integers),
    "missing": parameter_b(name="c"),
    "frozen": changed(freeze_b),
    "not-accumulated": changed(drop_accumulator),
    "no-input": changed(drop_input),
    "accumulated-twice": changed(lambda artifacts: artifacts.accumulators.append(accumulator("b"))),
    "buffer-name": changed(lambda artifacts: artifacts.accumulators.append(
        node("InPlaceAccumulatorV2", "sum b_grad lazy_reset_grad", "done", "odd", domain=MICROSOFT))),
    "few-inputs": changed(lambda artifacts: artifacts.accumulators.append(
        node("InPlaceAccumulatorV2", "sum", "done", "odd", domain=MICROSOFT))),
    "gradient-ghost": changed(lambda artifacts: artifacts.accumulators.__setitem__(1, accumulator("b", "ghost"))),
    "gradient-type": changed(lambda artifacts: artifacts.accumulators.__setitem__(1, accumulator("b", "w_grad"))),
    "name-taken": changed(lambda artifacts: (
        artifacts.frozen.append(ort_checkpoint.tensor("step", np.float32(1))), artifacts.inputs.append(value("step", [])))),
}

OPTIMIZERS = {
    "other-operator": optimizer(node("LambOptimizer", "a", "b", "lamb", domain=MICROSOFT)),
    "none": optimizer(clip()),
    "two": optimizer(adamw(), sgd()),
    "mode": optimizer(adamw(adam_mode=2)),
    "attribute": optimizer(adamw(speed=1.0)),
    "attribute-type": optimizer(adamw(alpha=1)),
    "signal": optimizer(adamw("learning_rate step params gradients first second go")),
    "inputs": optimizer(adamw("learning_rate step params gradients")),
    "norm-type": optimizer(clip(norm_type="inf"), sgd("clipped")),
    "norm": optimizer(clip(max_norm=-1.0), sgd("clipped")),
    "norm-unused": optimizer(clip(), sgd()),
}

GROUPS = {"files": FILES, "checkpoints": CHECKPOINTS, "graphs": GRAPHS, "optimizers": OPTIMIZERS}


def run(command, path):
    """The exit status and the first error."""
    done = subprocess.run(command + [path, "--import-only", "-o", os.devnull], capture_output=True, text=True, errors="replace",
                          check=False)
    lines = [line.split("error: ", 1)[1] for line in done.stderr.splitlines() if "error: " in line]
    return done.returncode, lines[0] if lines else done.stderr


def refuse(group, command):
    failures = 0
    for name, make in GROUPS[group].items():
        with tempfile.TemporaryDirectory() as folder:
            make(folder)
            status, error = run(command, os.path.join(folder, "training_model.onnx"))
            failures += status != 1
            print(f"{name}: {error if status == 1 else f'status {status} {error}'}".replace(folder, "FOLDER"))
    return failures


def damage(command):
    """Every eighth beginning is refused. A changed byte is refused or is another value, but never ends the tool."""
    with tempfile.TemporaryDirectory() as folder:
        Artifacts().write(folder)
        path = os.path.join(folder, "checkpoint")
        with open(path, "rb") as file:
            whole = file.read()
        contents = [(whole[:size], (1,)) for size in range(0, len(whole) - 8, 8)]
        contents += [(whole[:at] + b"\xff" + whole[at + 1:], (0, 1)) for at in range(0, len(whole), 5)]
        failures = 0
        for content, allowed in contents:
            with open(path, "wb") as file:
                file.write(content)
            status, _ = run(command, os.path.join(folder, "training_model.onnx"))
            failures += status not in allowed
    print(f"{len(contents)} contents, {failures} failures")
    return failures


def main():
    command, *rest = sys.argv[1:]
    if command == "write":
        return changed(GOOD[rest[0]])(rest[1])
    return refuse(rest[0], rest[1:]) if command == "refuse" else damage(rest)


if __name__ == "__main__":
    sys.exit(main())
