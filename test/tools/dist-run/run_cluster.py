"""Starts the processes of a cluster on the loopback device, each told by TF_CONFIG or by flags what it is.

    run_cluster.py ps=2,worker=2[,chief=1] [--within SECONDS] [--flags] [--own ROLE:INDEX "ARGUMENTS"]... [--end ROLE:INDEX] -- dist-run ARGUMENTS...

Waits for all of them, at most two minutes or --within SECONDS, and prints how each ended and what it wrote. --own gives one process further arguments, in the place of
those of the same --key=; --end kills one as soon as the training has begun.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import os
import pathlib
import shlex
import socket
import subprocess
import sys
import tempfile
import time


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def flags_of(cluster, role, index):
    names = {"ps": "--ps-hosts", "worker": "--worker-hosts", "chief": "--chief-host", "evaluator": "--evaluator-host"}
    hosts = [f"{names[of]}={','.join(hosts)}" for of, hosts in cluster.items()]
    return [f"--role={role}", f"--task-index={index}"] + hosts


def start(arguments, cluster, role, index, folder):
    environment = dict(os.environ)
    command = list(arguments.command)
    for whose, more in arguments.own:
        if whose == f"{role}:{index}":
            own = shlex.split(more)
            keys = tuple(f"{one.split('=')[0]}=" for one in own if "=" in one)
            command = [one for one in command if not keys or not one.startswith(keys)] + own
    if arguments.flags:
        command += flags_of(cluster, role, index)
    else:
        environment["TF_CONFIG"] = json.dumps({"cluster": cluster, "task": {"type": role, "index": index}})
    output = pathlib.Path(folder) / f"{role}-{index}"
    with output.open("ab") as file:
        return subprocess.Popen(command, env=environment, stdout=file, stderr=subprocess.STDOUT), output


def read(output):
    return output.read_text(encoding="utf-8", errors="replace")


def wait_for_training(outputs, limit):
    """Until some process has told of a step, or all is lost."""
    while time.monotonic() < limit and not any("epoch" in read(output) for output in outputs):
        time.sleep(0.1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("roles")
    parser.add_argument("--flags", action="store_true")
    parser.add_argument("--end", help="ROLE:INDEX")
    parser.add_argument("--within", type=float, default=120, metavar="SECONDS")
    parser.add_argument("--own", nargs=2, action="append", default=[])
    split = sys.argv.index("--")
    arguments = parser.parse_args(sys.argv[1:split])
    arguments.command = sys.argv[split + 1:]
    counts = {role: int(count) for role, count in (one.split("=") for one in arguments.roles.split(","))}
    ports = iter(free_ports(sum(counts.values())))
    cluster = {role: [f"127.0.0.1:{next(ports)}" for _ in range(count)] for role, count in counts.items()}
    tasks = [(role, index) for role, count in counts.items() for index in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        follow(arguments, {task: start(arguments, cluster, *task, folder) for task in tasks})


def follow(arguments, processes):
    limit = time.monotonic() + arguments.within
    if arguments.end:
        role, index = arguments.end.split(":")
        wait_for_training([output for _, output in processes.values()], limit)
        time.sleep(2)  # for the others, which tell nothing
        processes[role, int(index)][0].kill()
    for (role, index), (process, output) in processes.items():
        try:
            process.wait(timeout=max(1, limit - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            print(f"{role} {index} did not end")
        print(f"{role} {index} ended with {process.returncode}")
        for line in read(output).splitlines():
            print(f"{role} {index}: {line}")


if __name__ == "__main__":
    main()
