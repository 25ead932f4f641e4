"""unreadable_checkpoints.py FOLDER MODELS DATA: spoils all checkpoints of a run directory in one way after the other. Whatever is started on it then ends
with an error that names a file, the cause and what to do, and leaves every file as it was; with the newest alone spoilt, the run goes on from the one
before with a warning, and keeps what it could not read. Of those that somebody has removed a warning tells.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import glob
import os
import shutil
import subprocess
import sys

FOLDER, MODELS, DATA = sys.argv[1:]
TRAIN = "--train=loss=softmax-cross-entropy optimizer=adagrad learning-rate=0.1 global-batch=64"
SHIM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <stdio.h>
/* A device that no longer gives what is in checkpoints. */
ssize_t read(int file, void *to, size_t bytes) {
  static ssize_t (*next)(int, void *, size_t);
  if (!next) next = (ssize_t (*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  path[length > 0 ? length : 0] = 0;
  if (strstr(path, "/step-") && strstr(path, ".safetensors")) { errno = EIO; return -1; }
  return next(file, to, bytes);
}
"""


def digits(run, steps, *more, **others):
    return launch("digits_mlp.onnx", "digits_train.npz", steps, "-n", "2", "--distribute=shard-optimizer=1", "--model-dir", run, *more, **others)


def served(run, steps, *more, **others):
    return launch("clicks.onnx", "clicks_train.npz", steps, "--distribute=serve=user.weight,item.weight", "--local-cluster", "ps=2,worker=2", "--model-dir", run,
                  *more, **others)


def launch(model, data, steps, *arguments, shim=None):
    """Trains so many steps, or none if that is None."""
    command = ["dist-run", os.path.join(MODELS, model), TRAIN, *arguments]
    if steps:
        command += ["--dataset", os.path.join(DATA, data), "--save-checkpoints-steps", "10", "--steps", str(steps)]
    environment = dict(os.environ, **({"LD_PRELOAD": shim} if shim else {}))
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)


def contents(run):
    found = {}
    for path in glob.glob(os.path.join(run, "**"), recursive=True):
        if os.path.isfile(path):
            with open(path, "rb") as file:
                found[path] = file.read()
    return found


def change(path, how):
    with open(path, "rb") as file:
        data = file.read()
    with open(path, "wb") as file:
        file.write(how(data))


def of_version(data):
    return data.replace(b'"tutti.run":"1"', b'"tutti.run":"2"').replace(b'"tutti.server":"', b'"tutti.server":"9')


def spoil_parts(pattern):
    return lambda paths: [os.remove(path) for path in paths if pattern in path]


SPOILERS = {
    "another version": lambda paths: [change(path, of_version) for path in paths],
    "cut": lambda paths: [change(path, lambda data: data[:-9]) for path in paths],
    "a bit": lambda paths: [change(path, lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:]) for path in paths],
    "empty": lambda paths: [change(path, lambda data: b"") for path in paths],
    "parts of ranks are lost": spoil_parts("rank-1"),
    "parts of servers are lost": spoil_parts("server-0"),
    "folders": lambda paths: [(os.remove(path), os.mkdir(path)) for path in paths],
    "pipes": lambda paths: [(os.remove(path), os.mkfifo(path)) for path in paths],
}


def expect(holds, what, done):
    if not holds:
        sys.exit(f"{what}: status {done.returncode}\n{done.stdout}{done.stderr}")


def expect_refused(what, run, done, before):
    said = done.stderr
    expect(done.returncode == 1, f"{what}: it did not fail", done)
    expect("step-" in said and "can be read" in said or "cannot be read" in said, f"{what}: no file and cause", done)
    expect("another --model-dir" in said, f"{what}: no remedy", done)
    after = contents(run)
    expect(before == after, f"{what}: changed {[path for path in set(before) | set(after) if before.get(path) != after.get(path)]}", done)


def check(name, train, evaluation, whole, shim):
    run = os.path.join(FOLDER, "run")
    paths = lambda: sorted(glob.glob(os.path.join(run, "checkpoints", "step-*")))
    for what, spoil in SPOILERS.items():
        shutil.rmtree(run, ignore_errors=True)
        shutil.copytree(whole, run)
        spoil(paths())
        before = contents(run)
        if before == {path.replace(whole, run): content for path, content in contents(whole).items()}:
            continue  # it has no such files
        expect_refused(f"{name}, {what}", run, train(run, 50), before)
        expect_refused(f"{name}, {what}, evaluation", run, train(run, None, "--evaluate-only", "--evaluate", evaluation), before)
        shutil.rmtree(run)
        shutil.copytree(whole, run)
        spoil([path for path in paths() if "step-40" in path])
        kept = {os.path.basename(path): content for path, content in contents(run).items() if "step-40" in path}
        done = train(run, 50)
        expect(done.returncode == 0 and "warning: the checkpoint of step 40 cannot be read" in done.stderr and "going on after step 30" in done.stdout,
               f"{name}, {what} of the newest", done)
        aside = {os.path.basename(path): content for path, content in contents(os.path.join(run, "set-aside")).items()}
        expect(kept == aside, f"{name}, {what}: what could not be read is not set aside", done)
    for what, pattern, begin in (("the newest", "step-40", "goes on from the checkpoint of step 30"), ("all", "step-", "begins at step 0")):
        shutil.rmtree(run, ignore_errors=True)
        shutil.copytree(whole, run)
        for path in paths():
            if pattern in path:
                os.remove(path)
        done = train(run, 50)
        expect(done.returncode == 0 and "warning: the checkpoint of step 40" in done.stderr and begin in done.stderr, f"{name}, {what} gone", done)
    before = contents(whole)
    expect_refused(f"{name}, EIO", whole, train(whole, 50, shim=shim), before)
    print(f"{name}: nothing was lost")


def main():
    shim = os.path.join(FOLDER, "eio.so")
    with open(shim + ".c", "w", encoding="utf-8") as file:
        file.write(SHIM)
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", shim, shim + ".c", "-ldl"], check=True)
    for name, train, evaluation in (("digits", digits, "digits_test.npz"), ("served", served, "clicks_test.npz")):
        whole = os.path.join(FOLDER, name)
        done = train(whole, 40)
        expect(done.returncode == 0, name, done)
        check(name, train, os.path.join(DATA, evaluation), whole, shim)


if __name__ == "__main__":
    main()
