// What has no equal in MPI's dialect, each with what to do about it.
// RUN: dist-opt %s --convert-collective-to-mpi --split-input-file --verify-diagnostics
// RUN: not dist-opt %S/convert-collective-to-mpi-starts.mlir --convert-collective-to-mpi="implementation=LAM" 2>&1 | FileCheck %s
// CHECK: convert-collective-to-mpi knows the implementations MPICH and OpenMPI, got 'LAM'

collective.group @world
func.func @any_number(%x: memref<4xf32>) {
  // expected-error @+1 {{the number of ranks is not known: give the world a size, for example with specialize-world}}
  collective.all_reduce sum %x into %x on @world : memref<4xf32>
  return
}

// -----

collective.group @world {size = 2 : i64}
func.func @tensors(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{is on tensors, and MPI knows memory only; run one-shot-bufferize before}}
  %0 = collective.all_reduce sum %x on @world : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

collective.group @world {size = 2 : i64}
func.func @received_tensors(%from: index) -> tensor<4xf32> {
  // expected-error @+1 {{is on tensors, and MPI knows memory only; run one-shot-bufferize before}}
  %0 = collective.recv from %from tag 0 on @world : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

collective.group @world {size = 2 : i64}
func.func @axis(%x: memref<2x4xf32>, %y: memref<2x8xf32>) {
  // expected-error @+1 {{joins or cuts along axis 1, but buffers are joined and cut along axis 0; run lower-collective-axes before bufferization}}
  collective.all_gather %x into %y along 1 on @world : memref<2x4xf32> -> memref<2x8xf32>
  return
}

// -----

collective.group @world {size = 2 : i64}
func.func @concatenated(%x: memref<2x4xf32>, %y: memref<1x8xf32>) {
  // expected-error @+1 {{joins or cuts along axis 1, but buffers are joined and cut along axis 0; run lower-collective-axes before bufferization}}
  collective.all_to_all %x into %y split 0 concat 1 on @world : memref<2x4xf32> -> memref<1x8xf32>
  return
}

// -----

collective.group @world {size = 2 : i64}
collective.group @node members(#collective.per_node)
func.func @nodes(%x: memref<4xf32>) {
  // expected-error @+1 {{the ranks of @node are known only when the program runs: MPI's dialect cannot ask which ranks share a node; list them (#collective.blocks, #collective.strided or #collective.ranks), or give convert-collective-to-mpi their number as ranks-per-node}}
  collective.all_reduce sum %x into %x on @node : memref<4xf32>
  return
}

// -----

collective.group @world {size = 2 : i64}
func.func @which_node() -> index {
  // expected-error @+1 {{MPI's dialect has no equal of collective.local_rank; it cannot ask which ranks share a node: say it with ranks-per-node of convert-collective-to-mpi}}
  %rank = collective.local_rank : index
  return %rank : index
}

// -----

collective.group @world {size = 2 : i64}
func.func @how_many_on_node() -> index {
  // expected-error @+1 {{MPI's dialect has no equal of collective.local_size}}
  %size = collective.local_size : index
  return %size : index
}

// -----

collective.group @world {size = 2 : i64}
func.func @tag(%x: memref<4xf32>, %to: index) {
  // expected-error @+1 {{tag 32767 is too large: with 1 groups, MPI is sure to tell tags up to 32766 apart}}
  collective.send %x to %to tag 32767 on @world : memref<4xf32>
  return
}

// -----

collective.group @world {size = 2 : i64}
func.func @message_beside(%x: memref<4xf32>, %to: index) {
  %future = collective.async {
    // expected-error @+1 {{is a message beside computation, which may meet another one later; upstream's MPI dialect has messages only that block}}
    collective.send %x to %to tag 0 on @world : memref<4xf32>
    collective.yield
  } : !collective.future
  collective.await %future : !collective.future
  return
}

// -----

collective.group @world {size = 2 : i64}
func.func @device(%x: memref<4xf32, 1>) {
  // expected-error @+1 {{is on 'memref<4xf32, 1>'; expected memory of the host, which has no memory space}}
  collective.all_reduce sum %x into %x on @world : memref<4xf32, 1>
  return
}

// -----

collective.group @world {size = 2 : i64}
func.func @large(%x: memref<2147483648xi8>) {
  // expected-error @+1 {{is on 'memref<2147483648xi8>', of more elements than the 2147483647 that upstream's MPI dialect counts; cut it into parts}}
  collective.broadcast %x into %x from 0 on @world : memref<2147483648xi8>
  return
}

// -----

func.func @left(%w: tensor<4xf32>, %g: tensor<4xf32>, %rate: tensor<f32>) -> tensor<4xf32> {
  // expected-error @+1 {{train.sgd is left, which upstream's tools do not know; lower the dialect train before convert-collective-to-mpi}}
  %new = train.sgd %w gradient %g rate %rate : tensor<4xf32>, tensor<f32>
  return %new : tensor<4xf32>
}
