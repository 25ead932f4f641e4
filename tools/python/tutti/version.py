"""The version of this package, which is that of the project: of CMakeLists.txt in the source tree, else of the installed package."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import importlib.metadata
import pathlib
import re


def _read():
    project = pathlib.Path(__file__).resolve().parents[3] / "CMakeLists.txt"
    if project.exists():
        found = re.search(r"project\(tutti VERSION ([\d.]+)", project.read_text(encoding="utf-8"))
        if found:
            return found[1]
    try:
        return importlib.metadata.version("tutti")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


__version__ = _read()
