"""Networks of PyTorch, exported, trained by dist-run and loaded back, beside the loop of PyTorch; skipped where there is no PyTorch."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import copy
import os
import tempfile
import unittest

import surroundings
import tutti

torch = surroundings.torch
if torch:
    import networks
    from torch import nn
    from torch.nn import functional as F

LIMIT = 5e-6  # of |difference| / norm


def distance(first, second):
    first, second = first.double(), second.double()
    return float((first - second).norm() / max(float(second.norm()), 1e-3))


def of_scores(output, labels):
    return F.cross_entropy(output["scores"], labels)


@unittest.skipUnless(torch, surroundings.NO_TORCH)
class Models(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "m.onnx")

    def compare(self, kind, optimizers=("sgd", "adam"), loss=None, skip=(), **how):
        """Export, train on one rank and on two, load: the state is that of PyTorch's loop, but for the buffers of `skip`."""
        network, data, labels = networks.make(kind)
        before = {name: value.clone() for name, value in network.state_dict().items()}
        example = {name: value[:3] for name, value in data.items()}
        if hasattr(kind, "arguments"):
            arguments, keywords = network.arguments(**example)
            example = (*arguments, keywords)
        loss = loss or nn.CrossEntropyLoss()
        inside = how.pop("inside", True)
        how.update(dict(loss=loss, labels=labels[:3]) if inside else dict(loss=how.pop("text", None)))
        exported = tutti.export(network, example, self.path, quiet=True, **how)
        for name, value in network.state_dict().items():
            self.assertTrue(torch.equal(value, before[name]), name)
        arrays = {**data, **({"label": labels} if "labels" not in data else {})}
        for optimizer in optimizers:
            expected, losses = networks.torch_loop(network, data, labels, loss, optimizer)
            for ranks in (1, 2):
                result = tutti.train(exported, arrays, ranks=ranks, steps=networks.STEPS, shuffle=False, progress=False, global_batch=networks.BATCH,
                                     **networks.RECIPES[optimizer])
                fresh = copy.deepcopy(network)
                loaded = tutti.load_into(fresh, result, quiet=True)
                with self.subTest(kind.__name__, optimizer=optimizer, ranks=ranks):
                    for found, right in zip(result.losses, losses):
                        self.assertLess(abs(found - right) / abs(right), LIMIT)
                    for name, value in expected.state_dict().items():
                        if name not in skip and not name.endswith("num_batches_tracked"):
                            self.assertLess(distance(fresh.state_dict()[name], value), LIMIT, name)
                    self.assertEqual(loaded.missing + loaded.extra, [])
        return exported, expected, fresh

    def test_tied_embeddings_and_positions(self):
        exported, _, fresh = self.compare(networks.TiedEmbeddings)
        self.assertEqual(exported.ties, {"table.weight": ["head.weight"]})
        self.assertIs(fresh.head.weight, fresh.table.weight)
        self.assertIn("positions", exported.buffers)

    def test_batch_normalization(self):
        """All is as in PyTorch but running_var: ONNX takes the variance of n numbers over n, PyTorch over n - 1."""
        exported, expected, fresh = self.compare(networks.BatchNorms, skip=["norm.running_var"])
        self.assertIn("still.running_var", exported.buffers)
        rest, count = 0.9 ** networks.STEPS, networks.BATCH * 6 * 6
        found, right = fresh.norm.running_var, expected.norm.running_var
        self.assertGreater(distance(found, right), 1e-4)
        self.assertLess(distance(rest + (found - rest) * count / (count - 1), right), LIMIT)

    def test_modules_in_several_places(self):
        exported, _, _ = self.compare(networks.Shared)
        self.assertEqual(exported.ties["bias"], ["layers.1.bias"])

    def test_recurrent_layers(self):
        self.compare(networks.Recurrent)

    def test_vision_transformer(self):
        self.compare(networks.VisionTransformer)

    def test_what_is_not_trained(self):
        exported, expected, fresh = self.compare(networks.Frozen, ("sgd", "adam", "adamw"))
        self.assertEqual(set(exported.parameters), {"last.weight", "last.bias", "scale", "bare"})
        self.assertLessEqual({"body.weight", "features.weight", "factor"}, set(exported.buffers))
        self.assertEqual(exported.absent, ["unused.weight", "unused.bias"])

    def test_padding(self):
        self.compare(networks.Padded)

    def test_keywords_tuples_and_dictionaries(self):
        self.compare(networks.Dictionaries, loss=of_scores)

    def test_a_loss_of_the_recipe(self):
        self.compare(networks.BatchNorms, inside=False, skip=["norm.running_var"])
        exported, _, _ = self.compare(networks.Dictionaries, inside=False, outputs=["scores"], loss=of_scores)
        self.assertEqual(exported.outputs, ["scores"])
        exported, _, _ = self.compare(networks.Frozen, inside=False, text="loss=softmax-cross-entropy label-smoothing=0.1",
                                      loss=nn.CrossEntropyLoss(label_smoothing=0.1))
        self.assertEqual(exported.recipe, {"loss": "softmax-cross-entropy", "label-smoothing": "0.1"})

    def test_a_module_that_returns_its_loss(self):
        exported, _, _ = self.compare(networks.Losses, inside=False, text=True, loss=lambda output, labels: output["loss"])
        self.assertEqual((exported.inputs, exported.outputs, exported.recipe), (["x", "labels"], ["loss"], {"loss": "output:loss"}))

    def test_a_loss_with_weights_and_a_sum(self):
        loss = nn.CrossEntropyLoss(weight=torch.arange(1.0, networks.CLASSES + 1))
        self.compare(networks.Shared, loss=loss)
        self.compare(networks.Shared, loss=nn.CrossEntropyLoss(reduction="sum"), optimizers=("adam",))


if __name__ == "__main__":
    unittest.main()
