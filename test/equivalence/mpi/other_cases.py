"""What is no plain collective, on four ranks: exchanges of rows, messages, questions, groups made at run time, communication
beside computation, and buffers that are not simply flat.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import numpy

RANKS = 4
COUNTS = numpy.array([[(giver + 2 * taker) % 3 for taker in range(RANKS)] for giver in range(RANKS)])
SENT_FROM = numpy.cumsum(COUNTS, axis=1) - COUNTS
# What arrives lies in the opposite order of ranks, with a row free in between.
TAKEN = COUNTS.T
TAKEN_AT = (numpy.cumsum(TAKEN[:, ::-1] + 1, axis=1) - (TAKEN[:, ::-1] + 1))[:, ::-1]
ROWS = 12
# No MPI sends so much before the other side asks for it: whoever waits for whom shows.
LARGE = 1 << 18


def table(name, values):
    return f"memref.global \"private\" constant @{name} : memref<4x4xi64> = dense<{values.tolist()}>\n"


def large(kind, before, after, gives=1, gets=1):
    """A function that prints a number made of all elements that `kind` gives this rank."""
    given_type, got_type = f"memref<{LARGE * gives}xi64>", f"memref<{LARGE * gets}xi64>"
    types = given_type if kind in ("all_reduce", "reduce", "broadcast") else f"{given_type} -> {got_type}"
    return f"""
