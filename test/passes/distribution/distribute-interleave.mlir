// Segments of two micro-batches take turns: one computes while what the other made is on its way.
// RUN: dist-opt %s --distribute-interleave="micro-batches=2" | FileCheck %s
// RUN: dist-opt %s --distribute-interleave="micro-batches=2" --remarks --remarks-filter=distribute-.* -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: dist-opt %s --distribute-interleave="micro-batches=4" | FileCheck %s --check-prefix=ALL
// RUN: dist-opt %s --distribute-interleave="micro-batches=1" | FileCheck %s --check-prefix=SAME
// RUN: dist-opt %s --distribute-interleave="micro-batches=2" --collective-overlap | FileCheck %s --check-prefix=OVERLAP

// REMARK-NOT: warning
// REMARK: 2 micro-batches are computed together, in 3 segments each
// REMARK: micro-batches are computed one after the other: nothing in it communicates
// REMARK: micro-batches are computed one after the other: 'collective.barrier' in it may only run in its place

// SAME-NOT: train.turn

module {
  collective.group @tp {size = 2 : i64}

  // CHECK-LABEL: func.func @step
  // CHECK: dense<0.0
  // CHECK-NEXT: %[[ONE:.*]] = arith.constant 1 : index
  // CHECK-NEXT: %[[TWO:.*]] = arith.constant 2 : index
  // CHECK: scf.for %[[I:.*]] = %c0 to %c4 step %[[TWO]] iter_args(%[[G:.*]] = %{{.*}}) ->
  // CHECK-NEXT: %[[X:.*]] = train.micro_batch %[[I]] of 4 in %arg0 {train.turn = 0 : i64}
  // CHECK-NEXT: %[[NOISE:.*]] = onnx.RandomUniformLike %[[X]] {{.*}}train.turn = 0 : i64
  // CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[X]], %[[NOISE]]
  // CHECK-NEXT: %[[S:.*]] = collective.all_reduce sum %[[Y]]
  // CHECK-NEXT: %[[J:.*]] = arith.addi %[[I]], %[[ONE]]
  // CHECK-NEXT: %[[X2:.*]] = train.micro_batch %[[J]] of 4 in %arg0 {train.turn = 1 : i64}
  // CHECK-NEXT: %[[NOISE2:.*]] = onnx.RandomUniformLike %[[X2]] {{.*}}train.turn = 1 : i64
  // CHECK-NEXT: %[[Y2:.*]] = arith.mulf %[[X2]], %[[NOISE2]]
  // CHECK-NEXT: %[[S2:.*]] = collective.all_reduce sum %[[Y2]]
  // CHECK-NEXT: %[[E:.*]] = math.exp %[[S]]
  // CHECK-NEXT: %[[T:.*]] = collective.all_reduce sum %[[E]]
  // CHECK-NEXT: %[[E2:.*]] = math.exp %[[S2]]
  // CHECK-NEXT: %[[T2:.*]] = collective.all_reduce sum %[[E2]]
  // CHECK-NEXT: %[[G1:.*]] = arith.addf %[[G]], %[[T]]
  // CHECK-NEXT: %[[G2:.*]] = arith.addf %[[G1]], %[[T2]]
  // CHECK-NEXT: scf.yield %[[G2]]

  // ALL-LABEL: func.func @step
  // ALL: scf.for {{.*}} to %c4 step %c4_{{[0-9]+}}
  // ALL-COUNT-4: math.exp
  // ALL-NOT: math.exp
  // ALL-COUNT-4: arith.addf
  // ALL: scf.yield

  // The first exchange of each runs alongside the other's work.
  // OVERLAP: %[[F:.*]] = collective.async
  // OVERLAP: micro_batch {{.*}}train.turn = 1
  // OVERLAP: %[[F2:.*]] = collective.async
  // OVERLAP: collective.await %[[F]]
  // OVERLAP-NEXT: math.exp
  // OVERLAP-NEXT: %[[F3:.*]] = collective.async
  // OVERLAP: collective.await %[[F2]]
  // OVERLAP-NEXT: math.exp
  func.func @step(%batch: tensor<8x3xf32>) -> tensor<2x3xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant dense<0.0> : tensor<2x3xf32>
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%g = %zero) -> tensor<2x3xf32> {
      %x = train.micro_batch %i of 4 in %batch : tensor<8x3xf32> -> tensor<2x3xf32>
      %noise = onnx.RandomUniformLike %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
      %y = arith.mulf %x, %noise : tensor<2x3xf32>
      %s = collective.all_reduce sum %y on @tp : tensor<2x3xf32>
      %e = math.exp %s : tensor<2x3xf32>
      %t = collective.all_reduce sum %e on @tp : tensor<2x3xf32>
      %next = arith.addf %g, %t : tensor<2x3xf32>
      scf.yield %next : tensor<2x3xf32>
    }
    return %sum : tensor<2x3xf32>
  }

  // CHECK-LABEL: func.func @silent
  // CHECK: step %c1
  // CHECK-NOT: train.turn
  func.func @silent(%batch: tensor<8x3xf32>) -> tensor<2x3xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant dense<0.0> : tensor<2x3xf32>
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%g = %zero) -> tensor<2x3xf32> {
      %x = train.micro_batch %i of 4 in %batch : tensor<8x3xf32> -> tensor<2x3xf32>
      %next = arith.addf %g, %x : tensor<2x3xf32>
      scf.yield %next : tensor<2x3xf32>
    }
    return %sum : tensor<2x3xf32>
  }

  // CHECK-LABEL: func.func @ordered
  // CHECK: step %c1
  // CHECK-NOT: train.turn
  func.func @ordered(%batch: tensor<8x3xf32>) -> tensor<2x3xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant dense<0.0> : tensor<2x3xf32>
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%g = %zero) -> tensor<2x3xf32> {
      %x = train.micro_batch %i of 4 in %batch : tensor<8x3xf32> -> tensor<2x3xf32>
      %s = collective.all_reduce sum %x on @tp : tensor<2x3xf32>
      collective.barrier on @tp
      %next = arith.addf %g, %s : tensor<2x3xf32>
      scf.yield %next : tensor<2x3xf32>
    }
    return %sum : tensor<2x3xf32>
  }

  // A loop over something else is none of its turns.
  // CHECK-LABEL: func.func @other
  // CHECK: step %c1
  func.func @other(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %sum = scf.for %i = %c0 to %c4 step %c1 iter_args(%g = %x) -> tensor<2x3xf32> {
      %s = collective.all_reduce sum %g on @tp : tensor<2x3xf32>
      scf.yield %s : tensor<2x3xf32>
    }
    return %sum : tensor<2x3xf32>
  }
}
