"""Watches the dynamic linker: check_identities.py LIBRARY PROGRAM ARGUMENT...

MLIR tells traits, interfaces and the like by the addresses of variables, one for each. Every library that refers to such a
variable must be bound to the same copy of it, and LIBRARY must keep none to itself but those of its own unnamed classes."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import collections
import os
import re
import subprocess
import sys


def hidden_variables(library):
    """Those of MLIR that the library resolves within itself."""
    symbols = subprocess.run(["nm", "-C", library], capture_output=True, text=True, check=True).stdout
    local = re.findall(r"^[0-9a-f]+ [bdr] (.*resolveTypeID\(\)::id)$", symbols, re.MULTILINE)
    return [name for name in local if "(anonymous namespace)" not in name and "guard variable" not in name]


def copies(command):
    """{variable: the files that references to it are bound to}, and how many of them are of more than one file."""
    environment = {**os.environ, "LD_DEBUG": "bindings", "LD_BIND_NOW": "1"}
    log = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True, env=environment).stderr
    bound, users = collections.defaultdict(set), collections.defaultdict(set)
    for user, file, name in re.findall(r"binding file (\S+) \[\d+\] to (\S+) \[\d+\]: \w+ symbol `(\S+)'", log):
        if re.match(r"_ZZN4mlir6detail14TypeIDResolver.*resolveTypeIDEvE2id$|_ZN4mlir6detail14TypeIDResolver.*2idE$", name):
            bound[name].add(file)
            users[name].add(user)
    return bound, sum(len(files) > 1 for files in users.values())


def main():
    library, *command = sys.argv[1:]
    if hidden := hidden_variables(library):
        sys.exit(f"{library} keeps to itself: {', '.join(hidden[:5])}")
    bound, shared = copies(command)
    for name, files in bound.items():
        if len(files) > 1:
            sys.exit(f"there are copies of {name} in {', '.join(sorted(files))}")
    print(f"{len(bound)} variables, {shared} of them used by several files, each has one copy")
    if shared < 50:
        sys.exit("that are too few: MLIR's library and this one share dozens of traits; has the log another form?")


if __name__ == "__main__":
    main()
