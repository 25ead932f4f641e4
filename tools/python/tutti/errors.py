"""What goes wrong in this package: one kind of exception for each of its calls, all of them `tutti.Error`."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception


class Error(Exception):
    """The text says what was wrong, where, what was expected, and what to do."""


class ExportError(Error):
    """A module that cannot be exported so that it trains as it does in PyTorch."""


class FileError(Error, ValueError):
    """A file that is not what its reader expects."""


class LoadError(Error):
    """Trained values that do not fit a module."""


class DatasetError(Error, ValueError):
    """Arrays that do not fit each other, or the inputs of a model."""


class ToolError(Error):
    """A program of Tutti that is not there."""


class RunError(Error):
    """A run of `dist-run` that failed.

    `str(error)` is what dist-run said; `status` its exit status (docs/running.md), `command` its words, `log` all that it wrote to
    standard error."""

    def __init__(self, text, status, command, log):
        super().__init__(text)
        self.status, self.command, self.log = status, command, log


class Stopped(KeyboardInterrupt):
    """Ctrl-C ended a run between two steps; `result` is what was trained until then, as of a run that ended by itself."""

    def __init__(self, result):
        super().__init__("stopped by Ctrl-C; what was trained is saved")
        self.result = result
