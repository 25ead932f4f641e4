#!/usr/bin/python3
"""Makes the models of people and what training them gives: NAME.onnx, and an entry of expected.json each.

    make_people.py [NAME ...]        (default: all; needs PyTorch 1.13 and torchvision 0.14)
    make_people.py --check           that the files of our own writers are what these write; needs neither

What PyTorch exports (torch_*.py, torchvision_networks.py) is trained by PyTorch itself; the forms of other exporters, which our own
writers write (tf2onnx_forms.py and so on), by reference.py, which computes the operators as the standard says them, with PyTorch's functions.
Both compute in f64, from the same weights, so that the differences are those of f32 alone.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import pathlib
import sys
import warnings

import onnx

import forms
import samples

HERE = pathlib.Path(__file__).resolve().parent
FILE = HERE / "expected.json"
RATE = 0.05

# What is refused so for now; once it is trained, it must give the numbers that are there.
PENDING = {}


def recipe_of(loss, batch=samples.BATCH):
    return f"loss={loss} optimizer=sgd learning-rate={RATE} global-batch={batch}"


def strip(path):
    """Takes out what says where PyTorch was installed, and rewrites the file so that equal models are equal bytes."""
    model = onnx.load(path)
    for node in model.graph.node:
        node.doc_string = ""
    path.write_bytes(model.SerializeToString(deterministic=True))


def axis_of(make, name):
    """The dimension along which an input of the module has its samples."""
    import torch_modules
    return int(name in torch_modules.STEPS_FIRST.get(make.__name__, ()))


def export(make, opset, loss, inputs, varies, path):
    import torch
    torch.manual_seed(7)
    network = make().train()
    data = {name: torch.from_numpy(array) for name, array in samples.make(inputs).items()}
    fed = [name for name in inputs if name != "label" or loss == "output"]
    state = {key: value.clone() for key, value in network.state_dict().items()}
    example = tuple(data[name][:4].transpose(0, axis_of(make, name)) for name in fed)
    if opset is None:
        torch.onnx.export(network.eval(), example, path)
    else:
        result = "loss" if loss == "output" else "scores"
        axes = {name: {axis_of(make, name): "batch"} for name in fed} | ({} if loss == "output" else {"scores": {0: "batch"}})
        torch.onnx.export(network, example, path, input_names=fed, output_names=[result], opset_version=opset, dynamic_axes=axes if varies else None,
                          training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False)
    network.train().load_state_dict(state)  # an export in training form moves running statistics
    strip(path)
    return network, data, fed


def loss_of(name, scores, label):
    import torch.nn.functional as F
    if name == "output":
        return scores
    functions = {"softmax-cross-entropy": F.cross_entropy, "mse": F.mse_loss, "l1": F.l1_loss, "huber": F.huber_loss,
                 "bce-with-logits": F.binary_cross_entropy_with_logits}
    return functions[name](scores, label.double() if label.is_floating_point() else label)


def widen(network):
    """To f64, with the tensors that are neither parameters nor buffers."""
    import torch
    network.double()
    for key, value in list(vars(network).items()):
        if torch.is_tensor(value) and value.is_floating_point():
            setattr(network, key, value.double())


def train(make, network, data, fed, loss):
    """The losses of the steps and the fingerprints of the parameters."""
    import torch
    torch.set_default_dtype(torch.float64)
    widen(network)
    initial = {name: value.detach().clone().numpy() for name, value in network.named_parameters()}
    optimizer, losses = torch.optim.SGD(network.parameters(), lr=RATE), []
    for step in range(samples.STEPS):
        part = slice(step * samples.BATCH, (step + 1) * samples.BATCH)
        batch = {name: value[part].double() if value.is_floating_point() else value[part] for name, value in data.items()}
        optimizer.zero_grad()
        value = loss_of(loss, network(*(batch[name].transpose(0, axis_of(make, name)) for name in fed)), batch.get("label"))
        value.backward()
        optimizer.step()
        losses.append(value.item())
    torch.set_default_dtype(torch.float32)
    final = {name: value.detach().numpy() for name, value in network.named_parameters()}
    return losses, {name: samples.fingerprint(initial[name], final[name]) for name in initial}


def from_torch(name, make, opset, loss, inputs, varies):
    network, data, fed = export(make, opset, loss, inputs, varies, HERE / f"{name}.onnx")
    losses, variables = train(make, network, data, fed, loss)
    graph = onnx.load(HERE / f"{name}.onnx").graph
    kept = {tensor.name for tensor in graph.initializer}  # others were folded, and have names that the exporter made up
    flags = [word for array, given in zip(fed, graph.input) if array != given.name for word in ("--bind", f"{given.name}={array}")]
    return {"exporter": "PyTorch 1.13", "inputs": inputs, "train": recipe_of(loss), "loss": losses,
            "variables": {name: numbers for name, numbers in variables.items() if name in kept}} | ({"flags": flags} if flags else {})


def from_writer(name, form):
    """Of a form of ours: the file, and, unless it is refused, what the reference computes."""
    path = HERE / f"{name}.onnx"
    path.write_bytes(form.bytes())
    entry = {"exporter": form.exporter, "inputs": form.inputs, "train": recipe_of(form.loss, form.batch) + form.recipe}
    if form.flags:
        entry["flags"] = form.flags
    if form.rounding > 1:
        entry["rounding"] = form.rounding
    if form.refused:
        return entry | {"refused": form.refused}
    import reference
    losses, variables = reference.train(onnx.load(path), samples.make(form.inputs, form.batch), form, RATE)
    return entry | {"loss": losses, "variables": variables}


def rounded(entry):
    if "loss" in entry:
        entry["loss"] = [float(f"{value:.9g}") for value in entry["loss"]]
        entry["variables"] = {name: [float(f"{value:.7g}") for value in numbers] for name, numbers in entry["variables"].items()}
    return entry


def check():
    wrong = [name for name, form in forms.all_forms().items() if (HERE / f"{name}.onnx").read_bytes() != form.bytes()]
    if wrong:
        sys.exit(f"not what the writers write: {', '.join(wrong)}")
    known, files = set(json.loads(FILE.read_text())), {str(path.relative_to(HERE))[:-5] for path in HERE.rglob("*.onnx")}
    if known != files:
        sys.exit(f"expected.json and the files differ: {sorted(known ^ files)}")


def make(name, torch_networks, torch_forms):
    return from_torch(name, *torch_networks[name]) if name in torch_networks else from_writer(name, torch_forms[name])


def write(expected):
    lines = (f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in sorted(expected.items()))
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def main():
    if sys.argv[1:] == ["--check"]:
        return check()
    warnings.filterwarnings("ignore")
    import torch_losses  # noqa: F401
    import torch_modules
    import torch_networks  # noqa: F401
    import torchvision_networks
    networks, ours = torch_modules.NETWORKS | torchvision_networks.NETWORKS, forms.all_forms()
    expected = json.loads(FILE.read_text()) if FILE.exists() else {}
    for name in sys.argv[1:] or [*networks, *ours]:
        expected[name] = rounded(make(name, networks, ours)) | ({"pending": PENDING[name]} if name in PENDING else {})
        print(name, *expected[name].get("loss", ["not trained"]), flush=True)
    write(expected)


if __name__ == "__main__":
    main()
