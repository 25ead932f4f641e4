"""meet_strangers.py [--taken] TOKEN OTHER COMMAND...: two ranks that meet at one port, rank 0 with the secret TOKEN, rank 1 with OTHER; --taken: somebody
who says nothing has the port. Prints what each wrote; ends with 1 if one failed.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import socket
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--taken", action="store_true")
    parser.add_argument("tokens", nargs=2)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    probe = socket.socket()
    probe.bind(("127.0.0.1", 0))
    port = probe.getsockname()[1]
    probe.listen() if arguments.taken else probe.close()
    ranks = [subprocess.Popen([*arguments.command, "--rendezvous", f"127.0.0.1:{port}", "--token", token], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, "RANK": str(rank), "WORLD_SIZE": "2"})
             for rank, token in enumerate(arguments.tokens)]
    for number, rank in enumerate(ranks):
        for line in rank.communicate(timeout=120)[0].splitlines():
            print(f"rank {number}: {line}")
    sys.exit(any(rank.returncode != 0 for rank in ranks))


if __name__ == "__main__":
    main()
