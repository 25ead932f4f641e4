"""Reads StableHLO in generic form, as MLIR prints it, into operations with names, attributes as text, and regions."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import re
from dataclasses import dataclass, field

TOKEN = re.compile(
    r"""\s+|//[^\n]*|(?P<string>"(?:[^"\\]|\\.)*")|(?P<value>%[\w$.\-]+(?:\#\d+)?)|(?P<symbol>@(?:[\w$.\-]+|"[^"]*"))
    |(?P<label>\^[\w$.]+)|(?P<arrow>->)|(?P<word>[!\#]?[A-Za-z_0-9][\w$.]*)|(?P<mark>.)""", re.VERBOSE | re.DOTALL)
CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}


@dataclass
class Op:
    """One operation: `attributes` are texts by name, types are texts such as "tensor<4xf32>"."""

    name: str
    operands: list
    results: list
    attributes: dict
    regions: list
    types: list = field(default_factory=list)

    def text(self, name, default=""):
        """The attribute as text."""
        return self.attributes.get(name, default)

    def numbers(self, name):
        """The numbers of `array<i64: 1, 2>`, of `dense<[[1, 2]]> : ...` or of `1 : i64`, flat."""
        text = re.sub(r"^array<i\d+:?", "", self.text(name))
        text = re.sub(r":\s*(tensor<.*|i\d+)$", "", text)
        return [int(number) for number in re.findall(r"-?\d+", text)]


@dataclass
class Block:
    """Arguments by name, and operations; the last one returns."""

    arguments: list
    ops: list


@dataclass
class Function:
    """`argument_types` and `result_types` are texts; `argument_attributes` one text for each argument."""

    name: str
    block: Block
    argument_types: list
    result_types: list
    argument_attributes: list


class Reader:
    """A recursive reader of tokens; raises ValueError, with the line, at what it does not know."""

    def __init__(self, text):
        self.source = text
        self.tokens = []
        for match in TOKEN.finditer(text):
            if match.lastgroup:
                self.tokens.append((match.group(), match.start(), match.end()))
        self.at = 0

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead][0] if self.at + ahead < len(self.tokens) else ""

    def take(self, expected=None):
        token = self.peek()
        if expected is not None and token != expected:
            start = self.tokens[min(self.at, len(self.tokens) - 1)][1]
            line = self.source.count("\n", 0, start) + 1
            raise ValueError(f"line {line}: expected '{expected}', found '{token}'")
        self.at += 1
        return token

    def accept(self, expected):
        if self.peek() == expected:
            self.at += 1
            return True
        return False

    def until(self, ends):
        """The text up to one of `ends` outside of brackets."""
        start = self.at
        open_brackets = []
        while self.at < len(self.tokens):
            token = self.peek()
            if not open_brackets and token in ends:
                break
            if token in CLOSING:
                open_brackets.append(CLOSING[token])
            elif open_brackets and token == open_brackets[-1]:
                open_brackets.pop()
            self.at += 1
        if start == self.at:
            return ""
        return self.source[self.tokens[start][1]:self.tokens[self.at - 1][2]]

    def dictionary(self):
        """`{a = 1, b}` as a dict of texts; the brace is next."""
        self.take("{")
        entries = {}
        while not self.accept("}"):
            name = self.take().strip('"')
            entries[name] = self.until((",", "}")) if self.accept("=") else "unit"
            self.accept(",")
        return entries

    def type(self):
        return self.until((",", ")", "{", "}", "->", "loc", "%", "^") + tuple(self.next_line_tokens()))

    def next_line_tokens(self):
        """The token that starts the next line ends a type, too."""
        line_end = self.source.find("\n", self.tokens[self.at][1])
        for token, start, _ in self.tokens[self.at:]:
            if line_end >= 0 and start > line_end:
                return [token]
        return []

    def type_list(self):
        if not self.accept("("):
            return [self.type()]
        types = []
        while not self.accept(")"):
            types.append(self.until((",", ")")))
            self.accept(",")
        return types

    def module(self):
        """All functions, by name, and the attributes of the module."""
        self.take("module")
        if self.peek().startswith("@"):
            self.take()
        attributes = self.dictionary() if self.accept("attributes") else {}
        self.take("{")
        functions = {}
        while not self.accept("}"):
            function = self.function()
            functions[function.name] = function
        return functions, attributes

    def function(self):
        self.take("func.func")
        while self.peek() in ("public", "private"):
            self.take()
        name = self.take()[1:]
        self.take("(")
        names, types, attributes = [], [], []
        while not self.accept(")"):
            names.append(self.take())
            self.take(":")
            types.append(self.until((",", ")", "{")))
            attributes.append(str(self.dictionary()) if self.peek() == "{" else "")
            self.accept(",")
        results = []
        if self.accept("->"):
            if self.accept("("):
                while not self.accept(")"):
                    results.append(self.until((",", ")", "{")))
                    if self.peek() == "{":
                        self.dictionary()
                    self.accept(",")
            else:
                results.append(self.until(("{", "attributes")))
        self.take("{")
        block = Block(names, [])
        while not self.accept("}"):
            block.ops.append(self.op())
        return Function(name, block, types, results, attributes)

    def op(self):
        results = []
        if self.peek().startswith("%"):
            name = self.take()
            count = int(self.take()) if self.accept(":") else 0
            results = [f"{name}#{i}" for i in range(count)] if count else [name]
            self.take("=")
        name = self.take().strip('"')
        if name in ("return", "func.return", "call", "func.call") and not self.tokens[self.at - 1][0].startswith('"'):
            return self.short_op(name.split(".")[-1], results)
        operands = self.operands()
        attributes = {}
        if self.peek() == "<":
            self.take("<")
            attributes.update(self.dictionary())
            self.take(">")
        regions = []
        if self.peek() == "(":
            self.take("(")
            while not self.accept(")"):
                regions.append(self.region())
                self.accept(",")
        if self.peek() == "{":
            attributes.update(self.dictionary())
        self.take(":")
        self.take("(")
        self.until((")",))
        self.take(")")
        self.take("->")
        return Op(name, operands, results, attributes, regions, self.type_list())

    def short_op(self, name, results):
        """`return %a : T` and `call @f(%a) : (T) -> T`."""
        attributes = {"callee": self.take()[1:]} if name == "call" else {}
        operands = self.operands() if name == "call" else []
        while self.peek().startswith("%"):
            operands.append(self.take())
            self.accept(",")
        types = []
        if self.accept(":"):
            if name == "call":
                self.take("(")
                self.until((")",))
                self.take(")")
                self.take("->")
                types = self.type_list()
            else:
                self.until(("}",))
        return Op(name, operands, results, attributes, [], types)

    def operands(self):
        self.take("(")
        names = []
        while not self.accept(")"):
            names.append(self.take())
            self.accept(",")
        return names

    def region(self):
        self.take("{")
        block = Block([], [])
        if self.peek().startswith("^"):
            self.take()
            if self.accept("("):
                while not self.accept(")"):
                    block.arguments.append(self.take())
                    self.take(":")
                    self.until((",", ")"))
                    self.accept(",")
            self.take(":")
        while not self.accept("}"):
            block.ops.append(self.op())
        return block


def read_module(text):
    """The functions of a module by name, and its attributes."""
    return Reader(text).module()
