"""two_networks.py COMMAND...: makes two network namespaces joined by a cable, runs COMMAND as ranks 0 and 1 in one and 2 and
3 in the other, and takes the networks away again. Ends with 1 if a rank failed, or if the cable carried too little to
have carried the gradients.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import subprocess
import sys

NAMES = [f"tutti-{os.getpid()}-{side}" for side in "ab"]
DEVICES = [f"tutti{os.getpid() % 100000}{side}" for side in "ab"]
LEAST_KIB = 400  # of 5 steps of the model


def ip(*arguments, check=True):
    return subprocess.run(["ip", *arguments], check=check, capture_output=True, text=True).stdout


def make_networks():
    for name in NAMES:
        ip("netns", "add", name)
    ip("link", "add", DEVICES[0], "netns", NAMES[0], "type", "veth", "peer", "name", DEVICES[1], "netns", NAMES[1])
    for side, (name, device) in enumerate(zip(NAMES, DEVICES)):
        ip("-n", name, "address", "add", f"10.77.0.{side + 1}/24", "dev", device)
        ip("-n", name, "link", "set", device, "up")
        ip("-n", name, "link", "set", "lo", "up")


def start(rank, command):
    side = rank // 2
    return subprocess.Popen(["ip", "netns", "exec", NAMES[side], *command, "--interface", DEVICES[side]],
                            env={**os.environ, "RANK": str(rank), "WORLD_SIZE": "4"})


def received_kib():
    file = f"/sys/class/net/{DEVICES[0]}/statistics/rx_bytes"
    return int(subprocess.run(["ip", "netns", "exec", NAMES[0], "cat", file], check=True, capture_output=True).stdout) // 1024


def main():
    ranks = []
    try:
        make_networks()
        ranks = [start(rank, sys.argv[1:]) for rank in range(4)]
        failures = [rank for rank, process in enumerate(ranks) if process.wait(timeout=120) != 0]
        carried = received_kib()
    finally:
        for process in ranks:
            process.kill()
        for name in NAMES:
            ip("netns", "del", name, check=False)
    print(f"the cable carried {carried} KiB")
    sys.exit(bool(failures) or carried < LEAST_KIB)


if __name__ == "__main__":
    main()
