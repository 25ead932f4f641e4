"""Holds the fields that manifests of compiled programs have against those that tutti/program.h documents:

    manifest_fields.py PROGRAM_H FOLDER...       FOLDER has compiled programs, *.so
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import pathlib
import re
import sys


def manifest_of(path):
    text = path.read_bytes()
    begin = text.index(b'{"abi":')
    return json.loads(text[begin:text.index(b"\0", begin)])


def fields_of(value):
    if isinstance(value, dict):
        yield from value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from fields_of(inner)


def main():
    header = pathlib.Path(sys.argv[1]).read_text()
    documented = set(re.findall(r'"(\w+)"', header[header.index("/* The manifest, a JSON object."):]))
    programs = [path for folder in sys.argv[2:] for path in pathlib.Path(folder).glob("*.so")]
    found = {field for path in programs for field in fields_of(manifest_of(path))}
    print(f"{len(programs)} programs with {len(found)} fields")
    for field in sorted(found - documented):
        print(f"not documented: {field}")
    return 1 if found - documented else 0


sys.exit(main())
