#!/usr/bin/python3
"""Checks the oracle itself: every gradient against finite differences, a whole training against a second writing of it."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import unittest

import numpy as np
import onnx
from onnx import numpy_helper

import reference_training
from reference_operators import OPERATORS, sum_to_shape

HERE = os.path.dirname(os.path.abspath(__file__))


def load(name):
    return onnx.load(os.path.join(HERE, name + ".onnx"))


def numeric_gradient(function, x, step=1e-6):
    """Central differences of a scalar function of one array."""
    result = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        moved = [x.copy(), x.copy()]
        moved[0][index] += step
        moved[1][index] -= step
        result[index] = (function(moved[0]) - function(moved[1])) / (2 * step)
    return result


class OperatorGradients(unittest.TestCase):
    """Each operator's vector-Jacobian product, with a random vector, in f64."""

    def setUp(self):
        self.random = np.random.RandomState(11)

    def draw(self, *shape):
        return self.random.standard_normal(shape)

    def check(self, op, attributes, *inputs, differentiable=None):
        operator = OPERATORS[op]
        outputs = operator.forward(attributes, *inputs)
        vector = self.draw(*outputs[0].shape)
        parts = operator.backward(attributes, inputs, outputs, vector)
        for i in range(len(inputs)) if differentiable is None else differentiable:
            def scalar(x, i=i):
                return float((operator.forward(attributes, *inputs[:i], x, *inputs[i + 1:])[0] * vector).sum())

            np.testing.assert_allclose(parts[i], numeric_gradient(scalar, inputs[i]), rtol=1e-6, atol=1e-7)

    def test_flatten(self):
        self.check("Flatten", {"axis": 1}, self.draw(2, 3, 4))

    def test_gemm(self):
        self.check("Gemm", {"transB": 1}, self.draw(3, 4), self.draw(5, 4), self.draw(5))
        self.check("Gemm", {"transA": 1, "alpha": 0.5, "beta": 2.0}, self.draw(4, 3), self.draw(4, 5), self.draw(3, 1))

    def test_relu(self):
        self.check("Relu", {}, self.draw(4, 5))

    def test_convolution(self):
        padded = {"pads": [1, 0, 2, 1], "strides": [2, 1]}
        self.check("Conv", padded, self.draw(2, 2, 6, 5), self.draw(3, 2, 3, 2), self.draw(3))
        self.check("Conv", {}, self.draw(1, 2, 4, 4), self.draw(2, 2, 3, 3))

    def test_pooling(self):
        self.check("MaxPool", {"kernel_shape": [3, 2], "strides": [2, 2], "pads": [1, 0, 1, 0]}, self.draw(2, 2, 5, 4))
        self.check("AveragePool", {"kernel_shape": [2, 2], "strides": [2, 2]}, self.draw(2, 2, 4, 4))

    def test_batch_normalization(self):
        state = (self.draw(3), self.draw(3), np.zeros(3), np.ones(3))
        self.check("BatchNormalization", {"training_mode": 1, "epsilon": 1e-5}, self.draw(4, 3, 2, 2), *state,
                   differentiable=range(3))

    def test_lookup(self):
        for axis, indices in ((0, np.array([2, 0, 2])), (1, np.array([[1, -1], [0, 0]]))):
            self.check("Gather", {"axis": axis}, self.draw(3, 4, 2), indices, differentiable=[0])

    def test_joining_and_products(self):
        self.check("Concat", {"axis": 1}, self.draw(2, 3), self.draw(2, 1), self.draw(2, 2))
        self.check("Mul", {}, self.draw(2, 3), self.draw(3))
        self.check("Tanh", {}, self.draw(2, 3))

    def test_mean(self):
        self.check("ReduceMean", {"axes": [1], "keepdims": 0}, self.draw(2, 3, 4))
        self.check("ReduceMean", {"axes": [0, 2]}, self.draw(2, 3, 4))

    def test_cross_entropy(self):
        self.check("SoftmaxCrossEntropyLoss", {}, self.draw(4, 5), np.array([0, 4, 2, 2]), differentiable=[0])

    def test_broadcasting_is_undone(self):
        np.testing.assert_array_equal(sum_to_shape(np.ones((2, 3, 4)), (3, 1)), np.full((3, 1), 8.0))


class BatchStatistics(unittest.TestCase):
    def test_running_statistics_use_the_population_variance(self):
        x = np.arange(8.0).reshape(2, 1, 2, 2)
        one, zero = np.ones(1), np.zeros(1)
        _, mean, variance = OPERATORS["BatchNormalization"].forward({"training_mode": 1, "momentum": 0.9}, x, one, zero,
                                                                    zero, one)
        np.testing.assert_allclose((mean, variance), ([0.35], [0.9 + 0.1 * 5.25]))


