#!/usr/bin/python3
"""Compares the text on the manifest in include/tutti/program.h with the structures of include/tutti/manifest.h, from which it follows.

    check_manifest.py REPOSITORY [--write]

Every member has a description and is in the list of fields once, by a name of its own. Prints what is not so, and ends with 1 then.
--write writes the text anew.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import re
import sys
import textwrap

STRUCTURES, TEXT = "include/tutti/manifest.h", "include/tutti/program.h"
WIDTH = 100
BEGIN, END = "/* The manifest, a JSON object.", "*/"
TITLE = """The manifest, a JSON object. This text follows from manifest.h, which has the same as C++: "check_manifest.py . --write" of
test/layering writes it. A field that is marked ? may be absent, and is then 0, false, empty, or what its text says. A type is spelled as in types.h."""
PLAIN = {"std::string": "text", "int64_t": "a number", "double": "a number", "bool": "true|false", "int32_t": "an element type", "ArenaBuffer": "lists [node, bytes, first moment, last moment, offset]"}


class Field:
    def __init__(self, name, member, kind, presence, words):
        self.name, self.member, self.kind, self.presence, self.words = name, member, kind, presence, words


def words_of(name):
    """ "arena buffer" of ArenaBuffer."""
    return re.sub(r"(?<!^)(?=[A-Z])", " ", name).lower()


def with_article(noun):
    return ("an " if noun[0] in "aeio" else "a ") * (not noun.endswith("s")) + noun


def plural(noun):
    return noun if noun.endswith("s") else noun[:-1] + "ies" if noun.endswith("y") else noun + "s"


def structures(source):
    """(name, base or "", {member: (type, description)}, fields) of each structure, in order."""
    for found in re.finditer(r"^struct (\w+)(?: : (\w+))? \{\n(.*?)^\};", source, re.DOTALL | re.MULTILINE):
        body = re.sub(r"\n\s*///< ", " ", found[3])
        members = {}
        for line in body.split("\n"):
            member = re.match(r"  ([\w:<>, ]+?) ((?:\w+(?: = [^,;]+)?(?:, )?)+);\s*(?:///< (.*))?$", line)
            if member and "constexpr" not in line and "return" not in line:
                for name in member[2].split(", "):
                    members[name.split(" ")[0]] = (member[1], member[3])
        fields = []
        for call in re.finditer(r'visitor\.(\w+)\("(\w+)", self\.(\w+)((?:, [^)]*)?)\);', body):
            words = re.findall(r'"(\w+)"', call[4])
            fields.append(Field(call[2], call[3], call[1], "optional" if "optional" in call[4] else "always", words))
        yield found[1], found[2] or "", members, fields, "Tensor::fields" in body


def spelled(kind):
    """A C++ type in words."""
    if kind in PLAIN:
        return PLAIN[kind]
    inner = re.fullmatch(r"std::(vector|optional|map)<(?:std::string, )?(.*)>", kind)
    if not inner:
        return with_article(words_of(kind))
    if inner[1] == "optional":
        return spelled(inner[2])
    each = spelled(inner[2]) if inner[2] in PLAIN or inner[2].startswith("std") else plural(words_of(inner[2]))
    each = {"a number": "numbers", "text": "texts"}.get(each, each)
    return ("lists of " if inner[1] == "map" else "a list of ") + each.replace("a list of", "lists of")


def described(field, kind, description):
    mark = "?" if field.presence == "optional" else ""
    what = "|".join(field.words) if field.words else spelled(kind)
    if field.kind == "count":
        what += ", or null"
    return f'"{field.name}"{mark}: {what}; {description}'


def problems(source):
    for name, _, members, fields, _ in structures(source):
        listed = [field.member for field in fields] + (["tensor"] if name == "Hyperparameter" else [])
        for member, (_, description) in members.items():
            if listed.count(member) != 1:
                yield f"{STRUCTURES}: {name}::{member} is {listed.count(member)} times among the fields"
            if not description:
                yield f"{STRUCTURES}: {name}::{member} has no description"
        for member in listed:
            if member not in members:
                yield f"{STRUCTURES}: {name}::{member} is a field, and no member"
        names = [field.name for field in fields]
        for field in sorted({one for one in names if names.count(one) > 1}):
            yield f"{STRUCTURES}: {name} has two fields '{field}'"


def text_of(source):
    """The whole comment."""
    wrap = lambda text, indent, further: textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=further, break_on_hyphens=False)
    all_of_them = {structure[0]: structure for structure in structures(source)}
    order = ["Manifest"] + [name for name in all_of_them if name != "Manifest"]
    lines = wrap("/* " + " ".join(TITLE.split()), "", "   ")
    for name in order:
        _, _, members, fields, is_tensor = all_of_them[name]
        lines += ["", f"   {'The manifest' if name == 'Manifest' else 'Of ' + with_article(words_of(name))}{', beside what a tensor has' if is_tensor else ''}:"]
        for field in fields:
            lines += wrap(described(field, *members[field.member]), "     ", "       ")
    return "\n".join(lines) + " " + END


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--write"]):
        print(__doc__, file=sys.stderr)
        return 2
    read = lambda name: open(os.path.join(sys.argv[1], name), encoding="utf-8").read()
    source, header = read(STRUCTURES), read(TEXT)
    wrong = list(problems(source))
    begin = header.index(BEGIN)
    end = header.index(END, begin) + len(END)
    wanted = text_of(source)
    if sys.argv[2:]:
        with open(os.path.join(sys.argv[1], TEXT), "w", encoding="utf-8") as file:
            file.write(header[:begin] + wanted + header[end:])
    elif header[begin:end] != wanted:
        wrong.append(f"{TEXT} does not say of the manifest what {STRUCTURES} does; test/layering/check_manifest.py REPOSITORY --write")
    print("\n".join(wrong + [f"{sum(len(structure[3]) for structure in structures(source))} fields, {len(wrong)} problems"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