func.func private @large_{kind}() {{
  %in = memref.alloc() : {given_type}
  %out = memref.alloc() : {got_type}
  %any_in = memref.cast %in : {given_type} to memref<?xi64>
  %any_out = memref.cast %out : {got_type} to memref<?xi64>
  call @fill(%any_in) : (memref<?xi64>) -> ()
  call @reset(%any_out) : (memref<?xi64>) -> ()
  collective.{kind} {before} %in into %out {after} on @world : {types}
  call @show_digest(%any_out) : (memref<?xi64>) -> ()
  return
}}
"""


LARGE_CASES = [("all_reduce", "sum", ""), ("reduce", "sum", "to 2"), ("reduce_scatter", "sum", "along 0", RANKS, 1),
               ("broadcast", "", "from 3"), ("all_gather", "", "along 0", 1, RANKS), ("gather", "", "along 0 to 1", 1, RANKS),
               ("scatter", "", "along 0 from 1", RANKS, 1), ("all_to_all", "", "split 0 concat 0", RANKS, RANKS)]

PROGRAM = """
collective.group @world {size = 4 : i64}
collective.group @pairs members(#collective.ranks<[[2, 0], [1, 3]]>)
collective.group @later members(#collective.at_run_time)
collective.group @node members(#collective.per_node)
collective.group @cross members(#collective.across_nodes)
""" + table("counts", COUNTS) + table("sent_from", SENT_FROM) + table("taken", TAKEN) + table("taken_at", TAKEN_AT) + """
func.func private @printMemrefI64(memref<*xi64>) attributes {llvm.emit_c_interface}
func.func private @show(%m: memref<?xi64>) {
  %any = memref.cast %m : memref<?xi64> to memref<*xi64>
  call @printMemrefI64(%any) : (memref<*xi64>) -> ()
  return
}
func.func private @show_index(%i: index) {
  %m = memref.alloc() : memref<1xi64>
  %c0 = arith.constant 0 : index
  %value = arith.index_cast %i : index to i64
  memref.store %value, %m[%c0] : memref<1xi64>
  %any = memref.cast %m : memref<1xi64> to memref<?xi64>
  call @show(%any) : (memref<?xi64>) -> ()
  return
}
// 100 * rank + i, or -1 everywhere.
func.func private @fill(%m: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %n = memref.dim %m, %c0 : memref<?xi64>
  %rank = collective.rank on @world : index
  scf.for %i = %c0 to %n step %c1 {
    %0 = arith.muli %rank, %c100 : index
    %1 = arith.addi %0, %i : index
    %2 = arith.index_cast %1 : index to i64
    memref.store %2, %m[%i] : memref<?xi64>
  }
  return
}
func.func private @reset(%m: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant -1 : i64
  %n = memref.dim %m, %c0 : memref<?xi64>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %none, %m[%i] : memref<?xi64>
  }
  return
}
func.func private @show_digest(%m: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %n = memref.dim %m, %c0 : memref<?xi64>
  %digest = scf.for %i = %c0 to %n step %c1 iter_args(%so_far = %c0) -> index {
    %0 = arith.remui %i, %c7 : index
    %weight = arith.addi %0, %c1 : index
    %1 = memref.load %m[%i] : memref<?xi64>
    %2 = arith.index_cast %1 : i64 to index
    %3 = arith.muli %2, %weight : index
    %4 = arith.addi %so_far, %3 : index
    scf.yield %4 : index
  }
  call @show_index(%digest) : (index) -> ()
  return
}
func.func private @row(%m: memref<4x4xi64>) -> memref<4xi64, strided<[1], offset: ?>> {
  %rank = collective.rank on @world : index
  %row = memref.subview %m[%rank, 0] [1, 4] [1, 1] : memref<4x4xi64> to memref<4xi64, strided<[1], offset: ?>>
  return %row : memref<4xi64, strided<[1], offset: ?>>
}

func.func private @exchanges() {
  %data = memref.alloc() : memref<24xi64>
  %to = memref.alloc() : memref<24xi64>
  %any_data = memref.cast %data : memref<24xi64> to memref<?xi64>
  %any_to = memref.cast %to : memref<24xi64> to memref<?xi64>
  %rows = memref.expand_shape %data [[0, 1]] output_shape [12, 2] : memref<24xi64> into memref<12x2xi64>
  %rows_to = memref.expand_shape %to [[0, 1]] output_shape [12, 2] : memref<24xi64> into memref<12x2xi64>
  call @fill(%any_data) : (memref<?xi64>) -> ()
  call @reset(%any_to) : (memref<?xi64>) -> ()
  %counts = memref.get_global @counts : memref<4x4xi64>
  collective.all_to_all_vc %rows into %rows_to counts(%counts) on @world : memref<12x2xi64>, memref<12x2xi64>, memref<4x4xi64>
  call @show(%any_to) : (memref<?xi64>) -> ()
  call @reset(%any_to) : (memref<?xi64>) -> ()
  %sent_from = memref.get_global @sent_from : memref<4x4xi64>
  %taken = memref.get_global @taken : memref<4x4xi64>
  %taken_at = memref.get_global @taken_at : memref<4x4xi64>
  %a = call @row(%counts) : (memref<4x4xi64>) -> memref<4xi64, strided<[1], offset: ?>>
  %b = call @row(%sent_from) : (memref<4x4xi64>) -> memref<4xi64, strided<[1], offset: ?>>
  %c = call @row(%taken) : (memref<4x4xi64>) -> memref<4xi64, strided<[1], offset: ?>>
  %d = call @row(%taken_at) : (memref<4x4xi64>) -> memref<4xi64, strided<[1], offset: ?>>
  collective.all_to_all_v %rows into %rows_to send(%a, %b) receive(%c, %d) on @world
    : memref<12x2xi64>, memref<12x2xi64>, memref<4xi64, strided<[1], offset: ?>>
  call @show(%any_to) : (memref<?xi64>) -> ()
  return
}

// Round all ranks, then within each pair.
func.func private @messages() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %mine = memref.alloc() : memref<2xi64>
  %got = memref.alloc() : memref<2xi64>
  %any_mine = memref.cast %mine : memref<2xi64> to memref<?xi64>
  %any_got = memref.cast %got : memref<2xi64> to memref<?xi64>
  call @fill(%any_mine) : (memref<?xi64>) -> ()
  %rank = collective.rank on @world : index
  %up = arith.addi %rank, %c1 : index
  %next = arith.remui %up, %c4 : index
  %down = arith.addi %rank, %c3 : index
  %last = arith.remui %down, %c4 : index
  %odd = arith.remui %rank, %c2 : index
  %is_odd = arith.cmpi eq, %odd, %c1 : index
  scf.if %is_odd {
    collective.recv into %got from %last tag 7 on @world : memref<2xi64>
    collective.send %mine to %next tag 7 on @world : memref<2xi64>
  } else {
    collective.send %mine to %next tag 7 on @world : memref<2xi64>
    collective.recv into %got from %last tag 7 on @world : memref<2xi64>
  }
  call @show(%any_got) : (memref<?xi64>) -> ()
  collective.barrier on @world
  call @reset(%any_got) : (memref<?xi64>) -> ()
  %place = collective.rank on @pairs : index
  %is_first = arith.cmpi eq, %place, %c0 : index
  scf.if %is_first {
    collective.send %mine to %c1 tag 0 on @pairs : memref<2xi64>
  } else {
    collective.recv into %got from %c0 tag 0 on @pairs : memref<2xi64>
  }
  call @show(%any_got) : (memref<?xi64>) -> ()
  return
}

func.func private @questions() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  %place = collective.rank on @pairs : index
  %size = collective.size on @pairs : index
  %there = collective.translate_rank %c0 from @pairs to @world : index
  %here = collective.translate_rank %c3 from @world to @pairs : index
  %none = collective.translate_rank %c9 from @world to @pairs : index
  %early = collective.rank on @later : index
  call @show_index(%place) : (index) -> ()
  call @show_index(%size) : (index) -> ()
  call @show_index(%there) : (index) -> ()
  call @show_index(%here) : (index) -> ()
  call @show_index(%none) : (index) -> ()
  call @show_index(%early) : (index) -> ()
  return
}

// Ranks 3, 0 and 1 as a group, then 2 alone with 0.
func.func private @run_time_groups() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %m = memref.alloc() : memref<3xi64>
  %any = memref.cast %m : memref<3xi64> to memref<?xi64>
  call @fill(%any) : (memref<?xi64>) -> ()
  collective.create_group @later of %c3, %c0, %c1 : index, index, index
  collective.all_reduce sum %m into %m on @later : memref<3xi64>
  %place = collective.rank on @later : index
  collective.destroy_group @later
  call @show(%any) : (memref<?xi64>) -> ()
  call @show_index(%place) : (index) -> ()
  collective.create_group @later of %c2, %c0 : index, index
  collective.broadcast %m into %m from 0 on @later : memref<3xi64>
  %size = collective.size on @later : index
  collective.destroy_group @later
  call @show(%any) : (memref<?xi64>) -> ()
  call @show_index(%size) : (index) -> ()
  return
}

