// What a dialect lacks leaves its operations as they are, or is an error that says what is lacking.
// RUN: split-file %s %t
// RUN: not %foreign %t/no-group.mlir --collective-verify-order 2>&1 | FileCheck %t/no-group.mlir
// RUN: not %foreign %t/never-fetched.mlir --collective-verify-order 2>&1 | FileCheck %t/never-fetched.mlir
// RUN: %foreign %t/mute.mlir --collective-fuse --collective-hierarchy="ranks-per-node=2" --collective-simplify="reassociate split-all-reduce" --collective-overlap --remarks-filter=.* 2>&1 | FileCheck %t/mute.mlir
// RUN: not %foreign %t/no-factory.mlir --distribute-broadcast-variables 2>&1 | FileCheck %t/no-factory.mlir
// RUN: %foreign %t/compress.mlir --collective-compress="min-bytes=0" --remarks-filter=.* 2>&1 | FileCheck %t/compress.mlir
// RUN: not %foreign %t/divergent.mlir --collective-verify-order 2>&1 | FileCheck %t/divergent.mlir

//--- no-group.mlir
// CHECK: error: 'exchange.meet' communicates on @elsewhere, which is no group: nobody knows who takes part; declare a symbol of this name that has GroupOpInterface
func.func private @elsewhere()
func.func @meet() {
  exchange.meet @elsewhere
  return
}

//--- never-fetched.mlir
// CHECK: error: the future is never awaited, so that nobody knows when its communication is complete; add exchange.fetch
exchange.ring @all ranks 4
func.func @post(%x: tensor<4xf32>) {
  %ticket = exchange.post {
    %sum = exchange.share all_reduce by sum (%x) around @all : (tensor<4xf32>) -> tensor<4xf32>
    exchange.hand %sum : tensor<4xf32>
  } : !exchange.ticket
  return
}

//--- divergent.mlir
// CHECK: error: not all ranks reach 'exchange.share' equally often: those that do would wait for the others for ever
// CHECK: note: ranks decide 'scf.if' differently
// CHECK: note: it varies because the result of 'exchange.ask' is different on each rank by its meaning
exchange.ring @all ranks 4
func.func @first(%x: tensor<4xf32>) {
  %rank = exchange.ask rank around @all
  %zero = arith.constant 0 : index
  %first = arith.cmpi eq, %rank, %zero : index
  scf.if %first {
    %sum = exchange.share all_reduce by sum (%x) around @all : (tensor<4xf32>) -> tensor<4xf32>
  }
  return
}

//--- mute.mlir
// CHECK-DAG: its dialect has no CommunicationDialectInterface, which would make a bucket
// CHECK-DAG: its dialect lacks the groups or the operations of the parts
// CHECK-DAG: its dialect has no pair of operations that start and await it
// CHECK-LABEL: func.func @untouched
// CHECK: mute.sum
// CHECK: mute.sum
// CHECK: arith.addf
mute.everyone @all 4
func.func @untouched(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %ra = mute.sum %a of @all : tensor<8xf32> -> tensor<8xf32>
  %rb = mute.sum %b of @all : tensor<8xf32> -> tensor<8xf32>
  %sum = arith.addf %ra, %rb : tensor<8xf32>
  return %sum : tensor<8xf32>
}

//--- no-factory.mlir
// CHECK: error: the group of all ranks is a 'mute.everyone', whose dialect has no CommunicationDialectInterface: nobody makes collectives of it; see docs/embedding.md
#w = #train.variable<"w", trainable>
module attributes {train.program} {
  mute.everyone @all 4
  func.func @initialize() -> (tensor<4xf32> {train.variable = #w}) {
    %w = arith.constant dense<0.0> : tensor<4xf32>
    return %w : tensor<4xf32>
  }
  func.func @step(%w: tensor<4xf32> {train.variable = #w}) -> (tensor<4xf32> {train.variable = #w}) {
    return %w : tensor<4xf32>
  }
}

//--- compress.mlir
// CHECK: its dialect has no CommunicationDialectInterface, which would make the sum
mute.everyone @all 4
func.func @step(%g: tensor<4xf32>) -> tensor<4xf32> {
  %r = mute.sum %g of @all : tensor<4xf32> -> tensor<4xf32>
  %m = train.mark_gradient %r : tensor<4xf32>
  return %m : tensor<4xf32>
}
