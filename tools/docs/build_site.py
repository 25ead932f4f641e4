#!/usr/bin/python3
"""Makes a site of the documentation, with mkdocs and its theme material: build_site.py REPOSITORY PAGES SITE

PAGES gets docs/ with what the .td files say (generate_docs.py) and README.md as the first page; SITE the pages of the site, which load nothing
from a network. Links to files of the repository that are no pages become their names.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import posixpath
import re
import shutil
import subprocess
import sys

import generate_docs

LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")


def inside(text, page, exists):
    """The text of a page with links to what is no page as names. `exists` says whether a path below docs/ does."""
    def replace(match):
        label, target = match.groups()
        path, _, _ = target.partition("#")
        if re.match(r"[a-z]+:", target) or not path:
            return match.group()
        if exists(posixpath.normpath(posixpath.join(posixpath.dirname(page), path))):
            return match.group()
        return label
    return LINK.sub(replace, text)


def first_page(readme):
    """README.md as a page among the others."""
    return re.sub(r"\]\(docs/", "](", readme)


def decisions(pages):
    """The lines of the navigation for the decisions, which nobody wants to keep by hand."""
    lines = ["  - Decisions:"]
    for name in sorted(os.listdir(os.path.join(pages, "decisions"))):
        with open(os.path.join(pages, "decisions", name), encoding="utf-8") as file:
            title = file.readline().lstrip("# ").strip()
        lines.append(f"      - {name[:4]}, {re.sub(r'^[0-9]+[.:,]? *', '', title)!r}: decisions/{name}".replace(f"{name[:4]}, ", ""))
    return "\n".join(lines) + "\n"


def write_pages(repository, pages):
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(os.path.join(repository, "docs"), pages)
    generate_docs.write_pages(repository, pages)
    shutil.copy(os.path.join(repository, "tools", "docs", "site.css"), pages)
    with open(os.path.join(repository, "README.md"), encoding="utf-8") as file:
        index = first_page(file.read())
    with open(os.path.join(pages, "index.md"), "w", encoding="utf-8") as file:
        file.write(index)
    for page in generate_docs.pages(pages):
        path = os.path.join(pages, page)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        text = inside(text, page, lambda name: not name.startswith("..") and os.path.isfile(os.path.join(pages, name)))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def main():
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    repository, pages, site = map(os.path.abspath, sys.argv[1:])
    try:
        write_pages(repository, pages)
        with open(os.path.join(repository, "tools", "docs", "mkdocs.yml"), encoding="utf-8") as file:
            configuration = file.read() + decisions(pages)
        path = pages + ".yml"
        with open(path, "w", encoding="utf-8") as file:
            file.write(configuration)
    except (OSError, RuntimeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    run = subprocess.run(["mkdocs", "build", "--strict", "--quiet", "--clean", "-f", path, "-d", site], check=False,
                         env=dict(os.environ, TUTTI_PAGES=pages))
    if run.returncode == 0:
        print(f"{site}/index.html")
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
