#!/usr/bin/python3
"""Proves that check_layering.py can fail: every rule is broken once, and kept once."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import subprocess
import tempfile
import unittest

import check_layering

TOP = "// What this file is for.\n// " + check_layering.SPDX + "\n"
TABLE = check_layering.read_table(check_layering.TABLE)


def found(path, text, files=()):
    return [what for _, what in check_layering.breaches(path, text, TABLE, set(files))]


class Rooms(unittest.TestCase):
    def test_a_room_may_hold_thirty_files_and_its_list(self):
        files = [f"lib/program/File{number}.cpp" for number in range(30)] + ["lib/program/CMakeLists.txt"]
        self.assertEqual(check_layering.crowded_rooms(files), [])
        self.assertEqual(check_layering.crowded_rooms(files + ["lib/program/plan/Plan.h"]), [])
        self.assertEqual(check_layering.crowded_rooms(files + ["lib/program/One.h"]),
                         ["lib/program: 31 files; divide it along a noun at 30"])

    def test_tests_may_hold_more(self):
        self.assertEqual(check_layering.crowded_rooms([f"test/passes/{number}.mlir" for number in range(99)]), [])


class Includes(unittest.TestCase):
    def allowed(self, path, target):
        self.assertEqual(found(path, TOP + f'#include "{target}"\n'), [])

    def refused(self, path, target):
        self.assertEqual(len(found(path, TOP + f'#include "{target}"\n')), 1, f"{path} took {target}")

    def test_arrows_go_down(self):
        self.allowed("passes/distribution/ShardDatasets.cpp", "dialects/train/Train.h")
        self.allowed("passes/distribution/ShardDatasets.cpp", "dialects/collective/CollectiveOps.h.inc")
        self.allowed("tools/dist-opt/DistOpt.cpp", "passes/Pipelines.h")
        self.allowed("runtime/engine/core/Groups.cpp", "tutti/status.h")
        self.allowed("lib/frontend/graph/GraphImporter.cpp", "lib/frontend/model/TensorReader.h")
        self.allowed("runtime/host/worker/Session.cpp", "runtime/host/reporting/RunLog.h")

    def test_distribution_knows_no_onnx(self):
        self.refused("passes/distribution/ShardDatasets.cpp", "dialects/onnx/Onnx.h")

    def test_a_dialect_includes_no_other_dialect(self):
        self.refused("dialects/onnx/Onnx.h", "dialects/train/Train.h")
        self.refused("dialects/collective/Collective.td", "dialects/train/TrainOps.td")
        self.allowed("dialects/onnx/Onnx.h", "dialects/interfaces/Interfaces.h")

    def test_the_runtime_knows_no_mlir(self):
        self.refused("runtime/host/program/Manifest.cpp", "mlir/IR/Builders.h")
        self.refused("runtime/host/program/Manifest.cpp", "llvm/ADT/StringRef.h")

    def test_a_backend_knows_no_other_backend(self):
        self.refused("runtime/engine/backends/shm/Shm.cpp", "runtime/engine/backends/self/Self.h")

    def test_only_a_plug_in_knows_its_library(self):
        self.allowed("runtime/engine/backends/mpi/World.h", "mpi.h")
        self.allowed("runtime/engine/backends/gloo/World.h", "gloo/context.h")
        self.allowed("runtime/engine/backends/gloo/World.h", "runtime/engine/backends/plugin/Settings.h")
        self.refused("runtime/engine/backends/gloo/World.h", "mpi.h")
        self.refused("runtime/engine/backends/mpi/World.h", "gloo/context.h")
        self.refused("runtime/engine/backends/mpi/World.h", "runtime/engine/backends/gloo/World.h")
        self.refused("runtime/engine/core/Context.cpp", "mpi.h")

    def test_the_c_api_stands_on_top(self):
        self.allowed("bindings/c/Answers.cpp", "tutti-c/Tutti.h")
        self.allowed("bindings/c/Answers.cpp", "passes/planning/Report.h")
        self.allowed("test/bindings/c/drive.c", "tutti-c/Options.h")
        self.refused("include/tutti-c/Tutti.h", "passes/Pipelines.h")
        self.refused("test/bindings/c/drive.c", "passes/Pipelines.h")
        self.refused("passes/Pipelines.cpp", "bindings/c/Listener.h")
        self.refused("passes/Pipelines.cpp", "tutti-c/Tutti.h")

    def test_arrows_do_not_go_up(self):
        self.refused("dialects/train/Train.cpp", "passes/Pipelines.h")
        self.refused("lib/analysis/Uniformity.cpp", "passes/distribution/Passes.h")
        self.refused("include/tutti/status.h", "runtime/engine/core/Groups.h")
        self.refused("lib/frontend/model/TensorReader.h", "lib/frontend/graph/GraphImporter.h")
        self.refused("lib/frontend/graph/GraphImporter.h", "lib/frontend/training/TrainingInfo.h")
        self.refused("runtime/support/Error.h", "runtime/engine/core/Context.h")
        self.refused("runtime/host/run/RunConfig.h", "runtime/host/worker/Session.h")
        self.refused("runtime/host/reporting/RunLog.h", "runtime/host/worker/Session.h")
        self.refused("runtime/host/worker/Session.cpp", "runtime/host/calibration/Calibration.h")
        self.refused("runtime/host/worker/Session.cpp", "runtime/host/launch/Launch.h")

    def test_only_the_importer_reads_protobuf(self):
        self.allowed("lib/frontend/model/TensorReader.cpp", "onnx/onnx_pb.h")
        self.refused("passes/gradient/Expand.cpp", "onnx/onnx_pb.h")

    def test_angle_brackets_and_tablegen_count(self):
        self.assertEqual(len(found("runtime/engine/core/Groups.cpp", TOP + "#include <mlir/IR/Builders.h>\n")), 1)
        self.assertEqual(len(found("dialects/train/Train.td", TOP + 'include "dialects/onnx/Onnx.td"\n')), 1)

    def test_a_header_beside_the_file_is_resolved(self):
        text = TOP + '#include "../self/Self.h"\n'
        self.assertEqual(len(found("runtime/engine/backends/shm/Shm.cpp", text, {"runtime/engine/backends/self/Self.h"})), 1)

    def test_a_file_without_a_room(self):
        self.assertEqual(len(found("attic/Old.cpp", TOP + "#include <vector>\n")), 1)

    def test_the_language_is_free(self):
        self.assertEqual(found("include/tutti/status.h", TOP + "#include <stdint.h>\n"), [])


class Files(unittest.TestCase):
    def test_length(self):
        self.assertEqual(found("lib/analysis/A.cpp", TOP + "//\n" * 498), [])
        self.assertEqual(len(found("lib/analysis/A.cpp", TOP + "//\n" * 499)), 1)

    def test_names(self):
        for name in ("lib/utils/A.md", "lib/analysis/StringUtils.md", "runtime/common.md", "test/test_helpers.md"):
            self.assertEqual(len(found(name, "")), 1, name)
        for name in ("lib/analysis/Database.md", "runtime/engine/core/Commonwealth.md"):
            self.assertEqual(found(name, ""), [], name)

    def test_purpose(self):
        self.assertEqual(len(found("lib/analysis/A.h", "#ifndef A_H\n// " + check_layering.SPDX)), 1)
        self.assertEqual(len(found("lib/analysis/A.h", "// " + check_layering.SPDX)), 1)

    def test_licence(self):
        self.assertEqual(len(found("lib/analysis/A.h", "// What this file is for.\n")), 1)

    def test_python(self):
        text = '#!/usr/bin/python3\n"""What this is for."""\n# ' + check_layering.SPDX
        self.assertEqual(found("tools/demo/a.py", text), [])
        self.assertEqual(len(found("tools/demo/a.py", "import os\n# " + check_layering.SPDX)), 1)


class Program(unittest.TestCase):
    def test_exit_status(self):
        script = check_layering.__file__
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["git", "init", "-q", folder], check=True)
            self.assertEqual(subprocess.run([script, folder], stdout=subprocess.DEVNULL, check=False).returncode, 1)
            path = os.path.join(folder, "README.md")
            with open(path, "w", encoding="utf-8") as file:
                file.write("text\n")
            self.assertEqual(subprocess.run([script, folder], stdout=subprocess.DEVNULL, check=False).returncode, 0)
            os.rename(path, os.path.join(folder, "misc.md"))
            run = subprocess.run([script, folder], stdout=subprocess.PIPE, text=True, check=False)
            self.assertEqual(run.returncode, 1)
            self.assertIn("misc.md:1:", run.stdout)


if __name__ == "__main__":
    unittest.main()
