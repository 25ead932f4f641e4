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


def in_order(text):
    """A page whose headings go down one level at a time: what the .td files say is printed for pages of its own."""
    lines, above, is_code = [], [], False
    for line in text.split("\n"):
        is_code ^= line.lstrip().startswith("```")
        heading = not is_code and re.match(r"(#+) ", line)
        if heading:
            level = len(heading.group(1))
            above = [upper for upper in above if upper < level] + [level]
            line = "#" * len(above) + line[level:]
        lines.append(line)
    return "\n".join(lines)


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
    for name in ("site.css", "site.js"):
        shutil.copy(os.path.join(repository, "tools", "docs", name), pages)
    with open(os.path.join(repository, "README.md"), encoding="utf-8") as file:
        index = first_page(file.read())
    with open(os.path.join(pages, "index.md"), "w", encoding="utf-8") as file:
        file.write(index)
    for page in generate_docs.pages(pages):
        path = os.path.join(pages, page)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        text = inside(in_order(text), page, lambda name: not name.startswith("..") and os.path.isfile(os.path.join(pages, name)))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def reachable(text):
    """A page of the theme with what it lacks for keyboards and readers of screens: a name of the search, names
    of parts of the contents that differ, no empty heads of tables, places to scroll that take the focus."""
    text = text.replace('data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"')
    text = text.replace('<div class="md-search__scrollwrap"', '<div class="md-search__scrollwrap" tabindex="0"')
    seen = {}

    def number(match):
        seen[match.group(1)] = seen.get(match.group(1), 0) + 1
        return match.group() if seen[match.group(1)] == 1 else f'<nav class="md-nav" aria-label="{match.group(1)}, {seen[match.group(1)]}">'
    text = re.sub(r"<th([^>]*)></th>", r"<td\1></td>", text)
    text = re.sub(r'<nav class="md-nav" aria-label="([^"]*)">', number, text)
    return re.sub(r"(<pre(?: [^>]*)?>(?:<span></span>)?)<code(?! tabindex)", r'\1<code tabindex="0"', text)


def make_reachable(site):
    for folder, _, names in os.walk(site):
        for name in names:
            if not name.endswith(".html"):
                continue
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                text = file.read()
            with open(path, "w", encoding="utf-8") as file:
                file.write(reachable(text))


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
        make_reachable(site)
        print(f"{site}/index.html")
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
