"""Where the programs of Tutti are."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import pathlib
import shutil

from .errors import ToolError

FOLDER_VARIABLE = "TUTTI_TOOLS"


def _places():
    here = pathlib.Path(__file__).resolve().parent
    yield here.parents[2] / "build" / "bin"  # of the source tree
    yield here.parents[3] / "bin"  # of PREFIX/lib/python3/dist-packages/tutti


def find(name, path=None):
    """The program `name`: `path`, in the folder of TUTTI_TOOLS, on PATH, or where this package was installed with it.

    ToolError says where it was looked for."""
    if path is None and os.environ.get(FOLDER_VARIABLE):
        path = os.path.join(os.environ[FOLDER_VARIABLE], name)
    if path is not None:
        if shutil.which(os.fspath(path)):
            return os.fspath(path)
        raise ToolError(f"'{os.fspath(path)}' is no program that can be run")
    places = [str(place) for place in _places()]
    found = shutil.which(name) or shutil.which(name, path=os.pathsep.join(places))
    if not found:
        raise ToolError(f"there is no {name} on PATH or in {', '.join(places)}; install the package tutti, or name the folder of its "
                        f"programs in {FOLDER_VARIABLE}")
    return found
