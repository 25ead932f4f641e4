"""look_at_report.py PAGE: opens the page of a report in Chromium, without a window, and measures what a person would see: at the
widths of a phone and a desk, at twice the size of letters, light and dark. Prints a line each; fails if something is wider than the
page, a chart is blank, a control has no name, or a script complains.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import html
import json
import pathlib
import re
import subprocess
import sys
import tempfile

# Width in CSS pixels, and what it stands for. A page of 1280 pixels that is enlarged to 200 % has 640.
VIEWS = {"narrow": 380, "wide": 1280, "200 %": 640}

PROBE = """
<script>
const complaints = [];
addEventListener("error", (event) => complaints.push(event.message || "error"));
addEventListener("securitypolicyviolation", (event) => complaints.push("loads " + event.blockedURI));
addEventListener("load", () => setTimeout(() => {
  const charts = [...document.querySelectorAll("canvas")].map((canvas) => {
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    let drawn = 0;
    for (let i = 3; i < pixels.length; i += 4) drawn += pixels[i] > 0;
    return drawn;
  });
  const root = document.documentElement;
  const nameless = [...document.querySelectorAll("button, input, [role=img], [role=region]")].filter(
    (element) => !(element.textContent.trim() || element.getAttribute("aria-label"))).length;
  const out = [...document.querySelectorAll("main *")].filter((element) => !element.closest(".scroll, .drawing, .tall, pre, svg") &&
    element.getBoundingClientRect().right > root.clientWidth + 1).map((element) => element.className || element.tagName);
  const names = document.querySelector(".sections ul");
  parent.postMessage({hidden: Math.max(0, names.scrollWidth - names.clientWidth), width: root.clientWidth, scroll: root.scrollWidth, charts, complaints, nameless, out,
    sections: document.querySelectorAll("main > section").length, dark: matchMedia("(prefers-color-scheme: dark)").matches,
    ground: getComputedStyle(document.body).backgroundColor, ink: getComputedStyle(document.body).color}, "*");
}, 300));
</script>
"""

FRAME = """<!doctype html><body>{frames}<script>
const seen = [];
addEventListener("message", (event) => {{
  seen.push(event.data);
  if (seen.length === {count}) document.body.textContent = "SEEN" + JSON.stringify(seen) + "SEEN";
}});
</script>"""


def chromium(*options, dark):
    command = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
               f"--blink-settings=preferredColorScheme={0 if dark else 1}", "--virtual-time-budget=4000",
               "--window-size=2400,1000", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


def luminance(colour):
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def check(view, seen, dark):
    assert not seen["complaints"], seen["complaints"]
    assert seen["dark"] == dark, "the colour scheme did not take"
    assert seen["scroll"] <= seen["width"] and not seen["out"], f"{view}: wider than the page: {seen['out']}"
    assert seen["charts"] and min(seen["charts"]) > 500, f"{view}: a chart is blank: {seen['charts']}"
    assert view != "wide" or seen["hidden"] == 0, f"{view}: the names of {seen['hidden']} pixels of sections are cut off"
    assert seen["nameless"] == 0 and seen["sections"] == 12, seen
    dim, bright = sorted(luminance(seen[key]) for key in ("ground", "ink"))
    assert (bright + 0.05) / (dim + 0.05) > 7, "too little contrast"
    print(f"{view}, {'dark' if dark else 'light'}: {seen['sections']} sections, {len(seen['charts'])} charts, nothing wider than the page")


def look(page):
    text = page.read_text(encoding="utf-8").replace("<title>", PROBE + "<title>", 1)
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "page.html").write_text(text, encoding="utf-8")
        for dark in (False, True):
            style = f"border:0;height:900px;color-scheme:{'dark' if dark else 'light'}"
            frames = "".join(f'<iframe src="page.html" style="{style};width:{width}px"></iframe>' for width in VIEWS.values())
            wrapper = pathlib.Path(folder) / "wrapper.html"
            wrapper.write_text(FRAME.format(frames=frames, count=len(VIEWS)), encoding="utf-8")
            found = re.search(r"SEEN(.*)SEEN", chromium("--dump-dom", wrapper.as_uri(), dark=dark).split("<body>")[1])
            assert found, "the page did not answer"
            by_width = {seen["width"]: seen for seen in json.loads(html.unescape(found.group(1)))}
            for view, width in VIEWS.items():
                check(view, by_width[width], dark)


def main():
    look(pathlib.Path(sys.argv[1]).resolve())


main()
