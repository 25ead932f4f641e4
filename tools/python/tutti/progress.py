"""One line that tells how far a run is: on a terminal or in a notebook it changes in place, elsewhere nothing is printed but the end."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import shutil
import sys

BAR = 24


def in_notebook():
    """Whether output goes to a notebook, where a carriage return begins the line again."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return type(shell).__name__ == "ZMQInteractiveShell"


def line(record, total):
    """The line for one line of --metrics, of `total` steps (None where nobody knows)."""
    step = record.get("step", 0)
    text = f"step {step}"
    if total:
        full = min(BAR, BAR * step // total)
        text = f"[{'#' * full}{'.' * (BAR - full)}] step {step}/{total}"
    if isinstance(record.get("loss"), (int, float)):
        text += f"  loss {record['loss']:.6g}"
    if record.get("samples_per_second"):
        text += f"  {record['samples_per_second']:.0f} samples/s"
    evaluation = record.get("evaluation")
    if evaluation:
        text += "  evaluation " + " ".join(f"{name} {value:.4g}" for name, value in evaluation.items())
    return text


class Progress:
    """Prints `line`s to `stream`. Not for several threads."""

    def __init__(self, stream=None, is_live=None):
        self.stream = stream or sys.stdout
        self._is_live = is_live if is_live is not None else in_notebook() or getattr(self.stream, "isatty", lambda: False)()
        self._width, self._last = 0, ""

    def show(self, text):
        self._last = text
        if self._is_live:
            room = max(20, shutil.get_terminal_size((120, 24)).columns - 1)
            text = text[:room]
            self.stream.write("\r" + text.ljust(self._width))
            self.stream.flush()
            self._width = len(text)

    def end(self):
        """Leaves the last line standing; where lines do not change in place, prints it."""
        if self._last:
            self.stream.write("\n" if self._is_live else self._last + "\n")
            self.stream.flush()
        self._last, self._width = "", 0
