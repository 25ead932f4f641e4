"""stale_rendezvous.py FOLDER dist-run ARGUMENTS...: leaves a rendezvous file that names the port of a stranger, who hangs up, says nothing, or says what he was
told, starts rank 1, and a moment later rank 0. The ranks must meet; also where the stranger answers as rank 0 does, for the file is one that others
may have written.
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


def answer_as_rank_0(connection):
    """With the secret that the file and the greeting have, from its last byte to the first, inverted."""
    kept.append(connection)
    secret = connection.recv(4096)[8:40]
    connection.sendall(b"tuttiw1\n" + bytes(~byte & 255 for byte in reversed(secret)))


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


def check(answer, mode=0o600):
    meet = os.path.join(FOLDER, answer.__name__)
    os.mkdir(meet)
    listening = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=serve, args=(listening, answer), daemon=True).start()
    with open(os.path.join(meet, "run.rendezvous"), "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, mode)) as file:
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
    check(answer_as_rank_0, mode=0o644)
    print("the ranks met each time")


if __name__ == "__main__":
    main()
