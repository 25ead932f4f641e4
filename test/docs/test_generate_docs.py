#!/usr/bin/python3
"""Every page of docs/ generates, every dialect has its page, and links between files of the repository lead somewhere."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
AXE = os.path.join(ROOT, "tools", "report", "node_modules", "axe-core", "axe.min.js")
sys.path.insert(0, os.path.join(ROOT, "tools", "docs"))
import build_site  # noqa: E402
import generate_docs  # noqa: E402

LINK = re.compile(r"\]\(([^)#:]*)(?:#([^)]*))?\)")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def source_folders():
    """The folders below the top ones that hold C++."""
    folders = set()
    for top in ("include", "dialects", "lib", "passes", "runtime"):
        for path in glob.glob(os.path.join(ROOT, top, "*", "**", "*.*"), recursive=True):
            if path.endswith((".h", ".cpp")):
                folders.add(os.path.relpath(os.path.dirname(path), ROOT))
    return folders


def named_folders(lines):
    """The folders that the overview has a line for, and those that stand as `NAME` in the line of their parent."""
    inner = {f"{folder}/{name}" for folder, text in lines.items() for name in re.findall(r"`(\w+)/?`", text)}
    return set(lines) | inner


def anchors(page):
    """What GitHub makes of the headings of a page."""
    headings = re.findall(r"^#+ +(.*)$", read(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


class Pages(unittest.TestCase):
    def test_all_pages_generate(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertGreater(generate_docs.write_pages(ROOT, folder), 0)
            page = read(os.path.join(folder, "dialects", "collective.md"))
        self.assertIn("collective.all_reduce", page)
        self.assertNotIn("<!-- generate", page)

    def test_every_dialect_has_a_page(self):
        frames = "".join(read(path) for path in glob.glob(os.path.join(ROOT, "docs", "dialects", "*.md")))
        for source in glob.glob(os.path.join(ROOT, "dialects", "*", "*.td")):
            name = os.path.basename(os.path.dirname(source))
            if re.search(r"^def \w+ : Dialect\b", read(source), re.MULTILINE):
                self.assertIn(f"-dialect={name} ", frames.replace(" -->", "  -->"), f"write docs/dialects/{name}.md after the others")

    def test_the_passes_of_every_stage_are_on_one_page(self):
        page = "\n".join(generate_docs.fill(ROOT, read(os.path.join(ROOT, "docs", "passes.md"))))
        for source in glob.glob(os.path.join(ROOT, "passes", "*", "*.td")):
            for flag in re.findall(r'^def \w+ : \w+<"([^"]+)"', read(source), re.MULTILINE):
                self.assertIn(f"-{flag}", page)

    def test_every_folder_of_sources_has_a_line_in_the_overview(self):
        lines = re.findall(r"^\| `([^`]+)/` \| (.*) \|$", read(os.path.join(ROOT, "docs", "overview.md")), re.MULTILINE)
        self.assertEqual(len(lines), len(dict(lines)), "two lines for one folder")
        self.assertEqual(source_folders() - named_folders(dict(lines)), set())
        for name, _ in lines:
            self.assertTrue(os.path.isdir(os.path.join(ROOT, name)), f"docs/overview.md: {name}/ is no folder")

    def test_every_page_is_in_the_navigation_of_the_site(self):
        listed = set(re.findall(r": ([\w/-]+[.]md)$", read(os.path.join(ROOT, "tools", "docs", "mkdocs.yml")), re.MULTILINE))
        pages = {page for page in generate_docs.pages(os.path.join(ROOT, "docs")) if not page.startswith("decisions/")}
        self.assertEqual(listed - {"index.md"}, {page for page in pages if not page.startswith("examples/")})

    def test_the_site_links_pages_alone(self):
        text = "[a](b.md#c), [two lists](../test/lists), [web](https://a.b), ![picture](images/a.png), [here](#x), [up](../start.md)"
        self.assertEqual(build_site.inside(text, "dialects/a.md", lambda name: name in ("dialects/b.md", "start.md")),
                         "[a](b.md#c), two lists, [web](https://a.b), ![picture](images/a.png), [here](#x), [up](../start.md)")
        self.assertEqual(build_site.first_page("[x](docs/x.md), ![y](docs/images/y.png)"), "[x](x.md), ![y](images/y.png)")

    def test_headings_go_down_one_level_at_a_time(self):
        self.assertEqual(build_site.in_order("# a\n### b\n#### c\n```\n##### d\n```\n### e\n## f"), "# a\n## b\n### c\n```\n##### d\n```\n## e\n## f")

    def test_an_empty_head_of_a_table_is_none(self):
        self.assertEqual(build_site.reachable("<th></th><th>a</th>"), "<td></td><th>a</th>")

    def test_what_scrolls_takes_the_focus(self):
        self.assertEqual(build_site.reachable('<pre id="a"><span></span><code>x</code></pre>'), '<pre id="a"><span></span><code tabindex="0">x</code></pre>')

    @unittest.skipUnless(shutil.which("mkdocs"), "mkdocs is not installed: ./dev docs installs it")
    def test_the_site_is_made_and_loads_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            site = os.path.join(folder, "site")
            subprocess.run([sys.executable, os.path.join(ROOT, "tools", "docs", "build_site.py"), ROOT, os.path.join(folder, "pages"), site], check=True,
                           capture_output=True)
            page = read(os.path.join(site, "start.html"))
            if shutil.which("chromium") and os.path.exists(AXE):
                looked = subprocess.run([sys.executable, os.path.join(ROOT, "test", "docs", "check_accessibility.py"), AXE] +
                                        [os.path.join(site, name) for name in ("index.html", "options.html", "passes.html")], check=False, capture_output=True, text=True)
                self.assertEqual(looked.returncode, 0, looked.stderr)
            else:
                print("nobody looked for what keeps people from reading: that needs chromium, and axe-core ('npm ci' in tools/report)", file=sys.stderr)
        self.assertIn("Your model in ten minutes", page)
        self.assertEqual(re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="https?://', page), [])

    @unittest.skipUnless(shutil.which("chromium") and os.path.exists(AXE), "nobody can look: that needs chromium, and axe-core ('npm ci' in tools/report)")
    def test_who_looks_finds_what_is_wider_and_what_is_pale(self):
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "page.html")
            with open(page, "w", encoding="utf-8") as file:
                file.write('<!doctype html><html lang="en"><title>x</title><main><h1>x</h1><p style="width:900px">wide</p><p style="color:#ccc">pale</p></main></html>')
            looked = subprocess.run([sys.executable, os.path.join(ROOT, "test", "docs", "check_accessibility.py"), AXE, page], check=False, capture_output=True, text=True)
        self.assertNotEqual(looked.returncode, 0)
        self.assertRegex(looked.stderr, "page.html, 380 pixels: wider than the page: P")
        self.assertRegex(looked.stderr, "page.html, 640 pixels: wider than the page: P")
        self.assertNotRegex(looked.stderr, "page.html, 1280 pixels: wider")
        self.assertRegex(looked.stderr, "page.html, 1280 pixels, light: color-contrast")

    def test_the_first_page_is_read_in_ten_minutes(self):
        """By 150 words a minute, of which commands and cells are as many as others: a slow reader of technical English."""
        words = len(read(os.path.join(ROOT, "docs", "start.md")).split())
        self.assertGreater(words, 300)
        self.assertLess(words / 150, 10)

    def test_links_lead_somewhere(self):
        for page in [os.path.join(ROOT, "README.md")] + glob.glob(os.path.join(ROOT, "docs", "**", "*.md"),
                                                                  recursive=True):
            for target, anchor in LINK.findall(read(page)):
                place = os.path.normpath(os.path.join(os.path.dirname(page), target)) if target else page
                self.assertTrue(os.path.exists(place), f"{os.path.relpath(page, ROOT)}: {target}")
                if anchor and place.endswith(".md"):
                    self.assertIn(anchor, anchors(place), f"{os.path.relpath(page, ROOT)}: {target}#{anchor}")


class Frames(unittest.TestCase):
    def test_a_mark_becomes_the_text_of_the_file(self):
        lines = list(generate_docs.fill(ROOT, "before\n<!-- generate: dialects/collective/CollectiveOps.td "
                                              "-gen-dialect-doc -dialect=collective -->\nafter"))
        self.assertEqual((lines[0], lines[2]), ("before", "after"))
        self.assertIn("collective.broadcast", lines[1])

    def test_a_file_that_is_not_there_is_an_error(self):
        with self.assertRaisesRegex(RuntimeError, "dialects/none.td"):
            list(generate_docs.fill(ROOT, "<!-- generate: dialects/none.td -gen-dialect-doc -->"))

    def test_flags_that_print_nothing_are_an_error(self):
        with self.assertRaisesRegex(RuntimeError, "CollectiveOps.td"):
            generate_docs.generate(ROOT, "dialects/collective/CollectiveOps.td", ["-gen-pass-doc"])


if __name__ == "__main__":
    unittest.main()
