"""Asks dist-opt to choose within one byte, and then within the memory that it names as the least.

    least.py DIST_OPT MODEL CLUSTER RANKS RECIPE KEYS

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import re
import subprocess
import sys


def main():
    tool, model, cluster, ranks, recipe, keys = sys.argv[1:]

    def choose(memory):
        return subprocess.run([tool, model, f"--train={recipe}", "-o", "/dev/null",
                               f"--distribute=auto cluster={cluster} auto-ranks={ranks} {keys} auto-memory={memory}"],
                              capture_output=True, text=True, check=False)

    refused = choose(1)
    least = re.search(r"the least is ([0-9]+) bytes, of .*?(with operations that run again)?;", refused.stderr)
    assert refused.returncode and least, refused.stderr
    enough, less = choose(least[1]), choose(int(least[1]) * 9 // 10)
    assert enough.returncode == 0, enough.stderr
    print(least[2] or "as it is", "; a rank can have it in as much", ", and not in a tenth less" if less.returncode else "", sep="")


if __name__ == "__main__":
    main()
