"""Checks the tables of docs/options.md against what the tools say of themselves.

    check_options.py PAGE DIST_OPT [--write]

Under a heading "## `--NAME`" stands a table with a row for each key that `dist-opt --help-NAME` lists, in its order. Under "## `dist-run`"
and "## `dist-opt`" stand the options that these list; dist-run lies beside DIST_OPT. With `--write` the tables are written anew. The table
under "## Environment variables" has to have each variable that the sources ask for.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HEAD = "| key | values | default | meaning |\n| --- | --- | --- | --- |\n"
OPTION_HEAD = "| option | value | meaning |\n| --- | --- | --- |\n"
ROOMS = ("runtime", "lib", "tools", "passes", "bindings", "dialects")
# How sources ask for a variable, and how those of launchers are listed.
ASKS = re.compile(r'(?:getenv|is_set|environment|GetEnv|fromEnvironment|number_of|environ\.get|Place)\s*[({\[]\s*"([A-Z][A-Z0-9_]+)"|_VARIABLE = "([A-Z][A-Z0-9_]+)"')


def rows(help_text):
    """A table row for each key of a help text."""
    result = []
    for key, values, default, text in re.findall(r"^  ([a-z0-9-]+)=(\S+)(?: \[(.*)\])?\n((?:      .*\n)+)", help_text,
                                                 re.MULTILINE):
        meaning = " ".join(text.split())
        cells = (f"`{key}`", "`" + values.replace("|", "\\|") + "`", default, meaning)
        result.append("| " + " | ".join(cells) + " |\n")
    return result


def escaped(text):
    return text.replace("|", "\\|")


def option_row(names, value, meaning):
    return f"| {', '.join(f'`{name}`' for name in names)} | {f'`{escaped(value)}`' if value else ''} | {escaped(meaning)} |\n"


def rows_of_dist_run(help_text):
    """A row for each option: its name stands at the begin of a line, and what it does from the 31st letter on, there or in the next line."""
    result, lines = [], help_text.partition("\nOptions:\n")[2].split("\n")
    for line, following in zip(lines, lines[1:] + [""]):
        if not line.startswith("  -"):
            continue
        is_long = following.startswith(" " * 30)
        name, meaning = (line.strip(), following.strip()) if is_long else (line[:30].strip(), line[30:].strip())
        if not is_long and not line[29:30].isspace():  # longer than its column, with one space behind it
            name, meaning = re.match(r"  (\S+ \S+) (.*)", line).groups()
        name, *others = re.split(r" (?=(?:Excludes|Needs|\(Env):)", name)
        variable = re.search(r"\(Env:(\w+)\)", " ".join(others))
        for kind, words in (("Excludes: ", "not with"), ("Needs: ", "with")):
            for other in others:
                if other.startswith(kind):
                    meaning += f" ({words} {', '.join(f'`{one}`' for one in other[len(kind):].split())})"
        meaning += f" (also `{variable.group(1)}`)" if variable else ""
        names, _, value = name.partition(" ")
        result.append(option_row(names.split(","), re.sub(r" \.\.\.$", "", value), meaning))
    return result


def rows_of_dist_opt(help_text):
    """A row for each option above the pipelines and passes."""
    text = help_text.partition("Input and output:\n")[2].partition("\nPipelines:")[0]
    return [option_row([name], value, meaning) for name, value, meaning in re.findall(r"^  (--?[a-z-]+)[= ]?(\S.*?)?  +(\S.*)$", text, re.MULTILINE)]


def variables_of_sources():
    found = set()
    for room in ROOMS:
        for path in (ROOT / room).rglob("*"):
            if path.suffix in (".cpp", ".h", ".py") and "node_modules" not in path.parts:
                found |= {one or other for one, other in ASKS.findall(path.read_text(encoding="utf-8"))}
    launchers = (ROOT / "runtime" / "host" / "launch" / "LaunchEnvironment.cpp").read_text(encoding="utf-8")
    return found | set(re.findall(r'"([A-Z]+_[A-Z_]+|RANK)"', launchers))


def check_variables(page, text):
    section = re.search(r"(?<=\n## Environment variables\n)(.*?)(?=\n## |\Z)", text, re.DOTALL)
    listed = set(re.findall(r"`([A-Z][A-Z0-9_]+)`", "".join(re.findall(r"^\| (.*?) \|", section[1], re.MULTILINE))))
    asked = variables_of_sources()
    if listed != asked:
        sys.exit(f"{page}: the sources ask for variables that are not in the table: {sorted(asked - listed)}, and for none of: {sorted(listed - asked)}")


def main():
    page, dist_opt = pathlib.Path(sys.argv[1]), sys.argv[2]
    text = page.read_text(encoding="utf-8")
    names = re.findall(r"^## `--([a-z-]+)`$", text, re.MULTILINE)
    if names != ["train", "distribute", "read", "compile"]:
        sys.exit(f"{page}: tables of {names}")
    for name in names:
        help_text = subprocess.run([dist_opt, f"--help-{name}"], capture_output=True, text=True, check=True).stdout
        expected = rows(help_text)
        if not expected or len(expected) != len(re.findall(r"^  [a-z]", help_text, re.MULTILINE)):
            sys.exit(f"cannot read what dist-opt --help-{name} prints:\n{help_text}")
        section = re.compile(rf"(?<=\n## `--{name}`\n)(.*?)(?=\n## |\Z)", re.DOTALL)
        table = "".join([HEAD, *expected])
        if "--write" in sys.argv:
            text = section.sub(lambda match: re.sub(r"\n\| key .*", "\n" + table.replace("\\", r"\\"), match[1],
                                                    flags=re.DOTALL), text)
        elif table not in section.search(text)[1] or section.search(text)[1].count("\n| `") != len(expected):
            missing = [row for row in expected if row not in text]
            sys.exit(f"{page}: the table of --{name} is not what dist-opt --help-{name} says: {missing or 'rows are too many'}")
    for name, read in (("dist-run", rows_of_dist_run), ("dist-opt", rows_of_dist_opt)):
        help_text = subprocess.run([pathlib.Path(dist_opt).parent / name, "--help"], capture_output=True, text=True, check=True).stdout
        expected = read(help_text)
        table, section = "".join([OPTION_HEAD, *expected]), re.compile(rf"(?<=\n## `{name}`\n)(.*?)(?=\n## |\Z)", re.DOTALL)
        if "--write" in sys.argv:
            text = section.sub(lambda match: re.sub(r"\n\| option .*", lambda _: "\n" + table, match[1], flags=re.DOTALL), text)
        elif table not in section.search(text)[1] or section.search(text)[1].count("\n| `") != len(expected):
            sys.exit(f"{page}: the table of {name} is not what {name} --help says: {[row for row in expected if row not in text] or 'rows are too many'}")
    check_variables(page, text)
    if "--write" in sys.argv:
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
