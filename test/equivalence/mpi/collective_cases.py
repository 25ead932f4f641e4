"""Programs of every collective, element type and kind of group for four ranks, and what numpy says that each rank gets.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import numpy

RANKS = 4
ROWS = 3  # of two elements each, that one rank gives or gets
UNTOUCHED = 7
FLOATS = ("f16", "bf16", "f32", "f64")
INTEGERS = ("i8", "ui8", "i16", "i32", "i64")
GROUPS = {
    "world": ("", [[0, 1, 2, 3]]),
    "rows": ("members(#collective.blocks<2>)", [[0, 1], [2, 3]]),
    "cols": ("members(#collective.strided<2>)", [[0, 2], [1, 3]]),
    "some": ("members(#collective.ranks<[[2, 0]]>)", [[2, 0]]),
    "uneven": ("members(#collective.ranks<[[3, 1, 0], [2]]>)", [[3, 1, 0], [2]]),
}
EQUAL = ("world", "rows", "cols", "some")
ONE_SIZE = ("all_reduce", "reduce", "broadcast")  # what they give is as large as what they get
MOVES = ("broadcast", "all_gather", "gather", "scatter", "all_to_all")


def to_bf16(values):
    """Rounded to the nearest of the floats that have 16 bits of an f32, ties to even; kept as f32."""
    values = numpy.asarray(values, numpy.float32)
    bits = values.view(numpy.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return numpy.where(numpy.isnan(values), values, rounded.astype(numpy.uint32).view(numpy.float32))


DTYPES = {"f16": numpy.float16, "f32": numpy.float32, "f64": numpy.float64, "i1": numpy.uint8, "i8": numpy.int8,
          "ui8": numpy.uint8, "i16": numpy.int16, "i32": numpy.int32, "i64": numpy.int64}


def convert(values, element):
    return to_bf16(values) if element == "bf16" else numpy.asarray(values).astype(DTYPES[element])


def bits_of(values, element):
    """What a program prints of them: their bits as integers with a sign, but for i1 and ui8."""
    if element == "bf16":
        return (values.view(numpy.uint32) >> 16).astype(numpy.uint16).view(numpy.int16)
    if element in FLOATS:
        return values.view({"f16": numpy.int16, "f32": numpy.int32, "f64": numpy.int64}[element])
    return values


def given(element, rank, count):
    """What @fill_TYPE writes."""
    at = numpy.arange(count)
    numbers = (rank * 7 + at * 3 + rank * at % 5) % 11
    if element == "i1":
        return convert(numbers % 2, element)
    if element == "ui8":
        return convert(numbers * 20, element)
    if element not in FLOATS:
        return convert(numbers - 5, element)
    values = (numbers - 5).astype(numpy.float64 if element == "f64" else numpy.float32) / 3
    values[numbers == 10] = numpy.nan
    return convert(values, element)


def untouched(element, count):
    return convert(numpy.full(count, UNTOUCHED % 2 if element == "i1" else UNTOUCHED), element)


def combine(reduction, so_far, value):
    if reduction in ("sum", "mean"):
        return so_far + value
    if reduction == "prod":
        return so_far * value
    better = so_far < value if reduction == "min" else so_far > value
    return numpy.where((so_far != so_far) | better, so_far, value)


def reduced(element, reduction, inputs):
    """In rank order; 16-bit floats in f32, rounded once."""
    wide = [i.astype(numpy.float32) if element in ("f16", "bf16") else i for i in inputs]
    with numpy.errstate(all="ignore"):
        total = wide[0]
        for value in wide[1:]:
            total = combine(reduction, total, value)
        if reduction == "mean":
            total = total / total.dtype.type(len(inputs))
    return convert(total, element)


class Case:
    """One collective on one group; its sets are of `size` ranks."""

    def __init__(self, kind, element, group, reduction="sum"):
        self.kind, self.element, self.group, self.reduction = kind, element, group, reduction
        self.sets = GROUPS[group][1]
        self.size = 1 if group == "uneven" else len(self.sets[0])
        self.root = 0 if group == "uneven" else 1
        self.rows_in = ROWS * (self.size if kind in ("reduce_scatter", "scatter", "all_to_all") else 1)
        self.rows_out = ROWS * (self.size if kind in ("all_gather", "gather", "all_to_all") else 1)

    def name(self):
        return f"{self.kind} {self.reduction} of {self.element} on {self.group}"

    def text(self, number):
        before = {"all_reduce": self.reduction, "reduce": self.reduction, "reduce_scatter": self.reduction}
        after = {"reduce": f"to {self.root}", "reduce_scatter": "along 0", "broadcast": f"from {self.root}",
                  "all_gather": "along 0", "gather": f"along 0 to {self.root}", "scatter": f"along 0 from {self.root}",
                  "all_to_all": "split 0 concat 0"}
        given_type, got_type = (f"memref<{rows}x2x{self.element}>" for rows in (self.rows_in, self.rows_out))
        types = given_type if given_type == got_type and self.kind in ONE_SIZE else f"{given_type} -> {got_type}"
        in_count, out_count = 2 * self.rows_in, 2 * self.rows_out
        return f"""
