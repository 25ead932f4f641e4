"""Finds the package, the programs and PyTorch for the tests beside it: TUTTI_TOOLS names the folder of dist-run."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pathlib
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(SOURCE / "tools" / "python"))
MODELS, DATA = SOURCE / "test" / "models", SOURCE / "test" / "data"

NO_TORCH = "PyTorch is not installed for this Python (./dev setup --benchmarks installs it)"
try:
    import torch
except ImportError:
    torch = None
