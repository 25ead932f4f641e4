"""Prints the most memory, in MiB, that a command had: peak_memory.py COMMAND ...

It imports nothing large: a process starts with the peak of the one that started it.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import sys

child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
if status != 0:
    sys.exit(f"{sys.argv[1]} ended with {os.waitstatus_to_exitcode(status)}")
print(usage.ru_maxrss // 1024)
