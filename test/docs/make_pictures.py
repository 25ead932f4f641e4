#!/usr/bin/python3
"""Makes the pictures of the documentation anew: ./dev docs --pictures, or

    make_pictures.py BUILD SITE FOLDER [NAME...]

Trains the model of docs/report.md by the command that stands there, in a folder that is removed afterwards, and takes a picture of its report, as of pages of
SITE, in Chromium without a window. Each becomes FOLDER/NAME.png; without names all do. Pictures show no place and no name of this machine. Fails where a page is
not what its picture is of, or is wider than the view.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import base64
import contextlib
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile

from check_accessibility import Browser

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# Of each picture: the page, the heading at its top ("" is that of the page), width and height in pixels, light or dark.
PICTURES = {
    "report": ("run.html", "", 1280, 1500, "light"),
    "report-steps": ("run.html", "Time of a step", 1280, 1200, "light"),
    "report-narrow": ("run.html", "", 380, 1100, "dark"),
    "site": ("start.html", "Your model in ten minutes", 1280, 800, "light"),
}

# As a page of a text processor: what is wider than the view can't be seen. Curves are drawn after the page has been laid out.
READY = """new Promise((done) => setTimeout(() => {
  const wanted = %s;
  const heading = [...document.querySelectorAll("h1, h2")].find((one) => one.textContent.startsWith(wanted));
  if (heading && wanted) scrollTo(0, heading.getBoundingClientRect().top + scrollY - 80);  // below what stays at the top
  setTimeout(() => done({width: document.documentElement.scrollWidth, found: !!heading}), 500);
}, 1500))"""


def train(build, folder):
    """The first command of docs/report.md, as one types it in `folder` where the programs are installed, and its page."""
    text = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
    command = re.search(r"```sh\nbuild/bin/(dist-run .*? --report run\.html)\n```", text, re.DOTALL)
    assert command, "docs/report.md has no command that ends with --report run.html"
    (folder / "test").symlink_to(ROOT / "test")
    subprocess.run(["bash", "-c", command.group(1)], cwd=folder, env=dict(os.environ, PATH=f"{build / 'bin'}:{os.environ['PATH']}"), check=True)
    page = folder / "run.html"
    page.write_text(page.read_text(encoding="utf-8").replace(f'"{socket.gethostname()}"', '"host"'), encoding="utf-8")


def take(browser, name, folders, target):
    page, heading, width, height, scheme = PICTURES[name]
    place = next(folder / page for folder in folders if (folder / page).exists())
    browser.widen(width, height)
    browser.show(place.as_uri(), scheme)
    seen = browser.evaluate(READY % json.dumps(heading))
    assert seen["found"], f"{page} has no heading '{heading}'"
    assert seen["width"] <= width, f"{page} is {seen['width']} pixels wide in a view of {width}"
    target.write_bytes(base64.b64decode(browser.ask("Page.captureScreenshot", format="png")["data"]))
    print(f"wrote {target}, {width} x {height}, {scheme}")


def main():
    build, site, target, *names = sys.argv[1:]
    target = pathlib.Path(target)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        names = names or list(PICTURES)
        if any(PICTURES[name][0] == "run.html" for name in names):
            train(pathlib.Path(build).resolve(), pathlib.Path(folder))
        with contextlib.closing(Browser(profile)) as browser:
            for name in names:
                take(browser, name, (pathlib.Path(folder), pathlib.Path(site).resolve()), target / f"{name}.png")


if __name__ == "__main__":
    main()
