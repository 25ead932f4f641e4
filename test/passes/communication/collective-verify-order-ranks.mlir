// Programs in which ranks do different things, evaluated once for each rank.
// RUN: dist-opt %s --collective-verify-order="ranks=4" --split-input-file --verify-diagnostics

collective.group @world
func.func @circle(%v: tensor<4xf32>) {
  %rank = collective.rank on @world : index
  %size = collective.size on @world : index
  %c1 = arith.constant 1 : index
  %up = arith.addi %rank, %c1 : index
  %next = arith.remui %up, %size : index
  %down = arith.addi %rank, %size : index
  %less = arith.subi %down, %c1 : index
  %previous = arith.remui %less, %size : index
  // expected-error @+5 {{ranks wait for each other in a circle: rank 0 sends to rank 1 with tag 1}}
  // expected-note @+4 {{while rank 1 sends to rank 2 with tag 1}}
  // expected-note @+3 {{while rank 2 sends to rank 3 with tag 1}}
  // expected-note @+2 {{while rank 3 sends to rank 0 with tag 1}}
  // expected-note @+1 {{a send may wait for its receive; let one of them receive before it sends}}
  collective.send %v to %next tag 1 on @world : tensor<4xf32>
  %0 = collective.recv from %previous tag 1 on @world : tensor<4xf32>
  return
}

// -----

collective.group @world
func.func @lost(%v: tensor<4xf32>) {
  %rank = collective.rank on @world : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = arith.cmpi eq, %rank, %c0 : index
  scf.if %first {
    // expected-error @+1 {{what is sent from rank 0 to rank 1 with tag 1 is never received: rank 0 sends 1, rank 1 receives 0 such messages}}
    collective.send %v to %c1 tag 1 on @world : tensor<4xf32>
  }
  %second = arith.cmpi eq, %rank, %c1 : index
  scf.if %second {
    // expected-note @+1 {{rank 1 receives here, from rank 0 to rank 1 with tag 2}}
    %0 = collective.recv from %c0 tag 2 on @world : tensor<4xf32>
  }
  return
}

// -----

collective.group @world
func.func @never_sent() {
  %rank = collective.rank on @world : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %second = arith.cmpi eq, %rank, %c1 : index
  scf.if %second {
    // expected-error @+1 {{what should be received from rank 0 to rank 1 with tag 2 is never sent: rank 0 sends 0, rank 1 receives 1 such messages}}
    %0 = collective.recv from %c0 tag 2 on @world : tensor<4xf32>
  }
  return
}

// -----

collective.group @world
func.func @other_types(%v: tensor<4xf32>) {
  %rank = collective.rank on @world : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = arith.cmpi eq, %rank, %c0 : index
  %second = arith.cmpi eq, %rank, %c1 : index
  scf.if %first {
    // expected-error @+1 {{the message from rank 0 to rank 1 with tag 1 is sent as 'tensor<4xf32>'}}
    collective.send %v to %c1 tag 1 on @world : tensor<4xf32>
  }
  scf.if %second {
    // expected-note @+1 {{but received as 'tensor<5xf32>'}}
    %0 = collective.recv from %c0 tag 1 on @world : tensor<5xf32>
  }
  return
}

// -----

