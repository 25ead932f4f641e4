"""Text tests of one's own that use an installed Tutti: lit --param tutti=PREFIX FOLDER."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os

import lit.formats

config.name = "outside"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = lit_config.params.get("output", "/tmp/tutti-outside-tests")

# dist-opt, then FileCheck, not and split-file of LLVM.
folders = [os.path.join(lit_config.params.get("tutti", "/usr"), "bin"), lit_config.params.get("llvm", "/usr/lib/llvm-22/bin")]
config.environment["PATH"] = os.pathsep.join([*folders, os.environ["PATH"]])
config.environment["FILECHECK_OPTS"] = "-enable-var-scope"
