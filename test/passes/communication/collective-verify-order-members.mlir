// Members that no rank of the world can be are refused where ranks are evaluated one by one.
// RUN: dist-opt %s --collective-verify-order="ranks=4" --split-input-file --verify-diagnostics

collective.group @pairs members(#collective.ranks<[[0, 1], [2, 7]]>)
func.func @beyond_the_world(%v: tensor<4xf32>) {
  %rank = collective.rank on @pairs : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = arith.cmpi eq, %rank, %c0 : index
  scf.if %first {
    // expected-error @+1 {{the set of @pairs that rank 2 is in has rank 7, but the world has the ranks 0 to 3}}
    collective.send %v to %c1 tag 1 on @pairs : tensor<4xf32>
  } else {
    %0 = collective.recv from %c0 tag 1 on @pairs : tensor<4xf32>
  }
  return
}

// -----

collective.group @world
collective.group @later members(#collective.at_run_time)
func.func @named_twice(%v: tensor<4xf32>) {
  %rank = collective.rank on @world : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{on rank 0 @later is made of rank 0 twice; members are different ranks}}
  collective.create_group @later of %rank, %c0 : index, index
  %first = arith.cmpi eq, %rank, %c0 : index
  scf.if %first {
    collective.send %v to %c0 tag 1 on @later : tensor<4xf32>
  }
  collective.destroy_group @later
  return
}
