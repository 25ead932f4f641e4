"""in_a_terminal.py COLUMNS COMMAND...: runs a command with a terminal of so many columns as its standard output; prints what it
wrote, with a changing line in its last form, and how many columns such lines took at most.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios


def main():
    columns, *command = sys.argv[1:]
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(columns), 0, 0))
    process = subprocess.Popen(command, stdout=theirs)
    os.close(theirs)
    output = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the last writer is gone
            break
        if not piece:
            break
        output += piece
    lines = output.decode().replace("\r\n", "\n").split("\n")
    changing = [line for line in lines if "\033[K" in line]
    print("\n".join(line.split("\033[K")[-1] for line in lines))
    widest = max((len(form.rstrip("\r")) for line in changing for form in line.split("\033[K")), default=0)
    print(f"lines of progress: {len(changing)}, the longest {widest} columns")
    sys.exit(process.wait())


if __name__ == "__main__":
    main()
