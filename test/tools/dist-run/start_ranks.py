"""start_ranks.py N COMMAND...: runs COMMAND N times at once, with RANK and WORLD_SIZE set as torchrun does. Prints what
rank 0 printed; ends with 1 if any of them failed.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import subprocess
import sys


def main():
    count, command = int(sys.argv[1]), sys.argv[2:]
    ranks = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "RANK": str(rank), "WORLD_SIZE": str(count)})
             for rank in range(count)]
    outputs = [rank.communicate()[0] for rank in ranks]
    print(outputs[0], end="")
    if any(outputs[1:]):
        sys.exit(f"ranks other than 0 printed: {outputs[1:]}")
    sys.exit(any(rank.returncode != 0 for rank in ranks))


if __name__ == "__main__":
    main()