func.func private @beside() {
  %a = memref.alloc() : memref<3xi64>
  %b = memref.alloc() : memref<4xi64>
  %any_a = memref.cast %a : memref<3xi64> to memref<?xi64>
  %any_b = memref.cast %b : memref<4xi64> to memref<?xi64>
  call @fill(%any_a) : (memref<?xi64>) -> ()
  call @fill(%any_b) : (memref<?xi64>) -> ()
  %future = collective.async {
    collective.all_reduce max %a, %b into %a, %b on @world : memref<3xi64>, memref<4xi64>
    collective.yield
  } : !collective.future
  collective.await %future : !collective.future
  collective.all_reduce sum %b into %b on @pairs {collective.future = 0 : i64} : memref<4xi64>
  collective.complete 0 of %b : memref<4xi64>
  call @show(%any_a) : (memref<?xi64>) -> ()
  call @show(%any_b) : (memref<?xi64>) -> ()
  return
}

// A column of a matrix, a scalar, a buffer that is exchanged in place, and one with zeros after it.
func.func private @shapes() {
  %m = memref.alloc() : memref<8xi64>
  %any = memref.cast %m : memref<8xi64> to memref<?xi64>
  %matrix = memref.expand_shape %m [[0, 1]] output_shape [4, 2] : memref<8xi64> into memref<4x2xi64>
  call @fill(%any) : (memref<?xi64>) -> ()
  %column = memref.subview %matrix[0, 1] [4, 1] [1, 1] : memref<4x2xi64> to memref<4xi64, strided<[2], offset: 1>>
  collective.all_reduce sum %column into %column on @world : memref<4xi64, strided<[2], offset: 1>>
  call @show(%any) : (memref<?xi64>) -> ()
  call @fill(%any) : (memref<?xi64>) -> ()
  %one = memref.subview %m[3] [1] [1] : memref<8xi64> to memref<1xi64, strided<[1], offset: 3>>
  %scalar = memref.collapse_shape %one [] : memref<1xi64, strided<[1], offset: 3>> into memref<i64, strided<[], offset: 3>>
  collective.all_reduce sum %scalar into %scalar on @world : memref<i64, strided<[], offset: 3>>
  call @show(%any) : (memref<?xi64>) -> ()
  call @fill(%any) : (memref<?xi64>) -> ()
  collective.all_to_all %matrix into %matrix split 0 concat 0 on @world : memref<4x2xi64> -> memref<4x2xi64>
  call @show(%any) : (memref<?xi64>) -> ()
  %row = memref.alloc() : memref<10xi64>
  %any_row = memref.cast %row : memref<10xi64> to memref<?xi64>
  call @reset(%any_row) : (memref<?xi64>) -> ()
  call @fill(%any) : (memref<?xi64>) -> ()
  collective.flatten %matrix into %row : memref<4x2xi64> -> memref<10xi64>
  call @show(%any_row) : (memref<?xi64>) -> ()
  return
}

