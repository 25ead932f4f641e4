"""start_ranks.py [--srun] N COMMAND...: runs COMMAND N times at once, with RANK and WORLD_SIZE set as torchrun does, or the
variables of a step of Slurm. Prints what rank 0 printed; ends with 1 if any of them failed.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import subprocess
import sys


def variables(is_srun, rank, count):
    if is_srun:
        return {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0", "SLURM_PROCID": str(rank), "SLURM_STEP_NUM_TASKS": str(count)}
    return {"RANK": str(rank), "WORLD_SIZE": str(count)}


def main():
    is_srun = sys.argv[1] == "--srun"
    count, *command = sys.argv[1 + is_srun:]
    count = int(count)
    ranks = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **variables(is_srun, rank, count)})
             for rank in range(count)]
    outputs = [rank.communicate()[0] for rank in ranks]
    print(outputs[0], end="")
    if any(outputs[1:]):
        sys.exit(f"ranks other than 0 printed: {outputs[1:]}")
    sys.exit(any(rank.returncode != 0 for rank in ranks))


if __name__ == "__main__":
    main()
