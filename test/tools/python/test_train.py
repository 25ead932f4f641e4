"""`tutti.train` on a model of this repository: what it returns, shows, refuses, and what Ctrl-C does."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock

import numpy as np

import surroundings
import tutti
from tutti import onnx_model, safetensors, tools
from tutti.progress import Progress

KEYS = dict(loss="softmax-cross-entropy", global_batch=64, progress=False)


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.model = self.path("digits.onnx")
        shutil.copy(surroundings.MODELS / "digits_mlp.onnx", self.model)
        self.train, self.test = (dict(np.load(surroundings.DATA / f"digits_{part}.npz")) for part in ("train", "test"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def test_arrays_and_files_train_alike_on_one_rank_and_two(self):
        losses = []
        for ranks, data in ((1, str(surroundings.DATA / "digits_train.npz")), (2, self.train), (2, tutti.Dataset(self.train))):
            result = tutti.train(self.model, data, ranks=ranks, steps=5, optimizer="adam", learning_rate=0.01, **KEYS)
            losses.append(result.losses)
        self.assertEqual(len(losses[0]), 5)
        np.testing.assert_allclose(losses[1], losses[0], rtol=1e-6)
        self.assertEqual(losses[1], losses[2])

    def test_names_of_other_frameworks_are_taken(self):
        theirs = tutti.train(self.model, self.train, steps=3, loss="softmax-cross-entropy", batch_size=64, lr=0.1, wd=0.01, progress=False)
        ours = tutti.train(self.model, self.train, steps=3, learning_rate=0.1, weight_decay=0.01, **KEYS)
        self.assertEqual(theirs.losses, ours.losses)

    def test_what_a_result_has(self):
        result = tutti.train(self.model, self.train, ranks=2, epochs=2, train={"optimizer": "momentum", "learning_rate": 0.05}, distribute={"overlap": True},
                             evaluate=self.test, save=self.path("s.safetensors"), export=self.path("e.onnx"), metrics=self.path("m.jsonl"),
                             options={"evaluate-every": 10, "threads": 1}, **KEYS)
        with open(self.path("m.jsonl"), encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        self.assertEqual(result.records, lines)
        self.assertEqual(len(result.records), 44)
        self.assertLess(result.losses[-1], result.losses[0])
        self.assertGreater(result.evaluation["accuracy"], 0.5)
        self.assertIn("evaluation", result.records[9])
        self.assertEqual((result.save, result.export), (self.path("s.safetensors"), self.path("e.onnx")))
        self.assertIn("fc1.weight", safetensors.read(result.save)[0])
        self.assertTrue(os.path.exists(result.export))
        self.assertIn("effective batch  64", result.summary)
        self.assertIn("--distribute=overlap=true", result.command)
        self.assertIn("44 steps: loss", repr(result))

    def test_variables_are_kept_where_nothing_is_asked_for(self):
        result = tutti.train(self.model, self.train, steps=1, **KEYS)
        self.assertEqual(result.save, self.path("digits.trained.safetensors"))
        self.assertTrue(os.path.exists(result.save))
        self.assertIsNone(result.metrics)

    def test_errors_are_those_of_dist_run(self):
        for pattern, status, keys in (("recipe: optimizer=dam must be .*did you mean adam", 1, dict(optimizer="dam")),
                                      ("error: there is no option --ten", 2, dict(options={"ten": 3})),
                                      ("global batch of @data is 63, which 2 ranks do not divide(?s:.*)note: drop", 1, dict(global_batch=63, ranks=2)),
                                      ("not finite after step(?s:.*)lower the learning-rate", 1, dict(learning_rate=1e30, steps=20))):
            with self.assertRaisesRegex(tutti.RunError, pattern) as caught:
                tutti.train(self.model, self.train, **{**KEYS, **keys})
            self.assertEqual(caught.exception.status, status)
            self.assertNotIn("variables trained", str(caught.exception))
        with self.assertRaisesRegex(tutti.DatasetError, "evaluate: no array 'label'"):
            tutti.train(self.model, self.train, evaluate={"input": self.test["input"]}, **KEYS)
        with self.assertRaisesRegex(tutti.Error, "there is no model '.*absent.onnx'"):
            tutti.train(self.path("absent.onnx"), self.train, **KEYS)

    def test_names_that_differ(self):
        data = {"pixels": self.train["input"], "label": self.train["label"]}
        self.assertRaisesRegex(tutti.DatasetError, "bind=", tutti.train, self.model, data, **KEYS)
        tutti.train(self.model, data, bind=["input=pixels"], steps=1, **KEYS)

    def test_without_the_package_onnx_and_other_programs(self):
        """dist-run checks what this package then does not."""
        with unittest.mock.patch.object(onnx_model, "is_there", lambda: False), \
                unittest.mock.patch.object(onnx_model, "package", side_effect=tutti.Error("this needs the package onnx")):
            self.assertEqual(len(tutti.train(self.model, self.train, steps=1, **KEYS).losses), 1)
            self.assertRaisesRegex(tutti.RunError, "has no array 'input'", tutti.train, self.model, {"x": self.train["input"], "label": self.train["label"]}, **KEYS)
        program = self.path("digits.mlir")
        subprocess.run([tools.find("dist-opt"), self.model, "--train=loss=softmax-cross-entropy global-batch=64", "-o", program], check=True, capture_output=True)
        self.assertEqual(len(tutti.train(program, self.train, steps=2, progress=False).losses), 2)

    def test_progress(self):
        seen = []
        tutti.train(self.model, self.train, steps=3, **{**KEYS, "progress": seen.append})
        self.assertIn("step 3/3  loss", seen[-1])
        for is_live, expected in ((True, "\ra  \rbb \n"), (False, "bb\n")):
            stream = io.StringIO()
            shower = Progress(stream, is_live)
            for text in ("a", "bb"):
                shower.show(text)
            shower.end()
            self.assertEqual(stream.getvalue().replace("\ra\r", "\ra  \r").replace("bb\n", "bb\n" if not is_live else "bb \n"), expected)

    def test_an_error_of_the_caller_ends_the_run(self):
        begin = time.monotonic()
        with self.assertRaises(ZeroDivisionError):
            tutti.train(self.model, self.train, steps=10**8, **{**KEYS, "progress": lambda text: 1 / 0})
        self.assertLess(time.monotonic() - begin, 60)

    def test_a_program_that_is_not_there(self):
        self.assertRaisesRegex(tutti.ToolError, "no program that can be run", tutti.train, self.model, self.train, dist_run=self.path("none"), **KEYS)
        path, folder = os.environ.get("PATH"), os.environ.pop(tools.FOLDER_VARIABLE, None)
        try:
            os.environ["PATH"] = self.folder
            self.assertRaisesRegex(tutti.ToolError, "there is no dist-nothing on PATH or in .*TUTTI_TOOLS", tools.find, "dist-nothing")
        finally:
            os.environ["PATH"] = path
            if folder is not None:
                os.environ[tools.FOLDER_VARIABLE] = folder

    def start(self):
        """A process that trains for ever and says when a record comes, and what Ctrl-C raises."""
        code = f"""
