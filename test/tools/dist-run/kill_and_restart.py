"""kill_and_restart.py FOLDER SEED KILLS dist-run ARGUMENTS...: trains once without disturbance, and then in run directories with --max-restarts
while ranks are killed: KILLS times in all, and more until some run went on from a checkpoint, a random rank, or server of tables, at a random moment, from before it joins to its last checkpoint. With --stall-limit
among the arguments ranks are also made to fault, and the first is stopped after the first step, so that the others wait for it in vain. Each run must end with status 0, with the bits and the metrics of
the undisturbed one, and tell every restart on one line.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import itertools
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

LINE = re.compile(r"dist-run: .*(?:rank|server) (\d+).*; restart (\d+) of (\d+), from (the beginning|the checkpoint of step \d+), in \d+ s$")
LIMIT = 120
MOST_KILLS = 40
MOST_RUNS = 40


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
            return sorted(int(child) for child in file.read().split())
    except OSError:
        return []


def contents(path):
    with open(path, "rb") as file:
        return file.read()


def metrics(path):
    """What each step gave, but for the time that it took. What servers did counts from their last start."""
    with open(path, encoding="utf-8") as file:
        told = [json.loads(line) for line in file]
    return [{key: value for key, value in line.items() if key != "samples_per_second"} for line in told if "servers" not in line]


def difference_of(wanted, found):
    """The first line that differs, in words; empty if none does."""
    for index, (one, other) in enumerate(itertools.zip_longest(wanted, found)):
        if one != other:
            return f"line {index + 1} of {len(found)} is {other}, not {one}"
    return ""


def progress(lines):
    """How many steps the file of metrics has."""
    try:
        return contents(lines).count(b"\n")
    except OSError:
        return 0


def kill_one(process, pause, step, lines, signals, chance):
    """The child that was killed after `pause` seconds and not before the file `lines` had so many steps; None if the run was over by then."""
    end = time.monotonic() + pause
    while time.monotonic() < end or progress(lines) < step or not children(process.pid):
        if process.poll() is not None:
            return None
        time.sleep(0.001)
    victims = children(process.pid)
    if not victims:
        return None
    rank = chance.randrange(len(victims))
    try:
        os.kill(victims[rank], chance.choice(signals))
    except ProcessLookupError:
        return None
    return rank


def stop_one(process, lines, chance):
    """The child that was stopped once the file of metrics has its first line."""
    while not os.path.exists(lines) or os.path.getsize(lines) == 0:
        if process.poll() is not None:
            sys.exit("it ended before its first step")
        time.sleep(0.001)
    victims = children(process.pid)
    rank = chance.randrange(len(victims))
    os.kill(victims[rank], signal.SIGSTOP)
    return rank


def disturbed(command, folder, seconds, kills, chance):
    """Runs it once, with up to so many kills. Returns how many there were, and what was said."""
    log = os.path.join(folder, "log.txt")
    with open(log, "w", encoding="utf-8") as output:
        process = subprocess.Popen([*command, "--max-restarts", "20"], stdout=subprocess.DEVNULL, stderr=output)
    killed, signals = 0, [signal.SIGKILL]
    if "--stall-limit" in command:
        signals.append(signal.SIGSEGV)
        stop_one(process, command[command.index("--metrics") + 1], chance)
        killed = 1
    lines, steps = command[command.index("--metrics") + 1], int(command[command.index("--steps") + 1])
    for _ in range(kills - killed):
        # By the clock, which also finds ranks before they join, or by the steps, which slow machines do not hurry.
        pause, step = (chance.uniform(0, seconds), 0) if chance.random() < 0.5 else (0, chance.randrange(1, steps))
        killed += kill_one(process, pause, step, lines, signals, chance) is not None
    try:
        status = process.wait(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        sys.exit(f"it still runs after {LIMIT} s")
    with open(log, encoding="utf-8") as file:
        said = file.read().splitlines()
    if status != 0:
        sys.exit("\n".join([f"status {status} after {killed} kills", *said]))
    return killed, said


def is_early(places):
    return all(place == "the beginning" for place in places)


def numbers_of(places):
    """Restarts are counted anew after each that began farther than all before it."""
    numbers, farthest = [], 0
    for place in places:
        step = int(place.split()[-1]) if place != "the beginning" else 0
        numbers.append(1 if step > farthest or not numbers else numbers[-1] + 1)
        farthest = max(farthest, step)
    return numbers


def main():
    folder, seed, kills, *command = sys.argv[1:]
    chance, left = random.Random(int(seed)), int(kills)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    whole, parts, run = (os.path.join(folder, name) for name in ("whole.safetensors", "parts.safetensors", "run"))
    lines_of_whole, lines_of_parts = os.path.join(folder, "whole.jsonl"), os.path.join(folder, "parts.jsonl")
    begin = time.monotonic()
    subprocess.run([*command, "--save", whole, "--metrics", lines_of_whole, "--model-dir", run], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seconds = time.monotonic() - begin
    places, done, runs = [], 0, 0
    while left > 0 or (is_early(places) and done < MOST_KILLS):
        if runs == MOST_RUNS:
            sys.exit(f"{done} kills in {runs} runs: most were over before a rank was to be killed")
        shutil.rmtree(run)
        killed, said = disturbed([*command, "--save", parts, "--metrics", lines_of_parts, "--model-dir", run], folder, 0.7 * seconds, 3 if left <= 0 else min(left, 3), chance)
        lines = [line for line in said if "; restart " in line]
        told = [LINE.match(line) for line in lines]
        if len(lines) > killed or not all(told) or [int(match[2]) for match in told] != numbers_of([match[4] for match in told]):
            sys.exit("\n".join([f"{killed} kills, but it says:", *said]))
        if contents(whole) != contents(parts):
            sys.exit("\n".join(["other variables after:", *said]))
        if difference := difference_of(metrics(lines_of_whole), metrics(lines_of_parts)):
            sys.exit("\n".join([f"other metrics, {difference}, after:", *said]))
        os.remove(parts)
        os.remove(lines_of_parts)
        left, done, runs = left - killed, done + killed, runs + 1
        places += [match[4] for match in told]
    print(f"{done} kills, {len(places)} restarts, {sum(place != 'the beginning' for place in places)} of them from a checkpoint")


if __name__ == "__main__":
    main()
