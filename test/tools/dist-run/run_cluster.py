"""Starts the processes of a cluster on the loopback device, each told by TF_CONFIG or by flags what it is.

    run_cluster.py ps=2,worker=2[,chief=1] [--flags] [--only-save ROLE] [--end ROLE:INDEX:SECONDS] [--token ROLE:INDEX:FILE]
                   -- dist-run ARGUMENTS...

Waits for all of them, at most two minutes, and prints how each ended and what it wrote to standard error. --end kills one after so
many seconds; with --own ROLE:INDEX "ARGUMENTS" one gets further arguments.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import os
import shlex
import socket
import subprocess
import sys
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


def start(arguments, cluster, role, index):
    environment = dict(os.environ)
    command = list(arguments.command)
    for whose, more in arguments.own:
        if whose == f"{role}:{index}":
            command += shlex.split(more)
    if arguments.flags:
        command += flags_of(cluster, role, index)
    else:
        environment["TF_CONFIG"] = json.dumps({"cluster": cluster, "task": {"type": role, "index": index}})
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("roles")
    parser.add_argument("--flags", action="store_true")
    parser.add_argument("--end", help="ROLE:INDEX:SECONDS")
    parser.add_argument("--own", nargs=2, action="append", default=[])
    split = sys.argv.index("--")
    arguments = parser.parse_args(sys.argv[1:split])
    arguments.command = sys.argv[split + 1:]
    counts = {role: int(count) for role, count in (one.split("=") for one in arguments.roles.split(","))}
    ports = iter(free_ports(sum(counts.values())))
    cluster = {role: [f"127.0.0.1:{next(ports)}" for _ in range(count)] for role, count in counts.items()}
    tasks = [(role, index) for role, count in counts.items() for index in range(count)]
    processes = {task: start(arguments, cluster, *task) for task in tasks}
    if arguments.end:
        role, index, seconds = arguments.end.split(":")
        time.sleep(float(seconds))
        processes[role, int(index)].kill()
    limit = time.monotonic() + 120
    for (role, index), process in processes.items():
        try:
            out, err = process.communicate(timeout=max(1, limit - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            print(f"{role} {index} did not end")
        print(f"{role} {index} ended with {process.returncode}")
        for line in (out + err).splitlines():
            print(f"{role} {index}: {line}")


if __name__ == "__main__":
    main()
