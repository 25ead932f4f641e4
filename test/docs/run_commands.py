"""run_commands.py PAGE OLD=NEW...: runs each ```sh block of a page with every OLD replaced, in a folder `folder`'s parent. Each
must train: its output has one line `trained ...`. Prints how many ran.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import pathlib
import re
import subprocess
import sys


def replaced(command, replacements):
    for old, new in replacements:
        command = command.replace(old, new)
    return command


def main():
    page, *pairs = sys.argv[1:]
    replacements = [pair.split("=", 1) for pair in pairs]
    commands = re.findall(r"```sh\n(.*?)```", pathlib.Path(page).read_text(), re.DOTALL)
    os.makedirs("folder", exist_ok=True)
    for command in commands:
        run = subprocess.run(["bash", "-ec", replaced(command, replacements)], capture_output=True, text=True)
        if run.returncode != 0 or len(re.findall(r"^trained \w+ for 3 steps", run.stdout, re.MULTILINE)) != 1:
            sys.exit(f"{page}: this did not train:\n{command}\n{run.stdout}\n{run.stderr}")
    print(f"{len(commands)} commands")


if __name__ == "__main__":
    main()
