// 4,096 ranks: each executes what decides its messages alone, and equal sets of ranks are one object. Were they
// copied into each event, this would take gigabytes.
// RUN: dist-opt %s --collective-verify-order="ranks=4096" -o /dev/null
// RUN: sed 's/%next tag 1/%next tag 2/' %s > %t.mlir
// RUN: not dist-opt %t.mlir --collective-verify-order="ranks=4096" -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: what should be received from rank 0 to rank 1 with tag 1 is never sent: rank 0 sends 0, rank 1 receives 64 such messages

collective.group @world
func.func @step(%v: tensor<4xf32>) -> tensor<4xf32> {
  %rank = collective.rank on @world : index
  %size = collective.size on @world : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %up = arith.addi %rank, %c1 : index
  %next = arith.remui %up, %size : index
  %down = arith.addi %rank, %size : index
  %less = arith.subi %down, %c1 : index
  %previous = arith.remui %less, %size : index
  %odd = arith.remui %rank, %c2 : index
  %even = arith.cmpi eq, %odd, %c0 : index
  %0 = scf.for %i = %c0 to %c64 step %c1 iter_args(%at = %v) -> tensor<4xf32> {
    %got = scf.if %even -> tensor<4xf32> {
      collective.send %at to %next tag 1 on @world : tensor<4xf32>
      %1 = collective.recv from %previous tag 1 on @world : tensor<4xf32>
      scf.yield %1 : tensor<4xf32>
    } else {
      %1 = collective.recv from %previous tag 1 on @world : tensor<4xf32>
      collective.send %at to %next tag 1 on @world : tensor<4xf32>
      scf.yield %1 : tensor<4xf32>
    }
    %sum = collective.all_reduce sum %got on @world : tensor<4xf32>
    scf.yield %sum : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
