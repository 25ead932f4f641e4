"""Keys of --train and --distribute, and flags of dist-run, as Python says them."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import os
import re

from .errors import Error


def text_of(value):
    """A value as dist-run reads it: true and false, lists with commas."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ",".join(text_of(part) for part in value)
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def dashed(name):
    return name.replace("_", "-")


def parse(text):
    """{key: value} of "key=value key='a value'"."""
    return {match[1]: match[2].strip("'\"") if match[2] else "true"
            for match in re.finditer(r"""([^\s=]+)(?:=((?:'[^']*'|"[^"]*"|\{[^}]*\}|[^\s'"{])*))?""", text)}


def keys_of(value):
    """{key: text} of None, text, or a dictionary whose keys may have underscores; entries of None are left out."""
    if value is None:
        return {}
    if isinstance(value, str):
        return parse(value)
    return {dashed(key): text_of(part) for key, part in value.items() if part is not None}


def words(keys):
    """"key=value ..." of {key: text}; a value with spaces stands in quotes."""
    quoted = []
    for key, text in keys.items():
        if "'" in text and re.search(r"\s", text):
            raise Error(f"key '{key}': a value with spaces and quotes cannot be said: {text}")
        quoted.append(f"{key}='{text}'" if re.search(r"\s", text) else f"{key}={text}")
    return " ".join(quoted)


def flags(options):
    """["--flag", "value", ...] of {flag: value}: True is the flag alone, a list repeats it, None and False leave it out."""
    result = []
    for name, value in options.items():
        for part in value if isinstance(value, (list, tuple)) else [value]:
            if part is None or part is False:
                continue
            result += [f"--{dashed(name)}"] + ([] if part is True else [text_of(part)])
    return result
