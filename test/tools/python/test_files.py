"""What the Python package does without PyTorch: safetensors files, datasets, recipes, the version, and what it needs when it is imported."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import importlib.util
import io
import json
import os
import re
import struct
import subprocess
import sys
import tarfile
import tempfile
import types
import unittest
import unittest.mock
import zipfile

import numpy as np

import surroundings
import tutti
from tutti import onnx_model, progress, rates, recipes, safetensors

MODEL = str(surroundings.MODELS / "digits_mlp.onnx")


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)


class Rates(unittest.TestCase):
    def test_the_rate_rises_by_equal_factors(self):
        np.testing.assert_allclose(rates.rising(1e-3, 10, 5), [1e-3, 1e-2, 1e-1, 1, 10])

    def test_the_suggested_one_is_where_the_loss_falls_fastest(self):
        tried = rates.rising(1e-3, 10, 5)
        self.assertEqual(rates.steepest(tried, [5, 3, 2, 1.9, 3], reach=1), tried[1])
        self.assertIsNone(rates.steepest(tried, [1, 2, 3, 4, 5], reach=1))
        self.assertIsNone(rates.steepest(tried[:2], [2, 1], reach=1))

    def test_what_comes_after_divergence_is_left_out(self):
        self.assertEqual(rates.smoothed([2, 1, 1, 100, 1]), [4 / 3] * 3)
        self.assertEqual(len(rates.smoothed([2, 1, float("nan"), 1])), 2)
        np.testing.assert_allclose(rates.smoothed([3, 3, 3]), [3, 3, 3])

    def test_a_run_finds_one(self):
        with np.load(surroundings.DATA / "digits_train.npz") as data:
            samples = tutti.Dataset(**data)
        found = tutti.find_learning_rate(MODEL, samples, optimizer="sgd", global_batch=64, high=10.0, progress=False)
        self.assertTrue(1e-3 < found.suggested < 2, found)
        self.assertLess(min(found.losses), 0.8 * found.losses[0])
        with self.assertRaisesRegex(tutti.Error, "the loss does not fall at any rate"):
            tutti.find_learning_rate(MODEL, samples, optimizer="sgd", global_batch=64, low=1e-12, high=1e-11, steps=10, progress=False, shuffle=False)
        with self.assertRaisesRegex(tutti.Error, "expected 0 < low < high"):
            tutti.find_learning_rate(MODEL, samples, low=1.0, high=0.1)


class Safetensors(Folder):
    def test_what_is_written_is_read(self):
        arrays = {"a.weight": np.arange(6, dtype=np.float32).reshape(2, 3), "flags": np.array([True, False]), "one": np.array(7, np.int64),
                  "big": np.arange(3, dtype=">f8"), "columns": np.asfortranarray(np.arange(6, dtype=np.float16).reshape(2, 3)), "none": np.zeros((0, 4), np.uint32)}
        safetensors.write(self.path("x"), arrays, {"made by": "a test"})
        found, metadata = safetensors.read(self.path("x"))
        self.assertEqual(metadata, {"made by": "a test"})
        self.assertEqual(list(found), list(arrays))
        for name, array in arrays.items():
            np.testing.assert_array_equal(found[name], array)
            self.assertEqual(found[name].dtype, array.dtype.newbyteorder("="))

    def bytes_of(self, header, data=b"", length=None):
        text = header if isinstance(header, bytes) else json.dumps(header).encode()
        with open(self.path("x"), "wb") as file:
            file.write(struct.pack("<Q", len(text) if length is None else length) + text + data)
        return self.path("x")

    def test_bfloat16_keeps_its_values(self):
        bits = (np.array([1.5, -2.0, np.inf], np.float32).view(np.uint32) >> 16).astype("<u2").tobytes()
        path = self.bytes_of({"x": {"dtype": "BF16", "shape": [3], "data_offsets": [0, 6]}}, bits)
        np.testing.assert_array_equal(safetensors.read(path)[0]["x"], np.array([1.5, -2.0, np.inf], np.float32))

    def test_files_that_are_none(self):
        one = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
        for header, data, length, says in (
                ({"x": one}, b"1234", None, "tensor 'x' of 8 bytes is at 0 to 8 of 4 bytes"),
                ({"x": {**one, "shape": [3]}}, b"12345678", None, "tensor 'x' of 12 bytes is at 0 to 8"),
                ({"x": {**one, "data_offsets": [-8, 0]}}, b"12345678", None, "tensor 'x' of 8 bytes is at -8"),
                ({"x": {**one, "dtype": "F4"}}, b"12345678", None, "type F4"), ({"x": []}, b"", None, ""), (b"nonsense", b"", None, ""),
                (b"[]", b"", None, ""), ({"x": one}, b"", 1 << 60, "its header would have"), (b"[" * 100000, b"", None, "")):
            with self.assertRaises(tutti.FileError) as caught:
                safetensors.read(self.bytes_of(header, data, length))
            self.assertIn(says, str(caught.exception))
            self.assertIn(self.path("x"), str(caught.exception))
        with open(self.path("x"), "wb") as file:
            file.write(b"short")
        self.assertRaises(ValueError, safetensors.read, self.path("x"))
        with self.assertRaisesRegex(tutti.FileError, "array 'x' has type complex64"):
            safetensors.write(self.path("x"), {"x": np.zeros(2, np.complex64)})


class Datasets(Folder):
    def refuse(self, pattern, *arguments, **arrays):
        with self.assertRaisesRegex(tutti.DatasetError, pattern):
            tutti.Dataset(*arguments, **arrays)

    def test_arrays(self):
        data = tutti.Dataset(input=[[1.0, 2.0], [3.0, 4.0]], label=np.array([1, 0], ">i4"))
        self.assertEqual(len(data), 2)
        self.assertEqual(data.save(self.path("d")), self.path("d.npz"))
        again = tutti.Dataset(self.path("d.npz"))
        np.testing.assert_array_equal(again.arrays["label"], [1, 0])
        self.assertEqual(again.arrays["label"].dtype, np.dtype("i4"))
        self.assertEqual(os.listdir(self.folder), ["d.npz"])
        self.assertEqual(len(tutti.Dataset({"x": np.zeros((4, 2))}, y=np.zeros(4))), 4)

    def test_samples_and_frames(self):
        samples = [(np.full(3, i, np.float32), i) for i in range(5)]
        data = tutti.Dataset(samples, names=["input", "label"])
        self.assertEqual(data.arrays["input"].shape, (5, 3))
        np.testing.assert_array_equal(data.arrays["label"], range(5))
        named = tutti.Dataset([{"x": np.zeros(2), "y": 1}, {"x": np.ones(2), "y": 2}])
        self.assertEqual(list(named.arrays), ["x", "y"])

        class Column:
            def to_numpy(self):
                return np.arange(3)

        class Frame:  # what is asked of a frame of pandas
            columns = ["a", "b"]
            to_numpy = None

            def __getitem__(self, name):
                return Column()
        self.assertEqual(list(tutti.Dataset(Frame()).arrays), ["a", "b"])

    def test_what_is_no_dataset(self):
        self.refuse("x has 2 rows, y has 3 rows", x=np.zeros(2), y=np.zeros(3))
        self.refuse("array 'x' has type object", x=np.array(["a", None]))
        self.refuse("array 'x' has type <U1", x=np.array(["a", "b"]))
        self.refuse("array 'x' is one number", x=3)
        self.refuse("no arrays")
        self.refuse("no rows", x=np.zeros((0, 2)))
        self.refuse("a sample has 2 values, and there are 1 names", [(1, 2)], names=["x"])
        self.refuse(r"'x' has shape \[2\] in the first and \[3\] in part 1 of the data", [{"x": np.zeros(2)}, {"x": np.zeros(3)}])
        self.refuse("a int is no data", 3)
        self.refuse("the data have no samples", [])

    def test_against_a_model(self):
        pixels, digits = np.zeros((4, 1, 8, 8), np.float32), np.arange(4)
        tutti.Dataset(input=pixels, label=digits).check(MODEL)
        tutti.Dataset(input=pixels.astype(np.uint8), label=digits.astype(np.float64)).check(MODEL)
        tutti.Dataset(input=pixels).check(MODEL, "output")
        for pattern, arrays in (
                (r"no array 'input' for the model's input input float32\[N, 1, 8, 8\]; there are x, label", dict(x=pixels, label=digits)),
                ("no array 'label', which loss=softmax-cross-entropy compares", dict(input=pixels)),
                (r"has 8 in dimension 3, not 7", dict(input=pixels[..., :7], label=digits)),
                ("a sample has 3 dimensions", dict(input=pixels[:, 0], label=digits)),
                (r"array 'input' is float64, and float32.*does not hold the values of sample 2", dict(input=pixels + np.array([0, 1, .1, 0]).reshape(4, 1, 1, 1), label=digits)),
                ("array 'label' is float64 and has fractions", dict(input=pixels, label=digits + .5))):
            with self.assertRaisesRegex(tutti.DatasetError, pattern):
                tutti.Dataset(**arrays).check(MODEL)
        rounded = tutti.Dataset(input=pixels + 0.1, label=digits).cast(MODEL).check(MODEL)
        self.assertEqual(rounded.arrays["input"].dtype, np.float32)

    @unittest.skipUnless(surroundings.torch, surroundings.NO_TORCH)
    def test_of_pytorch(self):
        torch = surroundings.torch
        from torch.utils.data import DataLoader, TensorDataset
        x, y = torch.randn(10, 3), torch.arange(10)
        for source in (TensorDataset(x, y), DataLoader(TensorDataset(x, y), batch_size=4)):
            data = tutti.Dataset(source, names=["x", "y"])
            np.testing.assert_array_equal(data.arrays["x"], x.numpy())
            np.testing.assert_array_equal(data.arrays["y"], y.numpy())
        data = tutti.Dataset(DataLoader([{"a": x[i], "b": i} for i in range(10)], batch_size=3))
        self.assertEqual([data.arrays["a"].shape, data.arrays["b"].shape], [(10, 3), (10,)])
        self.assertEqual(tutti.Dataset(x=x.bfloat16().requires_grad_()).arrays["x"].dtype, np.float32)
        self.refuse("a sample has 2 values, and there are 0 names", TensorDataset(x, y))


class Words(unittest.TestCase):
    def test_keys(self):
        self.assertEqual(recipes.keys_of({"learning_rate": 0.1, "freeze": ["a", "b*"], "nesterov": True, "clip_norm": None}),
                         {"learning-rate": "0.1", "freeze": "a,b*", "nesterov": "true"})
        self.assertEqual(recipes.keys_of("loss=mse schedule='file:my rates.txt' overlap"),
                         {"loss": "mse", "schedule": "file:my rates.txt", "overlap": "true"})
        self.assertEqual(recipes.words({"a": "1", "b": "x y"}), "a=1 b='x y'")
        self.assertEqual(recipes.flags({"steps": 3, "verify": True, "bind": ["a=b", "c=d"], "load": None, "x_y": False}),
                         ["--steps", "3", "--verify", "--bind", "a=b", "--bind", "c=d"])

    def test_the_line_of_progress(self):
        record = {"step": 3, "loss": 0.25, "samples_per_second": 1000.4, "evaluation": {"loss": 0.5}}
        self.assertEqual(progress.line(record, 12), "[######..................] step 3/12  loss 0.25  1000 samples/s  evaluation loss 0.5")
        self.assertEqual(progress.line({"step": 3, "loss": None}, None), "step 3")


    def test_a_line_changes_in_place_in_a_notebook(self):
        self.assertFalse(progress.in_notebook())
        shell = type("ZMQInteractiveShell", (), {})()
        with unittest.mock.patch.dict(sys.modules, {"IPython": types.SimpleNamespace(get_ipython=lambda: shell)}):
            self.assertTrue(progress.in_notebook())
            stream = io.StringIO()
            shower = progress.Progress(stream)
            shower.show("step 1")
            self.assertEqual(stream.getvalue(), "\rstep 1")


class Packages(Folder):
    def test_an_import_takes_numpy_and_no_more(self):
        code = "import sys, tutti; print([name for name in ('torch', 'onnx', 'pandas') if name in sys.modules])"
        run = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(surroundings.SOURCE / "tools/python")}, capture_output=True, text=True, check=True)
        self.assertEqual(run.stdout.strip(), "[]")

    def test_the_version_is_that_of_the_project(self):
        text = (surroundings.SOURCE / "CMakeLists.txt").read_text()
        self.assertEqual(tutti.__version__, re.search(r"project\(tutti VERSION ([\d.]+)", text)[1])

    def run_python(self, folder, *words):
        code = "import tutti; print(tutti.__file__, tutti.__version__)"
        return subprocess.run([sys.executable, *(words or ("-c", code))], env={**os.environ, "PYTHONPATH": folder}, capture_output=True, text=True,
                              cwd=self.folder, check=False)

    def test_a_wheel_has_the_package(self):
        """What pip asks for, without pip: a wheel, and one of the source archive, which has no CMakeLists.txt."""
        sys.path.insert(0, str(surroundings.SOURCE / "tools" / "python"))
        import build_package
        wheel = self.path(build_package.build_wheel(self.folder))
        done = self.run_python(wheel)
        self.assertEqual(done.stdout.split(), [f"{wheel}/tutti/__init__.py", tutti.__version__], done.stderr)
        with zipfile.ZipFile(wheel) as archive:
            record = archive.read(f"tutti-{tutti.__version__}.dist-info/RECORD").decode()
            self.assertEqual({line.split(",")[0] for line in record.splitlines()}, set(archive.namelist()))
            sources = {path.name for path in (surroundings.SOURCE / "tools/python/tutti").glob("*.py")}
            self.assertEqual({name[6:] for name in archive.namelist() if name.startswith("tutti/")}, sources)
        with tarfile.open(self.path(build_package.build_sdist(self.folder))) as archive:
            archive.extractall(self.folder)
        source = self.path(f"tutti-{tutti.__version__}")
        done = self.run_python(source, "-c", f"import build_package as b; print(b.build_wheel({source!r}))")
        self.assertEqual(done.stdout.strip(), os.path.basename(wheel), done.stderr)
        with open(wheel, "rb") as first, open(os.path.join(source, os.path.basename(wheel)), "rb") as second:
            self.assertEqual(first.read(), second.read())

    @unittest.skipUnless(importlib.util.find_spec("pip"), "pip is not installed for this Python")
    def test_pip_installs_it_without_a_network(self):
        done = self.run_python("", "-m", "pip", "install", "--no-index", "--no-deps", "--disable-pip-version-check", "--root-user-action=ignore",
                               "--target", self.path("there"), str(surroundings.SOURCE / "tools" / "python"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.run_python(self.path("there")).stdout.split(), [self.path("there/tutti/__init__.py"), tutti.__version__])

    def test_no_such_name(self):
        self.assertRaises(AttributeError, getattr, tutti, "exports")

    def test_weights_beside_a_model_that_is_too_large(self):
        model = onnx_model.read(MODEL)
        expected = onnx_model.arrays(model)
        for _ in range(2):  # the second takes the place of the first
            onnx_model.write(onnx_model.read(MODEL), self.path("m.onnx"), largest=1000)
            self.assertEqual(sorted(os.listdir(self.folder)), ["m.onnx", "m.onnx.data"])
            self.assertLess(os.path.getsize(self.path("m.onnx")), 4000)
            for name, array in onnx_model.arrays(onnx_model.read(self.path("m.onnx"))).items():
                np.testing.assert_array_equal(array, expected[name])
        onnx_model.write(model, self.path("m.onnx"))
        self.assertGreater(os.path.getsize(self.path("m.onnx")), 60000)

    def test_models_that_are_none(self):
        with open(self.path("x.onnx"), "wb") as file:
            file.write(b"\xff\xff\xff")
        self.assertRaisesRegex(tutti.FileError, "no ONNX model", onnx_model.read, self.path("x.onnx"))
        open(self.path("x.onnx"), "w").close()
        self.assertRaisesRegex(tutti.FileError, "no ONNX model: its graph is empty", onnx_model.read, self.path("x.onnx"))


if __name__ == "__main__":
    unittest.main()
