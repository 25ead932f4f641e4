#!/usr/bin/python3
"""Makes the tiny model of each family in every form, and checks that it is legal ONNX with the loss that was recorded."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import os
import tempfile
import unittest

import numpy as np
import onnx
from onnx import shape_inference

import make_families
import synthetic_data
from evaluator import Evaluator
from graph_writer import write_model

HERE = os.path.dirname(os.path.abspath(__file__))
BATCH = 8

# Of each family the forms of the same function: flags and arguments of build. The first is the one with recorded losses.
FORMS = {
    "resnet": [((), {}), ((), {"batch": BATCH}), ((), {"opset": 13})],
    "bert": [((), {}), ((), {"batch": BATCH}), ((), {"opset": 13}), (["gelu=operator"], {"opset": 20})],
    "gpt2": [((), {}), ((), {"batch": BATCH}), ((), {"opset": 13}), (["mask=trilu"], {}), (["mask=constant"], {}),
             (["gelu=operator"], {"opset": 20})],
    "dlrm": [((), {}), ((), {"batch": BATCH}), ((), {"opset": 13})],
    "llama": [((), {}), ((), {"batch": BATCH}), ((), {"opset": 14}), ((), {"opset": 20})],
}
# Operators without which a family would not be what real exports are.
TYPICAL = {
    "resnet": {"Conv", "BatchNormalization", "MaxPool", "GlobalAveragePool", "Flatten", "Gemm"},
    "bert": {"LayerNormalization", "Erf", "Softmax", "Cast", "Slice", "Shape"},
    "gpt2": {"LayerNormalization", "Split", "Where", "Pow", "Tanh", "Gemm", "Slice"},
    "dlrm": {"Gather", "ReduceSum", "Concat", "MatMul", "Transpose", "Flatten", "Sigmoid", "Log"},
    "llama": {"Sin", "Cos", "Neg", "Slice", "Concat", "Expand", "Equal", "Where", "Trilu", "Range", "Sigmoid"},
}


def feeds(family, words=(), samples=BATCH):
    """The first batch of the recorded training: samples depend on how many are made."""
    flags = make_families.parse_flags(family, words)
    made = synthetic_data.make(family, make_families.FAMILIES[family].SIZES["tiny"], flags, samples)
    return {name: array[:BATCH] for name, array in made.items()}


def check(model):
    """onnx.checker and shape inference, where this onnx knows the operator set: every result must get a shape."""
    if model.opset_import[0].version > onnx.defs.onnx_opset_version():
        return
    onnx.checker.check_model(model, full_check=True)
    inferred = shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
    shaped = {v.name for v in list(inferred.graph.value_info) + list(inferred.graph.output)
              if v.type.tensor_type.HasField("shape")}
    missing = [name for node in model.graph.node for name in node.output if name not in shaped]
    # BatchNormalization with five outputs, and sizes computed from sizes, have no rules before operator set 15.
    if missing and model.opset_import[0].version >= 15:
        raise AssertionError(f"no shape for {missing}")


class Families(unittest.TestCase):
    def recorded(self, family):
        with open(os.path.join(HERE, "expected", family + "_tiny.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_every_form_is_legal_and_has_the_recorded_loss(self):
        for family, forms in FORMS.items():
            record = self.recorded(family)
            batch = feeds(family, samples=record["steps"] * record["global_batch"])
            self.assertEqual(record["flags"], make_families.parse_flags(family, ()))
            for words, arguments in forms:
                with self.subTest(family=family, flags=words, **arguments):
                    model = make_families.build(family, "tiny", words, **arguments).model(family)
                    check(model)
                    loss = float(Evaluator(model).run(batch)["loss"])
                    for run in record["runs"].values():
                        self.assertAlmostEqual(loss, run["loss"][0], delta=1e-6)

    def test_each_family_uses_the_operators_of_real_exports(self):
        for family, operators in TYPICAL.items():
            model = make_families.build(family, "tiny").model(family)
            self.assertLessEqual(operators, {node.op_type for node in model.graph.node}, family)
            self.assertLess(len(model.SerializeToString()), 600_000, family)

    def test_flags_give_other_operators(self):
        for family, words, arguments, operator in (
                ("bert", ["gelu=operator"], {"opset": 20}, "Gelu"), ("gpt2", ["gelu=operator"], {"opset": 20}, "Gelu"),
                ("gpt2", ["mask=trilu"], {}, "Trilu"), ("llama", (), {"opset": 18}, "Reciprocal"),
                ("bert", ["head=classification"], {}, "Tanh")):
            plain = make_families.build(family, "tiny").model(family)
            model = make_families.build(family, "tiny", words, **arguments).model(family)
            check(model)
            self.assertNotIn(operator, {node.op_type for node in plain.graph.node})
            self.assertIn(operator, {node.op_type for node in model.graph.node})

    def test_dropout_stands_where_the_libraries_have_it(self):
        for family in ("bert", "gpt2"):
            model = make_families.build(family, "tiny", ["dropout=0.1"]).model(family)
            check(model)
            layers = make_families.FAMILIES[family].SIZES["tiny"]["layers"]
            operators = [node.op_type for node in model.graph.node]
            self.assertEqual(operators.count("Dropout"), 1 + 3 * layers, family)

    def test_the_classifier_has_a_loss(self):
        model = make_families.build("bert", "tiny", ["head=classification"]).model("bert")
        loss = float(Evaluator(model).run(feeds("bert", ["head=classification"]))["loss"])
        self.assertAlmostEqual(loss, np.log(2), delta=0.3)

    def test_without_loss_the_graph_ends_in_scores(self):
        for family in FORMS:
            whole = make_families.build(family, "tiny").model(family)
            model = make_families.build(family, "tiny", loss=False).model(family)
            check(model)
            batch = {name: array for name, array in feeds(family).items() if not name.startswith("label")}
            self.assertEqual({value.name for value in model.graph.input}, set(batch))
            scores = Evaluator(model).run(batch)["scores"]
            dims = model.graph.output[0].type.tensor_type.shape.dim
            self.assertEqual((dims[0].dim_param, *[d.dim_value for d in dims][1:]), ("batch", *scores.shape[1:]))
            self.assertGreater(len(whole.graph.node), len(model.graph.node))

    def test_the_tied_weights_are_there_once(self):
        for family, name in (("bert", "bert.embeddings.word_embeddings.weight"), ("gpt2", "transformer.wte.weight")):
            graph = make_families.build(family, "tiny").model(family).graph
            self.assertEqual([t.name for t in graph.initializer].count(name), 1)
            self.assertEqual(sorted(n.op_type for n in graph.node if name in n.input), ["Gather", "Transpose"])


class Files(unittest.TestCase):
    def test_the_same_arguments_give_the_same_bytes(self):
        first, second = (make_families.build("gpt2", "tiny").model("gpt2") for _ in range(2))
        self.assertEqual(first.SerializeToString(deterministic=True), second.SerializeToString(deterministic=True))
        other = make_families.build("gpt2", "tiny", seed=1).model("gpt2")
        self.assertNotEqual(first.SerializeToString(deterministic=True), other.SerializeToString(deterministic=True))

    def test_weights_beside_the_graph_are_those_inside(self):
        writer = make_families.build("dlrm", "tiny")  # its tables are no multiples of 64 bytes
        with tempfile.TemporaryDirectory() as folder:
            paths = {how: os.path.join(folder, how + ".onnx") for how in ("inside", "beside", "none")}
            for how, path in paths.items():
                write_model(writer, "dlrm", path, how)
            inside, beside = (onnx.load(paths[how]) for how in ("inside", "beside"))
            self.assertEqual([(t.name, t.raw_data) for t in inside.graph.initializer],
                             [(t.name, t.raw_data) for t in beside.graph.initializer])
            self.assertFalse(os.path.exists(paths["none"] + ".data"))
            self.assertLess(os.path.getsize(paths["none"]), 60_000)
            onnx.checker.check_model(paths["beside"])

    def test_a_flag_that_does_not_exist_is_refused(self):
        for family, words in (("resnet", ["mask=where"]), ("gpt2", ["mask=none"]), ("bert", ["gelu=operator"])):
            with self.assertRaises(ValueError):
                make_families.build(family, "tiny", words)

    def test_full_sizes_have_the_parameters_of_the_papers(self):
        for family, size, count in (("resnet", "full", 25_557_032), ("bert", "full", 109_514_298),
                                    ("gpt2", "full", 124_439_808), ("llama", "7b", 6_738_415_616)):
            weights = make_families.build(family, size).parameters()
            trained = [w for w in weights if not w.name.endswith((".running_mean", ".running_var"))]
            self.assertEqual(sum(w.bytes() // 4 for w in trained), count, family)


if __name__ == "__main__":
    unittest.main()
