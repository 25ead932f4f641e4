#!/usr/bin/python3
"""Looks for code of compiler, runtime and tools that asks for the time of day, which somebody may set while it waits.

    check_clocks.py REPOSITORY

Spans and deadlines are of std::chrono::steady_clock, calls of gRPC have a CallLimit (runtime/servers/rpc/CallWatch.h) and end by a
queue: the threads that call its callbacks sleep until times of day. Prints whatever asks for another clock as file:line: what, and
ends with 1 if there is any. allowed_clocks.txt lists who may, and why; an entry that nothing needs is an error too. Comments do
not count.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import re
import sys

from check_layering import within
from check_writers import COMMENT, SUFFIXES, contents, read_table

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "allowed_clocks.txt")
ROOMS = ("include/", "dialects/", "lib/", "passes/", "runtime/", "tools/", "bindings/")
CLOCK = re.compile(
    r"\b(system_clock|high_resolution_clock|utc_clock|file_clock|CLOCK_REALTIME(?:_COARSE)?|GPR_CLOCK_(?:REALTIME|PRECISE)|gettimeofday|timespec_get|sem_timedwait"
    r"|mq_timed\w+|gpr_sleep_until|pthread_cond_timedwait|pthread_mutex_timedlock|absl::Now)\b|\btime\s*\(\s*(?:nullptr|NULL|0|&[\w.]+)\s*\)|\bstub\w*(?:->|\.)async\(\)")


def clocks(text):
    """(line, what) for everything that asks for the time of day, or waits until one."""
    for number, line in enumerate(text.splitlines(), 1):
        match = CLOCK.search(COMMENT.sub("", line))
        if match:
            yield number, match.group(0)


def check(files, table):
    """Breaches as lines of text, from (name, text) of each file."""
    used, result = set(), []
    for name, text in files:
        if not (name.startswith(ROOMS) and name.endswith(SUFFIXES)):
            continue
        found = list(clocks(text))
        allowed = [path for path in table if within(name, path)]
        if found:
            used.update(allowed)
        if not allowed:
            result += [f"{name}:{line}: '{what}' is the time of day, which somebody may set: use steady_clock, or CallLimit for calls of gRPC"
                       for line, what in found]
    return result + [f"allowed_clocks.txt: '{path}' asks for no time of day" for path in table if path not in used]


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    found = check(contents(sys.argv[1]), read_table(TABLE))
    print("\n".join(found + [f"{len(found)} breaches"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
