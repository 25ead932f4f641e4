"""stale_rendezvous.py FOLDER dist-run ARGUMENTS...: leaves a rendezvous file that names the port of a stranger, who hangs up, says nothing, or says what he was
told, starts rank 1, and a moment later rank 0. The ranks must meet.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import secrets
import socket
import subprocess
import sys
import threading
import time

FOLDER, *COMMAND = sys.argv[1:]
LIMIT = 120


def hang_up(connection):
    time.sleep(0.1)
    connection.close()


def say_nothing(connection):
    kept.append(connection)


def repeat(connection):
    kept.append(connection)
    connection.sendall(connection.recv(4096))


kept = []


def serve(listening, answer):
    try:
        while True:
            answer(listening.accept()[0])
    except OSError:
        pass  # it was closed


def start(rank, meet):
    environment = dict(os.environ, RANK=str(rank), WORLD_SIZE="2")
    return subprocess.Popen([*COMMAND, "--rendezvous", meet], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def check(answer):
    meet = os.path.join(FOLDER, answer.__name__)
    os.mkdir(meet)
    listening = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve, args=(listening, answer), daemon=True).start()
    with open(os.path.join(meet, "run.rendezvous"), "w", encoding="utf-8") as file:
        file.write(f"tutti rendezvous 1\n{secrets.token_hex(32)}\n127.0.0.1 {listening.getsockname()[1]}\n")
    ranks = [start(1, meet)]
    time.sleep(2)
    ranks.append(start(0, meet))
    said = [rank.communicate(timeout=LIMIT)[0] for rank in ranks]
    listening.close()
    if any(rank.returncode != 0 for rank in ranks):
        sys.exit(f"{answer.__name__}: they did not meet\n{''.join(said)}")


def main():
    for answer in (hang_up, say_nothing, repeat):
        check(answer)
    print("the ranks met each time")


if __name__ == "__main__":
    main()
