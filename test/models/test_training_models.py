#!/usr/bin/python3
"""Checks what the models mean: the training models learn, agree with the forward ones, and their curves are recorded.

With --write the recorded curves in expected/ are written anew.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import json
import os
import sys
import unittest

import numpy as np
import onnx
from onnx import numpy_helper

import reference_training
import training_graphs
from reference_training import Program, apply_recipe, run_nodes

HERE = os.path.dirname(os.path.abspath(__file__))
EXPECTED = os.path.join(HERE, "expected")
BATCH, STEPS = 64, 100

# Of each recorded run: the model, and for a forward graph the recipe's learning rate and momentum.
RUNS = {
    "clicks_sgd": ("clicks", 1.0, 0.0),
    "digits_mlp_momentum": ("digits_mlp", 0.1, 0.9),
    "digits_cnn_momentum": ("digits_cnn", 0.05, 0.9),
    "digits_cnn_adam": ("digits_cnn_training", None, None),
}


def load(name):
    return onnx.load(os.path.join(HERE, name + ".onnx"))


def training_model(name, rate, momentum):
    model = load(name)
    return model if rate is None else apply_recipe(model, rate, momentum)


def dataset(model):
    return os.path.join(HERE, "..", "data", f"{model.split('_')[0]}_train.npz")


def record(name):
    """The run as it is recorded: its settings, its losses in f64, and how far f32 strays from them."""
    model, rate, momentum = RUNS[name]
    losses, _ = reference_training.train(training_model(*RUNS[name]), STEPS, BATCH, np.float64, dataset(model))
    single, _ = reference_training.train(training_model(*RUNS[name]), STEPS, BATCH, np.float32, dataset(model))
    stray = float(np.max(np.abs(np.array(losses) - single) / losses))
    return {"model": model + ".onnx", "learning_rate": rate, "momentum": momentum, "global_batch": BATCH,
            "steps": STEPS, "order": "file order, no shuffling, incomplete last batch of an epoch dropped",
            "f32_relative_error": float(f"{stray:.1e}"), "loss": [float(f"{loss:.9g}") for loss in losses]}


def accuracy(name, variables):
    """Share of the held-out digits that the forward graph `name` recognises with these variables."""
    graph = load(name).graph
    values = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    values.update((key, value) for key, value in variables.items() if key in values)
    with np.load(os.path.join(HERE, "..", "data", "digits_test.npz")) as data:
        values["input"], labels = data["input"], data["label"]
    run_nodes(graph.node, values)
    return float((values["logits"].argmax(axis=1) == labels).mean())


class RecordedCurves(unittest.TestCase):
    def test_each_curve_is_what_the_oracle_computes(self):
        for name in RUNS:
            with self.subTest(name), open(os.path.join(EXPECTED, name + ".json"), encoding="utf-8") as file:
                recorded = json.load(file)
                now = record(name)
                np.testing.assert_allclose(now.pop("loss"), recorded.pop("loss"), rtol=1e-7)
                self.assertLess(now.pop("f32_relative_error"), 1e-4)
                recorded.pop("f32_relative_error")
                self.assertEqual(now, recorded)


class Models(unittest.TestCase):
    def test_the_models_learn(self):
        for name in RUNS:
            if not name.startswith("digits"):
                continue
            forward = RUNS[name][0].replace("_training", "")
            with self.subTest(name):
                _, variables = reference_training.train(training_model(*RUNS[name]), 110, BATCH, np.float32)
                self.assertGreaterEqual(accuracy(forward, variables), 0.95)
                self.assertLess(accuracy(forward, {}), 0.5)

    def test_the_click_model_learns_its_samples(self):
        """Most users and items of the test samples are seen never or once, so that only what was seen can be learned."""
        losses, variables = reference_training.train(training_model(*RUNS["clicks_sgd"]), 480, BATCH, np.float32,
                                                     dataset("clicks"))
        self.assertGreater(np.mean(losses[:16]), 0.65)
        self.assertLess(np.mean(losses[-16:]), 0.3)
        self.assertEqual(variables["user.weight"].shape, (1000, 16))

    def test_the_training_models_start_as_the_forward_ones(self):
        for name in ("digits_mlp", "digits_cnn"):
            plain, training = (Program(load(n), np.float32).constants for n in (name, name + "_training"))
            for variable, value in plain.items():
                np.testing.assert_array_equal(value, training[variable])

    def test_every_trainable_variable_and_state_is_updated_and_initialised(self):
        for name, kinds in (("digits_mlp", ["momentum"]), ("digits_cnn", ["adam_v", "adam_h"])):
            model = load(name + "_training")
            (info,) = model.training_info
            weights = training_graphs.trainable_names(model)
            states = [f"{weight}.{kind}" for weight in weights for kind in kinds]
            statistics = [t.name for t in model.graph.initializer if ".running_" in t.name]
            self.assertEqual({e.key for e in info.update_binding}, set(weights + states + statistics + ["T"]))
            drawn = {e.key for e in info.initialization_binding}
            self.assertEqual(drawn, set(states + ["T"] + (weights if name == "digits_mlp" else [])))

    def test_the_step_counter_counts(self):
        program = Program(load("digits_cnn_training"), np.float32)
        data = os.path.join(HERE, "..", "data", "digits_train.npz")
        for feed in reference_training.batches(data, 8, 3, np.float32):
            program.step(feed)
        self.assertEqual(program.constants["T"], 3)

    def test_random_initial_values_have_no_reference(self):
        with self.assertRaisesRegex(ValueError, "fc1.weight"):
            reference_training.train(load("digits_mlp_training"), 1, BATCH, np.float32)
        start = {t.name: numpy_helper.to_array(t) for t in load("digits_mlp").graph.initializer}
        losses, _ = reference_training.train(load("digits_mlp_training"), 20, BATCH, np.float64, load=start)
        recipe, _ = reference_training.train(training_model("digits_mlp", 0.1, 0.9), 20, BATCH, np.float64)
        np.testing.assert_allclose(losses, recipe, rtol=1e-12)

    def test_every_node_has_a_name_of_its_own(self):
        for name in ("clicks", "digits_mlp", "digits_cnn", "digits_dropout", "digits_mlp_training",
                     "digits_cnn_training"):
            model = load(name)
            nodes = list(model.graph.node)
            for info in model.training_info:
                nodes += info.algorithm.node
            names = [node.name for node in nodes]
            self.assertTrue(all(names))
            self.assertEqual(len(names), len(set(names)))


def write_expected():
    os.makedirs(EXPECTED, exist_ok=True)
    for name in RUNS:
        with open(os.path.join(EXPECTED, name + ".json"), "w", encoding="utf-8") as file:
            json.dump(record(name), file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write_expected()
    else:
        unittest.main()
