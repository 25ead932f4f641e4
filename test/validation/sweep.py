"""Distributes the models in every way that docs/options.md lists, and expects that dist-opt --verify finds the numbers of one device.

    sweep.py --tools BIN [--every K] [--jobs N] [--ranks 2,3,4]

The cases are those of test/zoo/sweep.py: each key of --distribute alone and each two of them, for each model and several
recipes. With --every K only each K-th case is run. What deviates from one device by design is left out, and named here.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/zoo"))
import sweep as zoo  # noqa: E402

# Keys that ask for other numbers than those of one device (docs/options.md).
BY_DESIGN = ["reduction=sum", "scale-learning-rate=", "sync-batch-norm=false", "serve-lazy="]
REFUSALS = zoo.REFUSALS + ["cannot share equally", "ranks of unequal parts that train on their own", "micro-batches",
                           "is asynchronous: what it holds depends on which rank is faster"]


def is_left_out(case):
    deviates = any(key.startswith(prefix) for key in case.keys for prefix in BY_DESIGN)
    # The other keys of servers, and of the outer optimizer, have no meaning without them.
    alone = any(key.startswith("serve-") for key in case.keys) and not any(key.startswith("serve=") for key in case.keys)
    alone |= any(key.startswith("outer-") for key in case.keys) and not any(key.startswith("diloco=") for key in case.keys)
    # Micro-batches have batch statistics of their own, as do ranks that train on their own.
    own = any(key.startswith(("accumulate", "local-sgd", "diloco")) for key in case.keys)
    return deviates or alone or (own and "cnn" in case.model)


def run(dist_opt, case, ranks):
    """What dist-opt says against the case; None if it has verified it."""
    command = [dist_opt, zoo.MODELS / f"{case.model}.onnx", f"--train={case.recipe} global-batch=64",
               "--distribute=" + " ".join(case.keys), "--verify" + (f"=ranks={ranks}" if ranks else ""), "-o", os.devnull]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0 and "verified on" in done.stderr:
        return None
    complaints = [line for line in done.stderr.splitlines() if "error:" in line]
    return re.sub(r"^\S*: ", "", complaints[0]) if complaints else f"ended with {done.returncode}: {done.stderr[-300:]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--ranks", default="", help="default: 2, 3 and 4, as far as the keys allow them")
    arguments = parser.parse_args()
    cases = [case for case in zoo.all_cases() if not is_left_out(case)][::arguments.every]
    said = collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        outcomes = pool.map(lambda case: run(arguments.tools / "dist-opt", case, arguments.ranks), cases)
        for case, complaint in zip(cases, outcomes):
            known = complaint and any(re.search(refusal, complaint) for refusal in REFUSALS)
            said["" if complaint is None else "known" if known else complaint].append(case)
    verified, refused = len(said.pop("", [])), len(said.pop("known", []))
    print(f"{len(cases)} cases: {verified} verified, {refused} that contradict themselves")
    for complaint, alarmed in said.items():
        print(f"{len(alarmed)} times: {complaint}")
        for case in alarmed[:3]:
            print(f"  {case.model} --train=\"{case.recipe}\" --distribute=\"{' '.join(case.keys)}\"")
    if said:
        sys.exit("programs that are right are refused")
    if verified < refused:
        sys.exit("where nearly all is refused, nothing is tested")


if __name__ == "__main__":
    main()
