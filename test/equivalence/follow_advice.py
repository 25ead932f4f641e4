"""What a refusal advises, done: each model is refused with a text, and changed as the text says it trains as numpy does, on 1, 2 and 4 ranks.

    follow_advice.py DIST_OPT DIST_RUN FOLDER [NAME...]            ends with 1 unless all are refused so and train so

A text that advises several things has a case each. test/lib/frontend/advice.test holds the texts of the frontend against these cases.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import sys

import numpy as np

import advice
import advice_of_graphs  # noqa: F401
import advice_of_operators  # noqa: F401
import advice_of_recipes  # noqa: F401


def main():
    dist_opt, dist_run, folder, wanted = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4:]
    folder.mkdir(parents=True, exist_ok=True)
    failed = False
    for case in advice.CASES:
        name = case.build.__name__.replace("_", " ")
        if wanted and name not in wanted:
            continue
        np.savez(folder / "data.npz", **case.inputs)
        problem = case.problem_of_refusal(dist_opt, dist_run, folder)
        if problem:
            print(f"{name}: {problem}")
        failed |= bool(problem)
        for ranks, problem in case.problems(dist_run, folder):
            failed |= bool(problem)
            print(f"{name} on {ranks}: {problem or 'equal'}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