// On two nodes of two ranks.
func.func private @nodes() {
  %m = memref.alloc() : memref<3xi64>
  %any = memref.cast %m : memref<3xi64> to memref<?xi64>
  call @fill(%any) : (memref<?xi64>) -> ()
  collective.all_reduce sum %m into %m on @node : memref<3xi64>
  call @show(%any) : (memref<?xi64>) -> ()
  collective.all_reduce sum %m into %m on @cross : memref<3xi64>
  call @show(%any) : (memref<?xi64>) -> ()
  %rank = collective.local_rank : index
  %size = collective.local_size : index
  call @show_index(%rank) : (index) -> ()
  call @show_index(%size) : (index) -> ()
  return
}

""" + "".join(large(*case) for case in LARGE_CASES) + """
func.func @run() {
  call @exchanges() : () -> ()
  call @messages() : () -> ()
  call @questions() : () -> ()
  call @run_time_groups() : () -> ()
  call @beside() : () -> ()
  call @shapes() : () -> ()
  call @nodes() : () -> ()
""" + "".join(f"  call @large_{case[0]}() : () -> ()\n" for case in LARGE_CASES) + """
  return
}
"""

PAIRS = {2: [2, 0], 0: [2, 0], 1: [1, 3], 3: [1, 3]}


def given(rank, count):
    return 100 * rank + numpy.arange(count)


def exchanged(rank, taken_at):
    """Rows of two elements that arrive from each rank at a row of the destination."""
    rows = numpy.full((ROWS, 2), -1)
    for giver in range(RANKS):
        count, begin = COUNTS[giver, rank], SENT_FROM[giver, rank]
        sent = given(giver, 2 * ROWS).reshape(ROWS, 2)[begin:begin + count]
        rows[taken_at[giver]:taken_at[giver] + count] = sent
    return rows.ravel()


def run_time_groups(rank):
    first = [3, 0, 1]
    own = sum(given(member, 3) for member in first) if rank in first else given(rank, 3)
    yield "sum in a group made at run time", own
    yield "its places", [first.index(rank) if rank in first else -1]
    yield "broadcast in another", given(2, 3) if rank in (2, 0) else own
    yield "its size", [2 if rank in (2, 0) else 0]


def shapes(rank):
    column = given(rank, 8)
    column[1::2] = sum(given(each, 8) for each in range(RANKS))[1::2]
    yield "a column", column
    scalar = given(rank, 8)
    scalar[3] = sum(given(each, 8)[3] for each in range(RANKS))
    yield "a scalar", scalar
    yield "an exchange in place", numpy.concatenate([given(each, 8).reshape(4, 2)[rank] for each in range(RANKS)])
    yield "zeros after", [*given(rank, 8), 0, 0]


def nodes(rank):
    yield "sum in a node", sum(given(each, 3) for each in range(RANKS) if each // 2 == rank // 2)
    yield "sum across nodes", sum(given(each, 3) for each in range(RANKS))
    yield "rank in a node", [rank % 2]
    yield "ranks of a node", [2]


def large_results(rank):
    def digest(values):
        return [int((values * (numpy.arange(len(values)) % 7 + 1)).sum())]

    once, all_once = given(rank, LARGE), [given(each, LARGE) for each in range(RANKS)]
    all_parts = [given(each, RANKS * LARGE).reshape(RANKS, LARGE) for each in range(RANKS)]
    nothing = numpy.full(RANKS * LARGE, -1)
    yield "large all_reduce", digest(sum(all_once))
    yield "large reduce", digest(sum(all_once) if rank == 2 else once)
    yield "large reduce_scatter", digest(sum(all_parts)[rank])
    yield "large broadcast", digest(all_once[3])
    yield "large all_gather", digest(numpy.concatenate(all_once))
    yield "large gather", digest(numpy.concatenate(all_once) if rank == 1 else nothing)
    yield "large scatter", digest(all_parts[1][rank])
    yield "large all_to_all", digest(numpy.concatenate([parts[rank] for parts in all_parts]))


def expected(rank):
    """What the rank prints: names and values."""
    pair = PAIRS[rank]
    place = pair.index(rank)
    after = numpy.cumsum(COUNTS[:, rank]) - COUNTS[:, rank]
    return [
        ("all_to_all_vc", exchanged(rank, after)),
        ("all_to_all_v", exchanged(rank, TAKEN_AT[rank])),
        ("a message round all ranks", given((rank + 3) % RANKS, 2)),
        ("a message in a pair", given(pair[0], 2) if place == 1 else [-1, -1]),
        ("place", [place]), ("size", [2]), ("first of the pair", [pair[0]]),
        ("rank 3 in the pair", [pair.index(3) if 3 in pair else -1]), ("nobody", [-1]), ("before it is made", [-1]),
        *run_time_groups(rank),
        ("started and awaited", given(3, 3)), ("numbered and completed", 2 * given(3, 4)),
        *shapes(rank), *nodes(rank),
        *large_results(rank),
    ]
