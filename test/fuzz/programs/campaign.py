"""Cases from seeds, one after another: as many as are asked for, or as fit into some minutes."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import argparse
import os
import sys
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")


def make_parser(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--cases", type=int, default=0, help="how many (default: as many as fit)")
    parser.add_argument("--minutes", type=float, default=0, help="stop after so long")
    parser.add_argument("--seed", type=int, default=1, help="of the first case; the next have the next numbers")
    parser.add_argument("--tools", default=os.path.join(ROOT, "build", "bin"))
    return parser


def run(options, run_case, shown, good, refused):
    """Ends the program: with 1 if a case failed, or more are `refused` than `good`, as nothing is tested then.

    `run_case(seed)` gives an outcome that begins with its kind; kinds in `shown` are printed whole.
    """
    cases = options.cases or (0 if options.minutes else 10)
    until = time.monotonic() + 60 * options.minutes if options.minutes else float("inf")
    counts = {good: 0, refused: 0, "FAILED": 0}
    seed = options.seed
    while (not cases or seed < options.seed + cases) and time.monotonic() < until:
        outcome = run_case(seed)
        kind = outcome.split()[0].rstrip(":")
        counts[kind] = counts.get(kind, 0) + 1
        if kind in shown:
            print(outcome, flush=True)
        seed += 1
    print(f"{sum(counts.values())} cases: " + ", ".join(f"{count} {kind}" for kind, count in counts.items()))
    sys.exit(counts["FAILED"] > 0 or counts[good] < counts[refused])