collective.group @world
collective.group @some members(#collective.ranks<[[1, 2]]>)
func.func @missing_member(%v: tensor<4xf32>) {
  %rank = collective.rank on @world : index
  %c1 = arith.constant 1 : index
  %second = arith.cmpi eq, %rank, %c1 : index
  scf.if %second {
    // expected-error @+1 {{rank 1 waits in 'collective.all_reduce' for all ranks that take part, but rank 2 never comes here}}
    %0 = collective.all_reduce sum %v on @some : tensor<4xf32>
  }
  return
}

// -----

collective.group @world
collective.group @some members(#collective.ranks<[[1, 2]]>)
func.func @not_a_member(%v: tensor<4xf32>) {
  %rank = collective.rank on @world : index
  %c1 = arith.constant 1 : index
  %upper = arith.cmpi sge, %rank, %c1 : index
  scf.if %upper {
    // expected-error @+1 {{rank 3 comes here, but it is in no set of @some; let only members execute it (collective.rank is -1 on others)}}
    %0 = collective.all_reduce sum %v on @some : tensor<4xf32>
  }
  return
}

// -----

collective.group @world
collective.group @pairs members(#collective.blocks<2>)
func.func @another_order(%v: tensor<4xf32>) {
  %rank = collective.rank on @world : index
  %c0 = arith.constant 0 : index
  %first = arith.cmpi eq, %rank, %c0 : index
  scf.if %first {
    // expected-error @+1 {{rank 0 issues 'collective.all_reduce' here while rank 1 issues 'collective.broadcast'; ranks issue the same collectives of a set in the same order}}
    %0 = collective.all_reduce sum %v on @pairs : tensor<4xf32>
  } else {
    // expected-note @+1 {{rank 1 is here}}
    %1 = collective.broadcast %v from 0 on @pairs : tensor<4xf32>
  }
  return
}

// -----

collective.group @world
func.func @unknown_peer(%v: tensor<4xf32>, %p: index) {
  // expected-error @+1 {{cannot prove what rank 0 communicates here: the peer depends on data; compute it from the rank, sizes and constants}}
  collective.send %v to %p tag 0 on @world : tensor<4xf32>
  return
}

// -----

collective.group @world
// expected-note @+1 {{it varies because argument 1 of @unknown_branch has no role}}
func.func @unknown_branch(%v: tensor<4xf32>, %flag: i1) {
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{cannot prove what rank 0 communicates here: what decides 'scf.if' depends on data of this rank}}
  scf.if %flag {
    collective.send %v to %c1 tag 0 on @world : tensor<4xf32>
  }
  return
}

// -----

collective.group @world
func.func @unknown_jump(%v: tensor<4xf32>, %flag: i1) {
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{cannot prove what rank 0 communicates here: where this branch goes depends on data; use scf.if, scf.for or scf.while, or decide by the rank and constants}}
  cf.cond_br %flag, ^send, ^out
^send:
  collective.send %v to %c1 tag 0 on @world : tensor<4xf32>
  cf.br ^out
^out:
  return
}

// -----

collective.group @world
func.func @beyond(%v: tensor<4xf32>) {
  %rank = collective.rank on @world : index
  %c1 = arith.constant 1 : index
  %next = arith.addi %rank, %c1 : index
  // expected-error @+1 {{on rank 3 the peer is 4, but its set of @world has the ranks 0 to 3}}
  collective.send %v to %next tag 0 on @world : tensor<4xf32>
  return
}

// -----

collective.group @world
func.func @self(%v: tensor<4xf32>) {
  %c2 = arith.constant 2 : index
  // expected-error @+1 {{rank 2 would communicate with itself}}
  collective.send %v to %c2 tag 0 on @world : tensor<4xf32>
  return
}

// -----

collective.group @world
collective.group @node members(#collective.per_node)
func.func @unknown_set(%v: tensor<4xf32>) {
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{cannot prove what rank 0 communicates here: the members of @node are known only when the program runs}}
  collective.send %v to %c1 tag 0 on @node : tensor<4xf32>
  return
}

// -----

collective.group @world
func.func @too_long(%v: tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %many = arith.constant 2000000 : index
  %rank = collective.rank on @world : index
  scf.for %i = %c0 to %many step %c1 {
    %next = arith.addi %rank, %c1 : index
    %first = arith.cmpi eq, %rank, %c0 : index
    // expected-error @+1 {{cannot prove what rank 0 communicates here: the program takes more than 1000000 steps}}
    scf.if %first {
      collective.send %v to %next tag 0 on @world : tensor<4xf32>
    }
  }
  return
}

// -----

collective.group @world
func.func @unknown_region(%v: tensor<4xf32>) {
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{cannot prove what rank 0 communicates here: how often 'memref.alloca_scope' runs its regions, and in which order, is not defined}}
  memref.alloca_scope {
    collective.send %v to %c1 tag 0 on @world : tensor<4xf32>
  }
  return
}

// -----

collective.group @world
func.func private @deeper(%v: tensor<4xf32>) {
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{cannot prove what rank 0 communicates here: calls are nested more than 64 deep}}
  func.call @deeper(%v) : (tensor<4xf32>) -> ()
  collective.send %v to %c1 tag 0 on @world : tensor<4xf32>
  return
}
func.func @without_end(%v: tensor<4xf32>) {
  func.call @deeper(%v) : (tensor<4xf32>) -> ()
  return
}

// -----

// A loop without signs counts to what a loop with signs takes for a number below zero.
collective.group @world
collective.group @half members(#collective.blocks<2>)
func.func @unsigned_loop(%x: tensor<8xf32>) -> tensor<8xf32> {
  %rank = collective.rank on @world : index
  %c0 = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %far = arith.constant -2147483645 : i32
  %step = arith.constant 1073741824 : i32
  %is_first = arith.cmpi eq, %rank, %c0 : index
  %end = arith.select %is_first, %none, %far : i32
  %y = scf.for unsigned %i = %none to %end step %step iter_args(%a = %x) -> tensor<8xf32> : i32 {
    // expected-error @+1 {{rank 1 waits in 'collective.all_reduce' for all ranks that take part, but rank 0 never comes here}}
    %b = collective.all_reduce sum %a on @half : tensor<8xf32>
    scf.yield %b : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}

// -----

// The last step leads beyond the largest number: three turns on all ranks, and no fourth from below zero.
collective.group @world
collective.group @half members(#collective.blocks<2>)
func.func @no_overflow(%x: tensor<8xf32>) -> tensor<8xf32> {
  %from = arith.constant 100 : i8
  %end = arith.constant 127 : i8
  %step = arith.constant 10 : i8
  %y = scf.for %i = %from to %end step %step iter_args(%a = %x) -> tensor<8xf32> : i8 {
    %b = collective.all_reduce sum %a on @half : tensor<8xf32>
    scf.yield %b : tensor<8xf32>
  }
  return %y : tensor<8xf32>
}
