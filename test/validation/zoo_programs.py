"""Holds the programs of test/zoo against one device: those whose fault a step shows are refused, and what repairs them is not.

    zoo_programs.py --tools BIN

A file holds the program with the fault first, and repaired ones after it. PROVED says which faults the numbers of a step do not
show, and why: these are refused by the proof of replication, which --verify runs after the comparison. What --verify cannot compare
at all, it refuses for one of the reasons in NOT_COMPARED: that counts for neither.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOT_COMPARED = ["--verify compares training programs", "--verify compares with one device, and the program is made for",
                "the batch cannot vary: inputs have", "has no batch dimension", "has no interpreter", "is one number, "]
INITIAL = "ranks begin with the variables of one device; that they are sent is proved"
TOYS = "the program fixes the batch, so all ranks are given the same samples, of which this is right"
EQUAL = "the mean of equal means is the mean: it costs, and changes nothing"
PROVED = {
    "broadcast-within-a-node": INITIAL, "optimizer-state-not-broadcast": INITIAL, "seeds-that-differ": INITIAL,
    "clipped-before-reduce": TOYS, "uneven-parts": TOYS, "scale-of-each-rank": TOYS, "model-and-gradients-averaged": TOYS,
    "micro-batches-summed": "one rank does the same, and there is no other program to hold it against",
    "reduced-twice": EQUAL, "overlapping-groups": EQUAL, "batch-of-rank-0": TOYS,
}
# What repairs it is held to be a mean over samples, see above.
REPAIRED_DIFFERS = {"batch-of-rank-0-divided"}


def is_proof(said):
    """Whether the error is one of a proof, which names no rank and no step of a comparison."""
    return not re.search(r"error: .*(after step \d|rank \d+ (waits|comes))", said)


def verify(dist_opt, text):
    done = subprocess.run([dist_opt, "-", "--verify", "-o", "/dev/null"], input=text, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--list", action="store_true", help="say what came of each program")
    arguments = parser.parse_args()
    problems, refused, accepted, left_out = [], [], [], []
    for path in sorted((ROOT / "test/zoo").glob("*.mlir")):
        for number, text in enumerate(re.split(r"^// -----.*$", path.read_text(), flags=re.MULTILINE)):
            name = f"{path.stem}, program {number}"
            status, said = verify(arguments.tools / "dist-opt", text)
            if status not in (0, 1) or (status == 1 and "error: " not in said):
                problems.append(f"{name}: status {status}: {said[:500]}")
            elif any(reason in said for reason in NOT_COMPARED):
                left_out.append(name)
            elif number == 0 and status == 0:
                problems.append(f"{name}: accepted: {said[:500]}")
            elif number == 0 and is_proof(said) != (path.stem in PROVED):
                problems.append(f"{name}: {'the numbers show it after all' if path.stem in PROVED else 'refused by the proof alone'}: {said[:500]}")
            elif number > 0 and status != 0 and path.stem not in REPAIRED_DIFFERS:
                problems.append(f"{name}: refused: {said[:500]}")
            else:
                (refused if status else accepted).append(name)
            if arguments.list:
                print(f"{name}: {status} {said.splitlines()[0][:200] if said else ''}")
    print(f"{len(refused)} programs refused, {len(accepted)} accepted, {len(left_out)} not compared")
    print("\n".join(problems))
    if len(refused) < 40 or len(accepted) < 40:
        problems.append("nearly nothing is compared")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
