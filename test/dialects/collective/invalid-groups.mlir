// One negative test for each constraint of groups, their members and the operations on them.
// RUN: dist-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{violates group_c1: a group has at least one rank, not 0}}
collective.group @group_c1_no_ranks {size = 0 : i64}

// -----

// expected-error @below {{violates group_c2: the world has 2 ranks here, but 4 as @group_c2_another_world}}
collective.group @world {size = 2 : i64}
collective.group @group_c2_another_world {size = 4 : i64}

// -----

collective.group @world {size = 4 : i64}
// expected-error @below {{violates group_c3: rank 4 is beyond the world, which has 4 ranks}}
collective.group @group_c3_rank_beyond_the_world members(#collective.ranks<[[0, 1], [2, 4]]>)

// -----

collective.group @world {size = 4 : i64}
// expected-error @below {{violates group_c3: 3 does not divide the world, which has 4 ranks}}
collective.group @group_c3_blocks_do_not_divide members(#collective.blocks<3>)

// -----

collective.group @world {size = 4 : i64}
// expected-error @below {{violates group_c3: 8 does not divide the world, which has 4 ranks}}
collective.group @group_c3_stride_does_not_divide members(#collective.strided<8>)

// -----

// expected-error @below {{violates group_c4: the size is 4, but the members make sets of 2}}
collective.group @group_c4_other_size members(#collective.ranks<[[0, 1], [2, 3]]>) {size = 4 : i64}

// -----

collective.group @world {size = 8 : i64}
// expected-error @below {{violates group_c4: the size is 2, but the members make sets of 4}}
collective.group @group_c4_other_stride members(#collective.strided<2>) {size = 2 : i64}

// -----

// expected-error @below {{violates group_c5: has no attribute 'ranks'; its own are members, size, sym_name, and those of others carry a dialect's prefix}}
collective.group @group_c5_misspelt_members {ranks = [[0, 1], [2, 3]]}

// -----

// expected-error @below {{violates group_c5: has no attribute 'world_size'; its own are members, size, sym_name, and those of others carry a dialect's prefix}}
collective.group @group_c5_misspelt_size {acme.color = 1 : i64, world_size = 4 : i64}

// -----

// expected-error @below {{violates ranks_c1: there is at least one set, and none is empty}}
collective.group @ranks_c1_no_set members(#collective.ranks<[]>)

// -----

// expected-error @below {{violates ranks_c1: there is at least one set, and none is empty}}
collective.group @ranks_c1_empty_set members(#collective.ranks<[[0], []]>)

// -----

// expected-error @below {{violates ranks_c2: -1 is not a rank}}
collective.group @ranks_c2_negative_rank members(#collective.ranks<[[0, -1]]>)

// -----

// expected-error @below {{violates ranks_c2: rank 1 is listed twice, but a rank is in one set at most}}
collective.group @ranks_c2_listed_twice members(#collective.ranks<[[0, 1], [1, 2]]>)

// -----

// expected-error @below {{violates blocks_c1: a block has at least one rank, not 0}}
collective.group @blocks_c1_empty_block members(#collective.blocks<0>)

// -----

// expected-error @below {{violates strided_c1: a stride is at least one, not -2}}
collective.group @strided_c1_negative_stride members(#collective.strided<-2>)

// -----

func.func @rank_c1_no_group() -> index {
  // expected-error @below {{violates rank_c1: @world names no collective.group}}
  %0 = collective.rank on @world : index
  return %0 : index
}

// -----

func.func private @world()
func.func @size_c1_not_a_group() -> index {
  // expected-error @below {{violates size_c1: @world names no collective.group}}
  %0 = collective.size on @world : index
  return %0 : index
}

// -----

collective.group @world
func.func @translate_rank_c1_no_group(%r: index) -> index {
  // expected-error @below {{violates translate_rank_c1: @pairs names no collective.group}}
  %0 = collective.translate_rank %r from @world to @pairs : index
  return %0 : index
}

// -----

func.func @barrier_c1_no_group() {
  // expected-error @below {{violates barrier_c1: @world names no collective.group}}
  collective.barrier on @world
  return
}

// -----

func.func @create_group_c1_no_group(%a: index) {
  // expected-error @below {{violates create_group_c1: @later names no collective.group}}
  collective.create_group @later of %a : index
  return
}

// -----

collective.group @world
func.func @create_group_c2_declared(%a: index) {
  // expected-error @below {{violates create_group_c2: the members of @world are declared; only those of #collective.at_run_time change}}
  collective.create_group @world of %a : index
  return
}

// -----

collective.group @later members(#collective.at_run_time)
func.func @create_group_c3_no_rank() {
  // expected-error @below {{violates create_group_c3: a group has at least one rank}}
  "collective.create_group"() {group = @later} : () -> ()
  return
}

// -----

collective.group @later members(#collective.at_run_time) {size = 2 : i64}
func.func @create_group_c3_other_size(%a: index) {
  // expected-error @below {{violates create_group_c3: @later is declared with 2 ranks, but made of 1}}
  collective.create_group @later of %a : index
  return
}

// -----

collective.group @later members(#collective.at_run_time)
func.func @create_group_c4_negative_rank() {
  %a = arith.constant -1 : index
  // expected-error @below {{violates create_group_c4: -1 is not a rank}}
  collective.create_group @later of %a : index
  return
}

// -----

collective.group @world {size = 4 : i64}
collective.group @later members(#collective.at_run_time)
func.func @create_group_c4_beyond_the_world() {
  %a = arith.constant 4 : index
  // expected-error @below {{violates create_group_c4: rank 4 is beyond the world, which has 4 ranks}}
  collective.create_group @later of %a : index
  return
}

// -----

collective.group @later members(#collective.at_run_time)
func.func @create_group_c4_given_twice(%b: index) {
  %a = arith.constant 1 : index
  // expected-error @below {{violates create_group_c4: rank 1 is given twice}}
  collective.create_group @later of %a, %b, %a : index, index, index
  return
}

// -----

func.func @destroy_group_c1_no_group() {
  // expected-error @below {{violates destroy_group_c1: @later names no collective.group}}
  collective.destroy_group @later
  return
}

// -----

collective.group @pairs members(#collective.blocks<2>)
func.func @destroy_group_c2_declared() {
  // expected-error @below {{violates destroy_group_c2: the members of @pairs are declared}}
  collective.destroy_group @pairs
  return
}
