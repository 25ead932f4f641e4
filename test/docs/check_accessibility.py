#!/usr/bin/python3
"""Looks for what keeps people from reading pages, with axe-core in Chromium without a window: light and dark, as wide as a phone and a desk.

    check_accessibility.py AXE.js PAGE.html|FOLDER...

Prints a line a page and view; fails with each violation of axe's rules of WCAG 2.2 A and AA and of its best practices, and the elements that have it, and where
something is wider than the page, which is measured as enlarged to 200 %, too. Of a
FOLDER all pages are looked at, as a server of it shows them. Details are opened first, so that nothing is skipped for being hidden. As many browsers as there are
processors share the pages, the largest first; whatever one of them is asked has SECONDS. A page is loaded once for light and once for dark, and made narrow and
wide then.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import concurrent.futures
import contextlib
import fcntl
import functools
import http.server
import json
import os
import pathlib
import queue
import select
import subprocess
import sys
import tempfile
import threading
import time

WIDTHS, HEIGHT = (380, 1280), 900
ENLARGED = 640  # what a page of 1280 pixels has at 200 %
SECONDS = 120

READY = """new Promise((done) => {
  const tell = () => setTimeout(() => done(location.href), 300);
  document.readyState === "complete" ? tell() : addEventListener("load", tell);
})"""

OPEN = """document.querySelectorAll("details").forEach((details) => { details.open = true; })"""

# What a page does when its width changes, it does within a quarter of a second (tools/docs/site.js).
LOOK = """(async () => {
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 350)));
  const found = await axe.run(document, {resultTypes: ["violations"]});
  return {width: innerWidth, dark: matchMedia("(prefers-color-scheme: dark)").matches, passes: found.passes.length,
    violations: found.violations.map((rule) => ({id: rule.id, impact: rule.impact, help: rule.help,
      nodes: rule.nodes.slice(0, 6).map((node) => node.target.join(" ") + ": " + node.any.concat(node.all, node.none).map((one) => one.message).join("; "))}))};
})()"""


# What is wider than the page, and neither scrolls by itself nor is in something that does.
WIDER = """new Promise((done) => requestAnimationFrame(() => setTimeout(() => {
  const root = document.documentElement;
  const scrolls = (one) => one && one !== document.body && (getComputedStyle(one).overflowX !== "visible" || scrolls(one.parentElement));
  done(root.scrollWidth <= root.clientWidth ? [] : [...document.querySelectorAll("body *")].filter((one) =>
    one.getBoundingClientRect().right > root.clientWidth + 1 && !scrolls(one)).slice(0, 6).map((one) => one.tagName + " " + one.className));
}, 350)))"""


class Browser:
    """Chromium with one page, which does what messages of the DevTools protocol say (https://chromedevtools.github.io/devtools-protocol/)."""

    def __init__(self, profile):
        (theirs_in, self.commands), (self.answers, theirs_out) = os.pipe(), os.pipe()
        self.pending, self.number = b"", 0
        given = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (theirs_in, theirs_out)]  # away from 3 and 4, from which Chromium reads and to which it writes
        command = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--allow-file-access-from-files",
                   f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank"]
        self.process = subprocess.Popen(["bash", "-c", f'exec "$0" "$@" 3<&{given[0]} 4>&{given[1]} {given[0]}<&- {given[1]}>&-', *command], pass_fds=given,
                                        stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        for end in (theirs_in, theirs_out, *given):
            os.close(end)
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def ask(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if hasattr(self, "session"):
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + SECONDS
        while True:
            answer = self.next_message(method, deadline)
            if answer.get("id") == self.number:
                assert "error" not in answer, f"{method}: {answer['error']['message']}"
                return answer["result"]

    def next_message(self, method, deadline):
        while b"\0" not in self.pending:
            ready, _, _ = select.select([self.answers], [], [], max(0, deadline - time.monotonic()))
            assert ready, f"{method}: no answer in {SECONDS} s"
            got = os.read(self.answers, 1 << 20)
            assert got, f"{method}: Chromium has ended"
            self.pending += got
        message, _, self.pending = self.pending.partition(b"\0")
        return json.loads(message)

    def evaluate(self, expression):
        got = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in got, got["exceptionDetails"].get("exception", {}).get("description", "an error")
        return got["result"].get("value")

    def widen(self, width, height=HEIGHT):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def show(self, address, scheme):
        self.ask("Page.navigate", url="about:blank")  # else the same address is no new page
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        failure = self.ask("Page.navigate", url=address).get("errorText")
        assert not failure, failure
        while self.evaluate(READY) != address:  # still the page before it
            pass

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=30)


def check(browser, address, name, axe):
    """What was seen, a line a view, and what is wrong."""
    lines, problems = [], []

    def measure(width):
        wider = browser.evaluate(WIDER)
        if wider:
            problems.append(f"{name}, {width} pixels: wider than the page: {', '.join(wider)}")

    for scheme in ("light", "dark"):
        browser.widen(WIDTHS[0])
        browser.show(address, scheme)
        browser.evaluate(OPEN)
        browser.evaluate(axe + "; 0")
        for width in WIDTHS:
            browser.widen(width)
            seen = browser.evaluate(LOOK)
            assert seen["width"] == width and seen["dark"] == (scheme == "dark") and seen["passes"] > 5, f"nothing was looked at: {seen}"
            view = f"{name}, {width} pixels, {scheme}"
            lines.append(f"{view}: {seen['passes']} rules hold, {len(seen['violations'])} do not")
            for rule in seen["violations"]:
                problems.append(f"{view}: {rule['id']} ({rule['impact']}): {rule['help']}")
                problems += ["    " + node for node in rule["nodes"]]
            if scheme == "light":
                measure(width)
    browser.widen(ENLARGED)
    measure(ENLARGED)
    return lines, problems


def look(pages, axe):
    """One browser takes pages until none is left, and gives back what is wrong with those."""
    problems = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile, contextlib.closing(Browser(profile)) as browser:
        while True:
            try:
                address, name = pages.get_nowait()
            except queue.Empty:
                return problems
            try:
                lines, found = check(browser, address, name, axe)
            except AssertionError as error:
                raise AssertionError(f"{name}: {error}") from error
            print("\n".join(lines), flush=True)
            problems += found


class Server(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def pages_of(place, stack):
    """Addresses and names."""
    if not place.is_dir():
        return [(place.as_uri(), place.name)]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Server, directory=place))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    stack.callback(server.shutdown)
    files = sorted(place.rglob("*.html"), key=lambda page: page.stat().st_size, reverse=True)
    names = [page.relative_to(place).as_posix() for page in files]
    return [(f"http://127.0.0.1:{server.server_port}/{name}", name) for name in names]


def main():
    axe = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    with contextlib.ExitStack() as stack:
        found = [page for place in sys.argv[2:] for page in pages_of(pathlib.Path(place).resolve(), stack)]
        assert found, "there are no pages"
        pages = queue.SimpleQueue()
        for page in found:
            pages.put(page)
        with concurrent.futures.ThreadPoolExecutor() as pool:
            lookers = [pool.submit(look, pages, axe) for _ in range(min(len(found), len(os.sched_getaffinity(0))))]
            try:
                problems = [problem for looker in lookers for problem in looker.result()]
            except AssertionError as error:
                with contextlib.suppress(queue.Empty):  # the others end with the pages that they have
                    while pages.get_nowait():
                        pass
                sys.exit(str(error))
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
