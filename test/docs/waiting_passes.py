"""Says which passes may wait in a program and are not in a page, or the reverse: waiting_passes.py PAGE < ERROR.

ERROR is what dist-opt says of a pass that may not wait. The page names those of collectives together.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import pathlib
import re
import sys

known = set(re.search(r"these may: (.*)", sys.stdin.read())[1].split(", "))
page = pathlib.Path(sys.argv[1]).read_text()
item = re.search(r"- passes that wait .*?(?=\n\n)", page, re.DOTALL)[0]
named = set(re.findall(r"`([a-z][a-z-]+)`", item))
apart = {name for name in known if not name.startswith("collective-")}
print("not in the page:", sorted(apart - named))
print("in the page alone:", sorted(named - apart - {"collective-", "collective-emit-plan"}))