import sys, tutti
try:
    tutti.train({self.model!r}, {str(surroundings.DATA / 'digits_train.npz')!r}, ranks=2, steps=10**8, loss="softmax-cross-entropy", global_batch=64,
                progress=lambda text: print("step", flush=True))
except tutti.Stopped as stopped:
    print("stopped", len(stopped.result.losses) > 0, stopped.result.save, flush=True)
"""
        environment = {**os.environ, "PYTHONPATH": str(surroundings.SOURCE / "tools" / "python")}
        process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True)
        self.addCleanup(lambda: (process.kill(), process.communicate()))
        self.assertEqual(process.stdout.readline(), "step\n")
        return process

    def test_an_interrupt_saves_what_was_trained(self):
        process = self.start()
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        out, _ = process.communicate(timeout=60)
        self.assertIn(f"stopped True {self.path('digits.trained.safetensors')}", out)
        self.assertIn("fc1.weight", safetensors.read(self.path("digits.trained.safetensors"))[0])

    def test_a_run_ends_with_the_process_that_started_it(self):
        process = self.start()
        process.kill()
        deadline = time.monotonic() + 60
        while not os.path.exists(self.path("digits.trained.safetensors")) and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertTrue(os.path.exists(self.path("digits.trained.safetensors")))


if __name__ == "__main__":
    unittest.main()
