"""stop_and_resume.py FOLDER SEED STOPS dist-run ARGUMENTS...: trains once without disturbance, and once more in a run directory in
pieces: each is stopped at a random moment, by SIGTERM, by SIGTERM twice, or by SIGKILL of all its processes. Each goes on from what the
one before has left, however it ended, and the last ends with the bits of the undisturbed run.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

LIMIT = 120
PROGRESS = re.compile(r"going on after step ([\d,]+)")


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def stop(process, how):
    """Returns the statuses that the process may end with."""
    if how == "killed":
        os.kill(process.pid, signal.SIGKILL)
        return [-signal.SIGKILL]
    process.send_signal(signal.SIGTERM)
    if how == "terminated twice":
        time.sleep(0.25) # sooner it counts as one
        process.send_signal(signal.SIGTERM)
    return [128 + signal.SIGTERM, -signal.SIGTERM]


def piece(command, pause, how):
    """One launch, stopped after `pause` seconds unless `how` is None. Returns the step after which it began; 0: it said none, or was stopped before it could."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    time.sleep(pause)
    allowed = [0] + (stop(process, how) if how and process.poll() is None else [])
    try:
        said, _ = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        sys.exit(f"it still runs after {LIMIT} s")
    if process.returncode not in allowed:
        sys.exit(f"{how}: status {process.returncode}\n{said}")
    place = PROGRESS.search(said)
    return int(place[1].replace(",", "")) if place else 0


def main():
    folder, seed, stops, *command = sys.argv[1:]
    chance = random.Random(int(seed))
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    whole, parts, run = (os.path.join(folder, name) for name in ("whole.safetensors", "parts.safetensors", "run"))
    begin = time.monotonic()
    subprocess.run([*command, "--save", whole, "--model-dir", run], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seconds = time.monotonic() - begin
    shutil.rmtree(run)
    command += ["--save", parts, "--model-dir", run]
    places = []
    for number in range(int(stops)):
        how = ("terminated", "terminated twice", "killed")[number % 3]
        places.append(piece(command, chance.uniform(0.2, 0.5) * seconds, how))
    places.append(piece(command, 0, None))
    told = [place for place in places if place > 0]
    if told != sorted(told):
        sys.exit(f"it went back: {places}")
    if contents(whole) != contents(parts):
        sys.exit(f"other variables after pieces from the steps {places}")
    print(f"equal after {len(places)} pieces, the last from {'a checkpoint' if places[-1] else 'the beginning'}")


if __name__ == "__main__":
    main()
