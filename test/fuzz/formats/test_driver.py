"""An input that ends a fuzzer is kept below TMPDIR, and not where it was started: test_driver.py FUZZ-NPY
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

SEEDS = pathlib.Path(__file__).resolve().parent / "seeds/npy"


def main():
    fuzzer = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as place, tempfile.TemporaryDirectory() as temporary:
        run = subprocess.Popen([fuzzer, "--seconds", "60", "--inputs", "1000000000", SEEDS], cwd=place, text=True,
                               env={**os.environ, "TMPDIR": temporary}, stderr=subprocess.PIPE)
        time.sleep(1)
        run.send_signal(signal.SIGABRT)
        said = run.communicate(timeout=30)[1]
        kept = os.listdir(temporary)
        if kept != ["crash-fuzz-npy"] or os.listdir(place) or run.returncode != -signal.SIGABRT:
            sys.exit(f"kept {kept} and {os.listdir(place)}, status {run.returncode}: {said}")
        if os.path.join(temporary, kept[0]) not in said:
            sys.exit(f"it does not say where the input is: {said}")


if __name__ == "__main__":
    main()