func.func private @case_{number}() {{
  %in = memref.alloc() : memref<{in_count}x{self.element}>
  %out = memref.alloc() : memref<{out_count}x{self.element}>
  %any_in = memref.cast %in : memref<{in_count}x{self.element}> to memref<?x{self.element}>
  %any_out = memref.cast %out : memref<{out_count}x{self.element}> to memref<?x{self.element}>
  call @fill_{self.element}(%any_in) : (memref<?x{self.element}>) -> ()
  call @reset_{self.element}(%any_out) : (memref<?x{self.element}>) -> ()
  %from = memref.expand_shape %in [[0, 1]] output_shape [{self.rows_in}, 2] : memref<{in_count}x{self.element}> into {given_type}
  %to = memref.expand_shape %out [[0, 1]] output_shape [{self.rows_out}, 2] : memref<{out_count}x{self.element}> into {got_type}
  collective.{self.kind} {before.get(self.kind, "")} %from into %to {after.get(self.kind, "")} on @{self.group} : {types}
  call @show_{self.element}(%any_out) : (memref<?x{self.element}>) -> ()
  return
}}
"""

    def expected(self, rank):
        start = untouched(self.element, 2 * self.rows_out)
        for members in self.sets:
            if rank in members:
                inputs = [given(self.element, member, 2 * self.rows_in) for member in members]
                return self.outcome(members.index(rank), inputs, start)
        return start

    def outcome(self, place, inputs, start):
        def part(values):
            return numpy.split(values, len(inputs))[place]

        if self.kind in ("all_reduce", "reduce", "reduce_scatter"):
            whole = reduced(self.element, self.reduction, inputs)
            if self.kind == "reduce_scatter":
                return part(whole)
            return whole if self.kind == "all_reduce" or place == self.root else inputs[place]
        if self.kind == "broadcast":
            return inputs[self.root]
        if self.kind == "scatter":
            return part(inputs[self.root])
        if self.kind == "all_to_all":
            return numpy.concatenate([part(values) for values in inputs])
        return numpy.concatenate(inputs) if self.kind == "all_gather" or place == self.root else start


def all_cases():
    """Every kind with every type on every group it can be on; every reduction with every type on the world."""
    cases = []
    for kind in ("all_reduce", "reduce", "reduce_scatter", *MOVES):
        elements = FLOATS + INTEGERS + (("i1",) if kind in MOVES else ())
        for group in (*EQUAL, "uneven") if kind in ONE_SIZE else EQUAL:
            cases += [Case(kind, element, group) for element in elements]
    for reduction in ("mean", "min", "max", "prod"):
        for element in FLOATS if reduction == "mean" else FLOATS + INTEGERS:
            cases += [Case(kind, element, "world", reduction) for kind in ("all_reduce", "reduce", "reduce_scatter")]
    return cases


def scalar_code(element):
    """How %numbers (i64, 0 to 10) become %value of the type, and how %value becomes the i64 %shown."""
    if element in FLOATS:
        wide = "f64" if element == "f64" else "f32"
        size = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}[element]
        make = f"""
    %middle = arith.constant 5 : i64
    %ten = arith.constant 10 : i64
    %three = arith.constant 3.0 : {wide}
    %nan = arith.constant 0x{"7FF8000000000000" if wide == "f64" else "7FC00000"} : {wide}
    %below = arith.subi %numbers, %middle : i64
    %integer = arith.sitofp %below : i64 to {wide}
    %third = arith.divf %integer, %three : {wide}
    %is_ten = arith.cmpi eq, %numbers, %ten : i64
    %wide = arith.select %is_ten, %nan, %third : {wide}"""
        make += f"\n    %value = arith.truncf %wide : {wide} to {element}" if size == 16 else ""
        value = "%value" if size == 16 else "%wide"
        show = f"\n    %bits = arith.bitcast %value : {element} to i{size}"
        show += "\n" if size == 64 else f"\n    %shown = arith.extsi %bits : i{size} to i64"
        return make, value, show, "%bits" if size == 64 else "%shown"
    if element == "i64":
        return "\n    %middle = arith.constant 5 : i64\n    %value = arith.subi %numbers, %middle : i64", "%value", "", "%value"
    if element == "i1":
        return ("\n    %value = arith.trunci %numbers : i64 to i1", "%value",
                "\n    %shown = arith.extui %value : i1 to i64", "%shown")
    if element == "ui8":
        return ("\n    %twenty = arith.constant 20 : i64\n    %product = arith.muli %numbers, %twenty : i64"
                "\n    %plain = arith.trunci %product : i64 to i8"
                "\n    %value = builtin.unrealized_conversion_cast %plain : i8 to ui8", "%value",
                "\n    %plain = builtin.unrealized_conversion_cast %value : ui8 to i8"
                "\n    %shown = arith.extui %plain : i8 to i64", "%shown")
    return (f"\n    %middle = arith.constant 5 : i64\n    %below = arith.subi %numbers, %middle : i64"
            f"\n    %value = arith.trunci %below : i64 to {element}", "%value",
            f"\n    %shown = arith.extsi %value : {element} to i64", "%shown")


def untouched_constant(element):
    if element in FLOATS:
        return f"%value = arith.constant {float(UNTOUCHED)} : {element}"
    if element == "i1":
        return "%value = arith.constant true"
    if element == "ui8":
        return (f"%plain = arith.constant {UNTOUCHED} : i8\n"
                "  %value = builtin.unrealized_conversion_cast %plain : i8 to ui8")
    return f"%value = arith.constant {UNTOUCHED} : {element}"


def helpers(element):
    """@fill, @reset and @show of one type."""
    make, value, show, shown = scalar_code(element)
    loop = "%c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n" \
           f"  %n = memref.dim %m, %c0 : memref<?x{element}>"
    return f"""