class Optimizers(unittest.TestCase):
    def test_first_step_of_momentum_ignores_beta(self):
        attributes = {"alpha": 0.9, "beta": 0.5, "mode": b"standard", "norm_coefficient": 0.0}
        weight, velocity = OPERATORS["Momentum"].forward(attributes, 0.1, 0, np.array(1.0), np.array(2.0), np.array(0.0))
        np.testing.assert_allclose((weight, velocity), (0.8, 2.0))
        weight, velocity = OPERATORS["Momentum"].forward(attributes, 0.1, 1, weight, np.array(2.0), velocity)
        np.testing.assert_allclose((weight, velocity), (0.52, 2.8))

    def test_adam_corrects_the_rate_from_its_second_step(self):
        attributes = {"alpha": 0.9, "beta": 0.99, "epsilon": 0.0, "norm_coefficient": 0.0, "norm_coefficient_post": 0.0}
        for count, rate in ((0, 0.1), (1, 0.1 * np.sqrt(0.01) / 0.1)):
            weight, first, second = OPERATORS["Adam"].forward(attributes, np.array(0.1), count, np.array(1.0),
                                                              np.array(2.0), np.array(0.0), np.array(0.0))
            np.testing.assert_allclose((first, second), (0.2, 0.04))
            np.testing.assert_allclose(weight, 1.0 - rate * 0.2 / 0.2)


class Clipping(unittest.TestCase):
    def test_all_gradients_together_are_no_longer_than_the_limit(self):
        long = reference_training.clipped([np.array([3.0, 0.0]), np.array([[4.0]])], 1.0)
        np.testing.assert_allclose(np.concatenate([g.ravel() for g in long]), [0.6, 0.0, 0.8], rtol=1e-6)

    def test_a_short_gradient_keeps_its_bits(self):
        np.testing.assert_array_equal(reference_training.clipped([np.array([0.1, 0.2])], 1.0)[0], [0.1, 0.2])


def handwritten_mlp(steps, batch, rate, momentum):
    """The MLP's training once more, with nothing but matrices: losses of `steps` steps."""
    weights = {t.name: numpy_helper.to_array(t).astype(np.float64) for t in load("digits_mlp").graph.initializer}
    velocity = {name: np.zeros_like(value) for name, value in weights.items()}
    data = np.load(os.path.join(HERE, "..", "data", "digits_train.npz"))
    images, labels, losses = data["input"].reshape(-1, 64).astype(np.float64), data["label"], []
    for step in range(steps):
        begin = step % (len(labels) // batch) * batch
        x, y = images[begin:begin + batch], labels[begin:begin + batch]
        a1 = np.maximum(x @ weights["fc1.weight"].T + weights["fc1.bias"], 0)
        a2 = np.maximum(a1 @ weights["fc2.weight"].T + weights["fc2.bias"], 0)
        probability = np.exp(a2 @ weights["fc3.weight"].T + weights["fc3.bias"])
        probability /= probability.sum(axis=1, keepdims=True)
        losses.append(-np.log(probability[np.arange(batch), y]).mean())
        d3 = (probability - np.eye(10)[y]) / batch
        d2 = d3 @ weights["fc3.weight"] * (a2 > 0)
        d1 = d2 @ weights["fc2.weight"] * (a1 > 0)
        for name, left, right in (("fc3", d3, a2), ("fc2", d2, a1), ("fc1", d1, x)):
            for part, gradient in ((".weight", left.T @ right), (".bias", left.sum(axis=0))):
                velocity[name + part] = momentum * velocity[name + part] + gradient
                weights[name + part] -= rate * velocity[name + part]
    return losses, weights


class WholeTraining(unittest.TestCase):
    def test_the_mlp_agrees_with_a_second_writing(self):
        model = reference_training.apply_recipe(load("digits_mlp"), 0.1, 0.9)
        losses, variables = reference_training.train(model, 60, 64, np.float64)
        expected, weights = handwritten_mlp(60, 64, 0.1, 0.9)
        np.testing.assert_allclose(losses, expected, rtol=1e-6)
        for name, value in weights.items():
            np.testing.assert_allclose(variables[name], value, rtol=1e-5, atol=1e-7)

    def test_the_cnn_has_the_gradient_of_its_loss(self):
        model = reference_training.apply_recipe(load("digits_cnn"), 1.0, 0.0)
        program = reference_training.Program(model, np.float64)
        (feed,) = reference_training.batches(os.path.join(HERE, "..", "data", "digits_train.npz"), 8, 1, np.float64)
        start = dict(program.constants)
        program.step(feed)
        for name, index in (("conv1.weight", (3, 0, 1, 2)), ("bn2.bias", (7,)), ("fc.weight", (4, 100))):
            def loss(value, name=name, index=index):
                values = {**start, **feed}
                values[name] = start[name].copy()
                values[name][index] = value
                reference_training.run_nodes([n for n in program.nodes if n.domain == ""], values)
                return float(values["loss"])

            at = start[name][index]
            slope = (loss(at + 1e-6) - loss(at - 1e-6)) / 2e-6
            self.assertAlmostEqual(at - program.constants[name][index], slope, places=6)


if __name__ == "__main__":
    unittest.main()
