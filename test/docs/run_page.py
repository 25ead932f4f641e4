"""Runs the ```sh and ```py blocks of a page, in their order and in one folder that looks like the repository.

    run_page.py PAGE REPOSITORY BUILD_FOLDER WORK_FOLDER

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import re
import shutil
import subprocess
import sys


def prepare(work, repository, build):
    """An empty folder in which the paths that the page names exist."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    for name in ("docs", "examples", "test", "tools"):
        (work / name).symlink_to(repository / name)
    (work / "build").symlink_to(build)


def main():
    page, repository, build, work = map(pathlib.Path, sys.argv[1:])
    blocks = re.findall(r"```(sh|py)\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    if not blocks:
        sys.exit(f"{page}: no commands")
    prepare(work, repository.resolve(), build.resolve())
    for language, block in blocks:
        command = ["bash", "-euo", "pipefail", "-c"] if language == "sh" else [sys.executable, "-c"]
        run = subprocess.run([*command, block], cwd=work, check=False)
        if run.returncode != 0:
            sys.exit(f"{page}: failed:\n{block}")


if __name__ == "__main__":
    main()
