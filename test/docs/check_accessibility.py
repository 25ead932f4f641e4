#!/usr/bin/python3
"""Looks for what keeps people from reading pages, with axe-core in Chromium without a window: light and dark, as wide as a phone and a desk.

    check_accessibility.py AXE.js PAGE.html...

Prints a line a page and view; fails with each violation of axe's rules of WCAG 2.2 A and AA and of its best practices, and the elements that have it. Details are
opened first, so that nothing is skipped for being hidden.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile

WIDTHS = (380, 1280)

PROBE = """<script>%(axe)s</script>
<script>
addEventListener("load", () => setTimeout(() => {
  for (const details of document.querySelectorAll("details")) details.open = true;
  axe.run(document, {resultTypes: ["violations"]}).then((found) => parent.postMessage({width: document.documentElement.clientWidth,
    dark: matchMedia("(prefers-color-scheme: dark)").matches, passes: found.passes.length,
    violations: found.violations.map((rule) => ({id: rule.id, impact: rule.impact, help: rule.help,
      nodes: rule.nodes.slice(0, 6).map((node) => node.target.join(" ") + ": " + node.any.concat(node.all, node.none).map((one) => one.message).join("; "))}))}, "*"),
    (error) => parent.postMessage({width: document.documentElement.clientWidth, failure: String(error)}, "*"));
}, 500));
</script>
"""

FRAME = """<!doctype html><html lang="en"><title>Frame</title><body>%(frames)s<script>
const seen = [];
addEventListener("message", (event) => {
  if (!event.data || !event.data.width) return;
  seen.push(event.data);
  if (seen.length === %(count)d) document.body.textContent = "SEEN" + JSON.stringify(seen) + "SEEN";
});
</script>"""


def run_chromium(page, dark):
    command = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
               "--allow-file-access-from-files", f"--blink-settings=preferredColorScheme={0 if dark else 1}",
               "--virtual-time-budget=60000", "--window-size=2400,1000", "--dump-dom", page.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout


def with_probe(page, axe):
    """The page's text with axe in it, and with the places of what it loads."""
    text = page.read_text(encoding="utf-8")
    head = f'<base href="{page.as_uri()}">' + PROBE % {"axe": axe.replace("</script", "<\\/script")}
    assert "<head>" in text, f"{page} has no head"
    return text.replace("<head>", "<head>" + head, 1)


def check(page, axe):
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        probed, wrapper = pathlib.Path(folder) / "page.html", pathlib.Path(folder) / "wrapper.html"
        probed.write_text(with_probe(page, axe), encoding="utf-8")
        for dark in (False, True):
            scheme = "dark" if dark else "light"
            frames = "".join(f'<iframe title="page" src="page.html" style="border:0;height:900px;width:{width}px;color-scheme:{scheme}"></iframe>' for width in WIDTHS)
            wrapper.write_text(FRAME % {"frames": frames, "count": len(WIDTHS)}, encoding="utf-8")
            found = re.search(r"SEEN(.*)SEEN", run_chromium(wrapper, dark), re.DOTALL)
            assert found, f"{page.name}: the page did not answer"
            for seen in json.loads(html.unescape(found.group(1))):
                assert "failure" not in seen, f"{page.name}: axe failed: {seen['failure']}"
                assert seen["dark"] == dark and seen["passes"] > 5, f"{page.name}: nothing was looked at: {seen}"
                view = f"{page.name}, {seen['width']} pixels, {scheme}"
                print(f"{view}: {seen['passes']} rules hold, {len(seen['violations'])} do not")
                for rule in seen["violations"]:
                    problems.append(f"{view}: {rule['id']} ({rule['impact']}): {rule['help']}")
                    problems += ["    " + node for node in rule["nodes"]]
    return problems


def main():
    axe = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    problems = [problem for page in sys.argv[2:] for problem in check(pathlib.Path(page).resolve(), axe)]
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
