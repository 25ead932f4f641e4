"""start_ranks.py [--srun [--uneven] | --table FILE] N COMMAND...: runs COMMAND N times at once, with RANK and WORLD_SIZE set as torchrun does, or
the variables of a step of Slurm (--uneven: on two nodes, of which the second has one rank), or those of a rank table, which is written to FILE. In
COMMAND and the environment PORT is a port that is free.
Prints what rank 0 printed; ends with 1 if any of them failed.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import os
import socket
import subprocess
import sys


def write_table(path, count):
    devices = [{"device_id": str(rank), "device_ip": f"192.0.2.{rank + 1}", "rank_id": str(rank)} for rank in range(count)]
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"version": "1.0", "server_count": "1", "status": "completed", "server_list": [{"server_id": "127.0.0.1", "device": devices}]}, file)


def variables(arguments, rank, port):
    count = str(arguments.count)
    if arguments.srun:
        nodes = {"SLURM_STEP_TASKS_PER_NODE": f"{arguments.count - 1},1", "SLURM_NODEID": str(rank // (arguments.count - 1))} if arguments.uneven else {}
        return {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0", "SLURM_PROCID": str(rank), "SLURM_STEP_NUM_TASKS": count, **nodes}
    if arguments.table:
        return {"RANK_TABLE_FILE": arguments.table, "RANK_ID": str(rank), "RANK_SIZE": count, "DEVICE_ID": str(rank), "HCCL_IF_BASE_PORT": port}
    return {"RANK": str(rank), "WORLD_SIZE": count}


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--srun", action="store_true")
    parser.add_argument("--uneven", action="store_true")
    parser.add_argument("--table")
    parser.add_argument("count", type=int)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    port = free_port()
    if arguments.table:
        write_table(arguments.table, arguments.count)
    command = [one.replace("PORT", port) for one in arguments.command]
    given = {name: value.replace("PORT", port) if name == "MASTER_PORT" else value for name, value in os.environ.items()}
    ranks = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**given, **variables(arguments, rank, port)})
             for rank in range(arguments.count)]
    outputs = [rank.communicate()[0] for rank in ranks]
    print(outputs[0], end="")
    if any(outputs[1:]):
        sys.exit(f"ranks other than 0 printed: {outputs[1:]}")
    sys.exit(any(rank.returncode != 0 for rank in ranks))


if __name__ == "__main__":
    main()
