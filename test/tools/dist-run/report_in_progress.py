"""report_in_progress.py PAGE FOLDER -- DIST_RUN...: starts a run that does not end, has the report of its folder made, and stops it.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import signal
import subprocess
import sys
import time

page, folder, _, *command = sys.argv[1:]
with subprocess.Popen([*command, "--steps", "100000000", "--model-dir", folder], stdout=subprocess.DEVNULL) as run:
    try:
        begin = time.monotonic()
        while not (pathlib.Path(folder) / "curve.json").exists():
            assert run.poll() is None and time.monotonic() - begin < 60, "no curve"
            time.sleep(0.05)
        subprocess.run([command[0], "--report", page, "--model-dir", folder], check=True, stdout=subprocess.DEVNULL)
        assert run.poll() is None
    finally:
        run.send_signal(signal.SIGTERM)
