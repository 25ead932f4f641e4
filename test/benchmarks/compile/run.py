"""Times how long dist-run compiles a model family, from nothing and again from the cache, and what a step of it takes; or,
with --dist-opt, how long import and distribution take, and the memory that they need.

    run.py --dist-run FILE [--dist-run OTHER ...] [--optimize LEVEL ...] [--families resnet] [--size full] [--batch 4] [--rounds 3] [--steps 5]
    run.py --dist-opt FILE [--dist-opt OTHER ...] [--families resnet bert] [--size full] [--weights inside] [--rounds 5]

Several dist-run (of two builds, say) take turns in one run, each at every level of optimization, so that drift of the machine
meets all. `compiled` is the time that dist-run tells, from the file to the loaded program; `processor` is what the whole run took
of the processors, which other load on the machine changes less. A figure is the median over rounds; a step's is the median over steps, then over rounds.
`import and distribute` is the processors' time of `dist-opt MODEL --train=... --distribute -o /dev/null`, which writes no weights.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile

FAMILIES = pathlib.Path(__file__).resolve().parents[2] / "models" / "families"


class Model:
    def __init__(self, family, arguments, folder):
        self.name, self.batch = f"{family} {arguments.size}", arguments.batch
        self.file, self.data = folder / f"{family}.onnx", folder / f"{family}.npz"
        subprocess.run([sys.executable, FAMILIES / "make_families.py", family, arguments.size, self.file, "--data", self.data,
                        "--samples", str(2 * arguments.batch), "--weights", arguments.weights], check=True)

    def distribute(self, dist_opt):
        """Seconds of the processors, MiB of memory at its peak."""
        recipe = f"loss=output optimizer=adam learning-rate=0.001 global-batch={self.batch}"
        child = os.posix_spawn(dist_opt, [dist_opt, self.file, f"--train={recipe}", "--distribute", "-o", "/dev/null"], os.environ)
        _, status, usage = os.wait4(child, 0)
        if status != 0:
            sys.exit(f"{dist_opt} fails")
        return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024

    def run(self, dist_run, level, cache, steps):
        """Seconds of compiling, seconds of the processors, seconds of a step."""
        metrics = cache / "metrics.jsonl"
        recipe = f"loss=output optimizer=momentum learning-rate=0.001 global-batch={self.batch}"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        output = subprocess.run([dist_run, self.file, "--dataset", self.data, f"--train={recipe}", "--steps", str(steps),
                                 "--metrics", metrics], check=True, capture_output=True, text=True,
                                env=dict(os.environ, TUTTI_CACHE_DIR=str(cache), **({"TUTTI_OPTIMIZE": level} if level else {})))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        compiled = re.search(r"compiled in ([0-9.]+) s", output.stdout + output.stderr)
        if not compiled:
            sys.exit(f"{dist_run} does not say how long it compiled:\n{output.stdout}{output.stderr}")
        lines = [json.loads(line) for line in metrics.read_text().splitlines()]
        step = statistics.median(self.batch / line["samples_per_second"] for line in lines[1:] or lines)
        return float(compiled[1]), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, step


def measure(model, arguments):
    """For each program and level: the figures of cold runs and of cached ones."""
    samples = {(program, level): ([], []) for program in arguments.dist_run for level in arguments.optimize or [None]}
    for _ in range(arguments.rounds):
        for (program, level), (cold, cached) in samples.items():
            with tempfile.TemporaryDirectory() as cache:
                cold.append(model.run(program, level, pathlib.Path(cache), 1))
                cached.append(model.run(program, level, pathlib.Path(cache), arguments.steps))
    return {variant: [[statistics.median(column) for column in zip(*runs)] for runs in both]
            for variant, both in samples.items()}


def measure_import(model, arguments):
    """For each program: the median of seconds, and of MiB."""
    samples = {program: [] for program in arguments.dist_opt}
    for _ in range(arguments.rounds):
        for program, runs in samples.items():
            runs.append(model.distribute(program))
    for program, runs in samples.items():
        seconds, peak = (statistics.median(column) for column in zip(*runs))
        print(f"| {model.name} | {arguments.weights} | {program} | {seconds:.2f} | {peak:.0f} |", flush=True)


def report(model, figures):
    for (program, level), (cold, cached) in figures.items():
        print(f"| {model.name} | {program}{f', -O{level}' * bool(level)} | {cold[0]:.1f} | {cold[1]:.1f} | {cached[0]:.1f} | {cached[2] * 1000:.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist-run", action="append", default=[])
    parser.add_argument("--optimize", action="append", choices=list("0123"), help="levels of TUTTI_OPTIMIZE (default: the one of dist-run)")
    parser.add_argument("--dist-opt", action="append", default=[])
    parser.add_argument("--weights", choices=["inside", "beside"], default="inside")
    parser.add_argument("--families", nargs="+", default=["resnet"])
    parser.add_argument("--size", default="full")
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=5)
    arguments = parser.parse_args()
    if bool(arguments.dist_run) == bool(arguments.dist_opt):
        parser.error("give --dist-run or --dist-opt")
    if arguments.dist_opt:
        print("| model | weights | program | import and distribute, s of the processors | peak memory, MiB |\n| --- | --- | --- | --- | --- |")
    else:
        print("| model | program | compiled, s | processor with one step, s | compiled from the cache, s | step, ms |\n"
              "| --- | --- | --- | --- | --- | --- |")
    for family in arguments.families:
        with tempfile.TemporaryDirectory() as folder:
            model = Model(family, arguments, pathlib.Path(folder))
            if arguments.dist_opt:
                measure_import(model, arguments)
            else:
                report(model, measure(model, arguments))


if __name__ == "__main__":
    main()
