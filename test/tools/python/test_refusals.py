"""What `tutti.export` and `tutti.load_into` refuse, and what they leave as it was; skipped where there is no PyTorch."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import contextlib
import io
import os
import tempfile
import unittest
import unittest.mock
import warnings

import numpy as np

import surroundings
import tutti
from tutti import onnx_model, safetensors

torch = surroundings.torch
if torch:
    import torch.utils.checkpoint
    from torch import nn
    from torch.nn import functional as F

    class Custom(torch.autograd.Function):
        @staticmethod
        def forward(context, x):
            return x.sign()

        @staticmethod
        def backward(context, gradient):
            return gradient

    class Net(nn.Module):
        """Two layers, and what a test has them do."""

        def __init__(self, compute=None, **parts):
            super().__init__()
            self.first, self.last, self.compute = nn.Linear(4, 4), nn.Linear(4, 3), compute
            for name, part in parts.items():
                setattr(self, name, part)

        def forward(self, x):
            return self.compute(self, x) if self.compute else self.last(self.first(x))

    class OptimizedModule(nn.Module):  # what torch.compile returns, which PyTorch 1.13 does not have
        __module__ = "torch._dynamo.eval_frame"

        def __init__(self, module):
            super().__init__()
            self._orig_mod = module

        def forward(self, x):
            return self._orig_mod(x)


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "m.onnx")
        if torch:
            torch.manual_seed(1)
            self.x, self.labels = torch.randn(3, 4), torch.tensor([0, 1, 2])

    def export(self, model, example=None, **how):
        return tutti.export(model, self.x if example is None else example, self.path, **{"quiet": True, **how})


@unittest.skipUnless(torch, surroundings.NO_TORCH)
class Exports(Folder):
    def refuse(self, pattern, model, example=None, **how):
        with self.assertRaisesRegex(tutti.ExportError, pattern):
            self.export(model, example, **how)
        self.assertEqual(os.listdir(os.path.dirname(self.path)), [])

    def test_wrappers_and_what_is_no_module(self):
        self.refuse(r"model is a DataParallel: pass the module in it, model.module", nn.DataParallel(Net()))
        self.refuse(r"model.inner is a DataParallel: pass .* model.inner.module", Net(inner=nn.DataParallel(nn.Linear(2, 2))))
        self.refuse(r"model is a OptimizedModule: pass the module in it, model._orig_mod", OptimizedModule(Net()))
        self.refuse("compiled TorchScript", torch.jit.script(nn.Linear(4, 3)))
        self.refuse("model is a function; expected is a torch.nn.Module", lambda x: x)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.refuse("parameter 'weight' has no shape yet", nn.LazyLinear(3))

    def test_values_that_no_graph_has(self):
        self.refuse("'weight' is on the device meta", nn.Linear(4, 3, device="meta"))
        self.refuse("is torch.complex64", Net(z=nn.Parameter(torch.zeros(2, dtype=torch.complex64))))
        self.refuse("compute=f16", nn.Linear(4, 3).half(), self.x.half())
        shared = Net()
        shared.last.weight = nn.Parameter(shared.first.weight.data[:3])
        self.refuse("parameter 'first.weight' and parameter 'last.weight' share memory, but are two", shared)
        viewed = Net()
        viewed.register_buffer("copy", viewed.first.bias.data)
        self.refuse("parameter 'first.bias' and buffer 'copy' share memory", viewed)

    def test_gradients_that_no_graph_has(self):
        here = f"{os.path.basename(__file__)}:[0-9]+: autograd stops here"
        self.refuse(rf"{here}, by detach\(\).*gradients of (first|last)", Net(lambda net, x: net.last(net.first(x)) * net.last(net.first(x)).detach()))
        self.refuse(rf"{here}, by .data", Net(lambda net, x: net.last(net.first(x)) + net.first(x).data.sum()))

        def without(net, x):
            with torch.no_grad():
                weights = torch.softmax(net.last(net.first(x)), -1)
            return net.last(net.first(x)) * weights
        self.refuse(rf"{here}, by no_grad\(\)", Net(without))
        self.refuse("torch.autograd.Function: Custom", Net(lambda net, x: net.last(Custom.apply(net.first(x)))))
        self.refuse(r"torch.utils.checkpoint\), which no graph says; switch that off", Net(lambda net, x: net.last(
            torch.utils.checkpoint.checkpoint(net.first, x.requires_grad_()))))
        hooked = Net()
        hooked.first.weight.register_hook(lambda gradient: 2 * gradient)
        self.refuse("parameter 'first.weight' has a hook on its gradient", hooked)
        hooked = Net()
        hooked.last.register_full_backward_hook(lambda module, given, got: None)
        self.refuse("module 'last' has backward hooks", hooked)
        self.refuse("nothing of the module is trained", Net().requires_grad_(False))

    def test_what_a_stop_does_not_matter_to(self):
        """What is not trained, or what the loss does not depend on, may be detached."""
        frozen = Net(lambda net, x: net.last(net.first(x).detach()))
        self.assertEqual(set(self.export(frozen).parameters), {"last.weight", "last.bias"})
        told = Net(lambda net, x: (lambda y: {"loss": F.cross_entropy(y, torch.zeros(x.shape[0], dtype=torch.long)), "size": y.detach().norm()})(net.last(net.first(x))))
        self.assertEqual(len(self.export(told, loss="output:loss").parameters), 4)

    def test_layers_that_do_more_than_they_say(self):
        self.refuse("'table' has max_norm=1", Net(table=nn.Embedding(3, 4, max_norm=1.0)))
        self.refuse("'table' has scale_grad_by_freq", Net(table=nn.Embedding(3, 4, scale_grad_by_freq=True)))
        self.refuse("'norm' has momentum=None", Net(norm=nn.BatchNorm1d(4, momentum=None)))
        table = nn.Embedding(3, 4, padding_idx=0)
        table.weight.data[0] = 1
        self.refuse("'table' has padding_idx=0, and its rows of zeros are none", Net(table=table))
        self.refuse("changes its buffer 'first.weight_(u|v)'", Net(first=nn.utils.spectral_norm(nn.Linear(4, 4))))

    def test_inputs_and_losses(self):
        self.refuse("the example has no tensor", Net(), 3)
        self.refuse(r"input 'x' of shape \[\] has no dimension 0", Net(), torch.tensor(1.0))
        self.refuse(r"the module fails on x torch.float32\[3, 5\]: RuntimeError", Net(), torch.zeros(3, 5))
        self.refuse("different numbers of samples: 'x' has 3, 'label' has 2", Net(), loss=nn.CrossEntropyLoss(), labels=self.labels[:2])
        self.refuse("give an example of the labels", Net(), loss=nn.CrossEntropyLoss())
        self.refuse("labels are for a loss that comes into the graph", Net(), labels=self.labels)
        self.refuse(r"the loss is \[3\]; expected is one number", Net(), loss=nn.CrossEntropyLoss(reduction="none"), labels=self.labels)
        self.refuse("loss=True: the module returns output, and not one number", Net(), loss=True)
        self.refuse("no output 'cost'; it has output", Net(), loss="output:cost")
        self.refuse("no output 'hidden'; it has output", Net(), outputs=["hidden"])
        self.refuse("inputs has 2 names, but there are 1 inputs: x", Net(), inputs=["a", "b"])
        self.refuse("batch: there is no input 'y'", Net(), batch={"y": 1})
        self.refuse("opset=99: operator sets 7 to 24", Net(), opset=99)

    def test_what_python_makes_of_tensors(self):
        here = rf"{os.path.basename(__file__)}:[0-9]+"
        for compute, says in ((lambda net, x: net.last(net.first(x)) * x.max().item(), rf"{here}: item\(\) reads a value"),
                              (lambda net, x: net.last(net.first(x)) * (2 if net.first.bias.sum() > 0 else 1), rf"{here}: bool\(\) reads a value"),
                              (lambda net, x: net.last(net.first(x)) + float(net.first(x).detach().numpy().mean()), rf"{here}: numpy\(\) reads"),
                              (lambda net, x: torch.stack([net.last(net.first(row)) for row in x]), rf"with 3 samples it is another than with 4(?s:.*){here}: Iterating"),
                              (lambda net, x: net.last(net.first(x)) / len(x), rf"with 3 samples it is another than with 4, from node .*Div on(?s:.*){here}: Using len")):
            self.refuse(says, Net(compute))
        self.refuse(rf"another than with 4(?s:.*){here}: Using len", Net(), loss=lambda output, labels: F.cross_entropy(output, labels, reduction="sum") / len(labels),
                    labels=self.labels)

    def test_numbers_of_python_that_are_no_matter(self):
        """Of buffers and shapes, and by constants=True what the caller answers for."""
        model = Net(lambda net, x: net.last(net.first(x)) * net.sizes.max().item() / x.shape[0], sizes=torch.ones(2))
        self.assertEqual(self.export(model, loss=nn.CrossEntropyLoss(), labels=self.labels).notes, [])
        os.remove(self.path)
        seen = []
        told = Net(lambda net, x: (lambda y: (seen.append(y.mean().item()), y)[1])(net.last(net.first(x))))
        self.refuse(r"item\(\) reads a value", told)
        self.assertRegex(self.export(told, constants=True).notes[0], r"item\(\): the value of the example is a constant of the graph")
        self.assertRegex(self.export(Net(lambda net, x: net.last(net.first(x)) / len(x)), constants=True).notes[-1], "the graph depends on the example")

    def test_what_is_left_as_it_was(self):
        model = Net(lambda net, x: net.last(net.drop(net.norm(net.first(x)))), norm=nn.BatchNorm1d(4), drop=nn.Dropout(0.5)).eval()
        model.norm.train()
        before, modes = {name: value.clone() for name, value in model.state_dict().items()}, [part.training for part in model.modules()]
        random = torch.random.get_rng_state()
        self.assertIn("the module was in evaluation mode", self.export(model).notes[0])
        self.assertTrue(all(torch.equal(value, before[name]) for name, value in model.state_dict().items()))
        self.assertEqual([part.training for part in model.modules()], modes)
        self.assertTrue(torch.equal(torch.random.get_rng_state(), random))
        self.assertTrue(all(value.grad is None for value in model.parameters()))
        graph = onnx_model.read(self.path)
        self.assertIn("Dropout", [node.op_type for node in graph.graph.node])
        np.testing.assert_array_equal(onnx_model.arrays(graph)["norm.running_var"], np.ones(4, np.float32))

    def test_names_metadata_and_the_command(self):
        model = Net(more=nn.Linear(2, 2))
        model.first.bias.requires_grad_(False)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exported = self.export(model, self.x[:1], inputs=["pixels"], loss="label-smoothing=0.1", quiet=False)
        self.assertIn(f'dist-run -n 2 {self.path} --dataset DATA.npz --train="label-smoothing=0.1 optimizer=adam', out.getvalue())
        graph = onnx_model.read(exported)
        self.assertEqual(repr(onnx_model.inputs(graph)), "[pixels float32[batch, 4]]")
        self.assertEqual({node.name for node in graph.graph.node}, {"/first/Gemm", "/last/Gemm"})
        found = onnx_model.metadata(graph)
        self.assertEqual(set(found["tutti.parameters"].split(",")), {"first.weight", "last.weight", "last.bias"})
        self.assertEqual((found["tutti.buffers"], found["tutti.absent"]), ("first.bias", "more.weight,more.bias"))

    def test_samples_along_another_dimension(self):
        model = Net(lambda net, x: net.last(net.first(x).mean(0)))
        exported = self.export(model, torch.randn(5, 3, 4), batch=1, dynamic={"x": {0: "length"}}, check=False)
        self.assertEqual(repr(onnx_model.inputs(onnx_model.read(exported))), "[x float32[batch, length, 4]]")

    def test_exporters_of_later_versions(self):
        """What torch.onnx.export is given where it knows `dynamo`, and where it does not trace any more."""
        real, seen = torch.onnx.export, {}

        def later(model, args=(), f=None, *, input_names=None, output_names=None, opset_version=None, dynamo=True, export_params=True,
                  keep_initializers_as_inputs=False, dynamic_axes=None, training=None, do_constant_folding=True):
            seen.update(dynamo=dynamo, do_constant_folding=do_constant_folding, training=training)
            return real(model, args, f, input_names=input_names, output_names=output_names, opset_version=opset_version, dynamic_axes=dynamic_axes,
                        training=training, do_constant_folding=do_constant_folding)

        def latest(model, args=(), f=None, *, input_names=None, output_names=None, opset_version=None, dynamic_shapes=None):
            raise AssertionError("it would be called with arguments that it lacks")

        with unittest.mock.patch.object(torch.onnx, "export", later):
            self.export(Net())
        self.assertEqual(seen, {"dynamo": False, "do_constant_folding": False, "training": torch.onnx.TrainingMode.PRESERVE})
        os.remove(self.path)
        with unittest.mock.patch.object(torch.onnx, "export", latest):
            self.refuse("takes no dynamic_axes and no training and no do_constant_folding", Net())

    def test_equal_values_are_not_one(self):
        model = Net(lambda net, x: net.last(net.b(net.a(net.first(x)))), a=nn.LayerNorm(4), b=nn.LayerNorm(4))
        exported = self.export(model)
        self.assertLessEqual({"a.weight", "b.weight", "a.bias", "b.bias"}, set(exported.parameters))
        self.assertEqual(exported.ties, {})


@unittest.skipUnless(torch, surroundings.NO_TORCH)
class Loads(Folder):
    def write(self, **changes):
        self.file = self.path + ".safetensors"
        arrays = {name: value.numpy() for name, value in Net().state_dict().items()}
        arrays.update({name.replace("__", "."): value for name, value in changes.items()})
        safetensors.write(self.file, {name: value for name, value in arrays.items() if value is not None})
        return arrays

    def refuse(self, pattern, model=None, **how):
        model = model or Net()
        before = {name: value.clone() for name, value in model.state_dict().items()}
        with self.assertRaisesRegex(tutti.LoadError, pattern):
            tutti.load_into(model, self.file, quiet=True, **how)
        self.assertTrue(all(torch.equal(value, before[name]) for name, value in model.state_dict().items()))

    def test_all_names_fit(self):
        arrays = self.write(first__weight__exp_avg=np.zeros((4, 4), np.float32), step=np.array(3))
        for wrap in (lambda net: net, nn.DataParallel, OptimizedModule):
            model = Net()
            weight = model.first.weight
            loaded = tutti.load_into(wrap(model), self.file, quiet=True)
            self.assertEqual((loaded.missing, loaded.extra, loaded.states), ([], [], ["first.weight.exp_avg", "step"]))
            self.assertIs(model.first.weight, weight)
            for name, value in model.state_dict().items():
                np.testing.assert_array_equal(value.numpy(), arrays[name])

    def test_what_is_missing_or_too_much(self):
        self.write(last__bias=None, other=np.zeros(2, np.float32))
        self.refuse("the file lacks last.bias; the module lacks other; nothing was loaded. strict=False loads the other 3 values")
        with contextlib.redirect_stdout(io.StringIO()) as out:
            loaded = tutti.load_into(Net(), self.file, strict=False)
        self.assertEqual((loaded.missing, loaded.extra), (["last.bias"], ["other"]))
        self.assertIn("missing in the file: last.bias\n  not in the module: other", out.getvalue())
        self.write()
        self.refuse("none of its names is one of the module", nn.Conv2d(1, 1, 1))

    def test_shapes_types_and_ties(self):
        self.write(last__bias=np.zeros(5, np.float32))
        self.refuse(r"'last.bias' has shape \[5\], but \[3\] in the module", strict=False)
        self.write(last__bias=np.full(3, 0.1, np.float32))
        self.refuse("'(first|last).(weight|bias)' is torch.float32, and torch.float16 in the module does not hold", Net().half())
        self.write(last__bias=np.full(3, 0.1, np.float64))
        self.refuse("'last.bias' is torch.float64, and torch.float32", Net())
        tied = Net()
        tied.second = tied.first
        self.write(**{f"second__{name}": np.ones(shape, np.float32) for name, shape in (("weight", (4, 4)), ("bias", (4,)))})
        self.refuse("'first.weight' and 'second.weight' are one tensor of the module, and two values of the file", tied)

    def test_files_that_are_none(self):
        with open(self.path, "wb") as file:
            file.write(b"nonsense, and more of it")
        self.assertRaises(tutti.FileError, tutti.load_into, Net(), self.path)
        self.assertRaisesRegex(tutti.FileError, "no run directory with checkpoints", tutti.load_into, Net(), os.path.dirname(self.path))
        self.assertRaisesRegex(tutti.LoadError, "model is a dict", tutti.load_into, {}, self.path)

    def test_an_onnx_model_and_a_run_directory(self):
        model = Net(more=nn.Linear(2, 2))
        exported = self.export(model)
        data = {"x": torch.randn(16, 4), "label": torch.randint(0, 3, (16,))}
        folder, out = os.path.join(os.path.dirname(self.path), "run"), self.path + ".trained.onnx"
        tutti.train(exported, data, global_batch=8, steps=2, progress=False, model_dir=folder, export=out)
        first, second = Net(more=nn.Linear(2, 2)), Net(more=nn.Linear(2, 2))
        self.assertEqual(tutti.load_into(first, out, quiet=True).missing, [])
        self.assertEqual(tutti.load_into(second, folder, strict=False, quiet=True).missing, ["more.weight", "more.bias"])
        self.assertTrue(torch.equal(first.first.weight, second.first.weight))
        self.assertFalse(torch.equal(first.first.weight, model.first.weight))


if __name__ == "__main__":
    unittest.main()
