"""Cases of follow_advice.py: what is refused, and what its refusal advises."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import dataclasses
import subprocess

import numpy as np
import onnx

import numpy_models
from numpy_models import Graph, floats

CASES = []
X, W = {"x": floats(24, 4)}, {"w": floats(4, 3)}


@dataclasses.dataclass
class Case:
    """`refused` builds the model about which `text` is printed, in operator set `refused_opset` if there is one, with what `asked` says of the recipe;
    `build` that which follows, with those of `told`. `edit` changes the file of the one, `change` that of the other."""
    text: str
    refused: object
    inputs: dict = dataclasses.field(default_factory=lambda: X)
    variables: dict = dataclasses.field(default_factory=lambda: W)
    opset: int = 17
    refused_opset: int = 0
    edit: object = None
    change: object = None
    asked: dict = dataclasses.field(default_factory=dict)
    told: dict = dataclasses.field(default_factory=dict)
    build: object = None

    def write(self, path, opset, build, edit):
        graph = Graph(opset)
        compute = build(graph)
        numpy_models.write(path, graph, self.inputs, self.variables)
        if edit:
            model = onnx.load(path)
            edited = edit(model)
            onnx.save(edited if isinstance(edited, onnx.ModelProto) else model, path)
        return compute

    def problem_of_refusal(self, dist_opt, dist_run, folder):
        """What a run finds out alone, as how long the data are, dist-opt does not say; what a run knows, it asks for."""
        self.write(folder / "model.onnx", self.refused_opset or self.opset, self.refused, self.edit)
        recipe = {"loss": "output", "keys": "", "batch": numpy_models.BATCH, **self.asked}
        line = "--train=loss={loss} optimizer=sgd global-batch={batch} {keys}".format(**recipe)
        command = [dist_opt, folder / "model.onnx", line, "-o", "/dev/null"]
        said = subprocess.run(command, capture_output=True, text=True, check=False).stderr
        if self.text not in said:
            found = numpy_models.train(dist_run, folder, 1, **self.asked)
            said += found if isinstance(found, str) else "it trains"
        return "" if self.text in said else f"is not refused so: {said}"

    def problems(self, dist_run, folder):
        compute = self.write(folder / "model.onnx", self.opset, self.build, self.change)
        expected = numpy_models.descend(compute, self.inputs, self.variables)
        for ranks in (1, 2, 4):
            found = numpy_models.train(dist_run, folder, ranks, **self.told)
            yield ranks, numpy_models.difference(found, expected, self.variables)


def advice(text, refused, **how):
    """Adds a case, whose model that follows the function below builds; it returns the function of numpy."""

    def add(build):
        CASES.append(Case(text, refused, **how, build=build))
        return build

    return add