func.func private @fill_{element}(%m: memref<?x{element}>) {{
  {loop}
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %c11 = arith.constant 11 : index
  %rank = collective.rank on @world : index
  scf.for %i = %c0 to %n step %c1 {{
    %0 = arith.muli %rank, %c7 : index
    %1 = arith.muli %i, %c3 : index
    %2 = arith.muli %rank, %i : index
    %3 = arith.remui %2, %c5 : index
    %4 = arith.addi %0, %1 : index
    %5 = arith.addi %4, %3 : index
    %6 = arith.remui %5, %c11 : index
    %numbers = arith.index_cast %6 : index to i64{make}
    memref.store {value}, %m[%i] : memref<?x{element}>
  }}
  return
}}
func.func private @reset_{element}(%m: memref<?x{element}>) {{
  {loop}
  {untouched_constant(element)}
  scf.for %i = %c0 to %n step %c1 {{
    memref.store %value, %m[%i] : memref<?x{element}>
  }}
  return
}}
func.func private @show_{element}(%m: memref<?x{element}>) {{
  {loop}
  %integers = memref.alloc(%n) : memref<?xi64>
  scf.for %i = %c0 to %n step %c1 {{
    %value = memref.load %m[%i] : memref<?x{element}>{show}
    memref.store {shown}, %integers[%i] : memref<?xi64>
  }}
  %any = memref.cast %integers : memref<?xi64> to memref<*xi64>
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}}
"""


def groups_text():
    return "".join(f"collective.group @{name} {members}{' {size = 4 : i64}' if not members else ''}\n"
                   for name, (members, _) in GROUPS.items())


def program(cases):
    """A module whose @run prints, for each case, what this rank got."""
    calls = "".join(f"  call @case_{number}() : () -> ()\n" for number in range(len(cases)))
    return (groups_text() + "func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}\n"
            + "".join(helpers(element) for element in (*FLOATS, *INTEGERS, "i1"))
            + "".join(case.text(number) for number, case in enumerate(cases))
            + f"func.func @run() {{\n{calls}  return\n}}\n")
