// Programs of upstream's mpi dialect: nobody waits for ever, or an error says who does.
// RUN: dist-opt %s --collective-verify-order --split-input-file --verify-diagnostics

// Round all ranks: odd ones receive first.
collective.group @world {size = 4 : i64}
func.func @ring(%m: memref<4xf32>, %n: memref<4xf32>) {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %world = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%world) : i32
  %size = mpi.comm_size(%world) : i32
  %up = arith.addi %rank, %c1 : i32
  %next = arith.remui %up, %size : i32
  %down = arith.addi %rank, %c3 : i32
  %last = arith.remui %down, %c4 : i32
  %half = arith.remui %rank, %c2 : i32
  %is_odd = arith.cmpi eq, %half, %c1 : i32
  scf.if %is_odd {
    mpi.recv(%n, %c1, %last, %world) : memref<4xf32>, i32, i32
    mpi.send(%m, %c1, %next, %world) : memref<4xf32>, i32, i32
  } else {
    mpi.send(%m, %c1, %next, %world) : memref<4xf32>, i32, i32
    mpi.recv(%n, %c1, %last, %world) : memref<4xf32>, i32, i32
  }
  mpi.allreduce(%m, %n, MPI_SUM, %world) : memref<4xf32>, memref<4xf32>
  mpi.barrier(%world)
  return
}

// -----

collective.group @world {size = 2 : i64}
func.func @both_send_first(%m: memref<4xf32>, %n: memref<4xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %world = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%world) : i32
  %other = arith.subi %c1, %rank : i32
  // expected-error @+3 {{ranks wait for each other in a circle: rank 0 sends to rank 1 with tag 0}}
  // expected-note @+2 {{while rank 1 sends to rank 0 with tag 0}}
  // expected-note @+1 {{a send may wait for its receive}}
  mpi.send(%m, %c0, %other, %world) : memref<4xf32>, i32, i32
  mpi.recv(%n, %c0, %other, %world) : memref<4xf32>, i32, i32
  return
}

// -----

collective.group @world {size = 2 : i64}
func.func @barrier_of_one() {
  %c0 = arith.constant 0 : i32
  %world = mpi.comm_world : !mpi.comm
  // expected-note @+1 {{it varies because the result of 'mpi.comm_rank' is different on each rank by its meaning}}
  %rank = mpi.comm_rank(%world) : i32
  // expected-note @+1 {{and so does the result of 'arith.cmpi'}}
  %is_first = arith.cmpi eq, %rank, %c0 : i32
  // expected-note @+1 {{ranks decide 'scf.if' differently}}
  scf.if %is_first {
    // expected-error @+1 {{not all ranks reach 'mpi.barrier' equally often}}
    mpi.barrier(%world)
  }
  return
}

// -----

// How many ranks there are is the same on all of them.
collective.group @world
func.func @barrier_of_all() {
  %c1 = arith.constant 1 : i32
  %world = mpi.comm_world : !mpi.comm
  %size = mpi.comm_size(%world) : i32
  %is_alone = arith.cmpi ne, %size, %c1 : i32
  scf.if %is_alone {
    mpi.barrier(%world)
  }
  return
}

// -----

collective.group @world {size = 2 : i64}
func.func @other_count(%m: memref<4xf32>, %n: memref<3xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %world = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%world) : i32
  %is_first = arith.cmpi eq, %rank, %c0 : i32
  scf.if %is_first {
    // expected-error @+1 {{is sent as}}
    mpi.send(%m, %c0, %c1, %world) : memref<4xf32>, i32, i32
  } else {
    // expected-note @+1 {{but received as 'tensor<3xf32>'}}
    mpi.recv(%n, %c0, %c0, %world) : memref<3xf32>, i32, i32
  }
  return
}

// -----

collective.group @world {size = 2 : i64}
func.func @computed_tag(%m: memref<4xf32>, %tag: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %world = mpi.comm_world : !mpi.comm
  %rank = mpi.comm_rank(%world) : i32
  %other = arith.subi %c1, %rank : i32
  // expected-error @+1 {{the tag is computed; give a constant}}
  mpi.send(%m, %tag, %other, %world) : memref<4xf32>, i32, i32
  return
}

// -----

func.func @no_world() {
  %world = mpi.comm_world : !mpi.comm
  // expected-error @+1 {{'mpi.barrier' communicates on @MPI_COMM_WORLD, which is no group: nobody knows who takes part}}
  mpi.barrier(%world)
  return
}

// -----

collective.group @world {size = 2 : i64}
func.func @split(%m: memref<4xf32>, %color: i32) {
  %world = mpi.comm_world : !mpi.comm
  %part = mpi.comm_split(%world, %color, %color) : !mpi.comm
  // expected-error @+1 {{'mpi.allreduce' communicates on @MPI_COMM_SPLIT, which is no group: nobody knows who takes part}}
  mpi.allreduce(%m, %m, MPI_SUM, %part) : memref<4xf32>, memref<4xf32>
  return
}
