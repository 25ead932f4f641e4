"""Checks that the step between two checkpoints was skipped: all bits stay, but a dynamic loss scale is half of what it was.

    check_skipped_step.py BEFORE.safetensors AFTER.safetensors
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "checkpoints"))
from checkpoint_file import read_checkpoint  # noqa: E402


def main():
    before, after = (read_checkpoint(path) for path in sys.argv[1:])
    changed = [name for name in before if before[name].tobytes() != after[name].tobytes()]
    if sorted(changed) != ["loss_scale", "loss_scale.growth_tracker"]:
        sys.exit(f"changed by a skipped step: {', '.join(changed) or 'nothing'}")
    if after["loss_scale"] != before["loss_scale"] / 2 or after["loss_scale.growth_tracker"] != 0:
        sys.exit(f"the loss scale was {before['loss_scale']} and is {after['loss_scale']}")


if __name__ == "__main__":
    main()
