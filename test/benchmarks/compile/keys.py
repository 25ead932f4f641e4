"""Times --distribute with each key on a large program, beside reading and printing that program alone.

    keys.py --dist-opt FILE [--layers 6400] [--rounds 3] [--keys "KEY=VALUE ..."]... [--most 3]

The programs are those of test/growth: 6400 layers are about 100,000 operations. Times are the processors', of which other load
on the machine changes little; a figure is the least of all rounds. `times` is by how much longer than reading and printing the
program a key takes, which all of it includes: reading, the passes, the proofs, printing. Keys above --most are listed at the end.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "test/growth"))
import growth  # noqa: E402


def seconds(dist_opt, program, *flags):
    """Of the processors; none if the program is refused."""
    silent = os.open(os.devnull, os.O_WRONLY)
    child = os.posix_spawn(dist_opt, [str(dist_opt), str(program), *flags, "-o", "/dev/null"], os.environ,
                           file_actions=[(os.POSIX_SPAWN_DUP2, silent, 1), (os.POSIX_SPAWN_DUP2, silent, 2)])
    os.close(silent)
    _, status, usage = os.wait4(child, 0)
    return usage.ru_utime + usage.ru_stime if status == 0 else None


def least(dist_opt, rounds, program, *flags):
    runs = [seconds(dist_opt, program, *flags)]
    while runs[0] is not None and len(runs) < rounds:
        runs.append(seconds(dist_opt, program, *flags))
    return None if runs[0] is None else min(runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dist-opt", type=pathlib.Path, required=True)
    parser.add_argument("--layers", type=int, default=6400)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--keys", action="append")
    parser.add_argument("--most", type=float, default=3)
    arguments = parser.parse_args()
    cases = arguments.keys or list(dict.fromkeys(growth.completed(key) for key in ["", *growth.singles()]))
    above = []
    with tempfile.TemporaryDirectory() as folder:
        programs = growth.make_programs(arguments.dist_opt.parent, [arguments.layers], pathlib.Path(folder))
        alone = {recipe: least(arguments.dist_opt, arguments.rounds, files[0]) for recipe, files in programs.items()}
        print("| keys | read and print, s | distribute, s | times |\n| --- | --- | --- | --- |")
        for case in cases:
            recipe = growth.recipe_of(case)
            took = least(arguments.dist_opt, arguments.rounds, programs[recipe][0], f"--distribute={case}")
            times = None if took is None else took / alone[recipe]
            figures = "refused | " if took is None else f"{took:.2f} | {times:.1f}"
            print(f"| `{case}` | {alone[recipe]:.2f} | {figures} |", flush=True)
            if times and times > arguments.most:
                above.append(case)
    print(f"{len(above)} of {len(cases)} take more than {arguments.most:g} times:", *(f"`{case}`" for case in above))


if __name__ == "__main__":
    main()
