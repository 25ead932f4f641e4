"""rows_with_states.py TABLE BEFORE AFTER: whether all rows of the table of which an optimizer has a state in checkpoint BEFORE have one in AFTER, too.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "checkpoints"))
from checkpoint_file import read_checkpoint


def trained(path, table):
    variables = read_checkpoint(path)
    state = next(name for name in variables if name != table and name.startswith(table))
    return (variables[state] != 0).any(axis=1)


def main():
    table, before, after = sys.argv[1:]
    lost = trained(before, table) & ~trained(after, table)
    print(f"{int(lost.sum())} of {int(trained(before, table).sum())} rows are lost")
    sys.exit(bool(lost.any()))


if __name__ == "__main__":
    main()
