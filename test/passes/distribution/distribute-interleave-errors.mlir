// RUN: dist-opt %s --distribute-interleave="micro-batches=3" --split-input-file --verify-diagnostics
// RUN: not dist-opt %s --distribute-interleave="micro-batches=0" --split-input-file 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: micro-batches must be 1 or more, got 0

module {
  collective.group @tp {size = 2 : i64}
  func.func @step(%batch: tensor<8x3xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    // expected-error@+1 {{interleave=3 does not divide the micro-batches of this loop, of which there are 4; change interleave or accumulate}}
    scf.for %i = %c0 to %c4 step %c1 {
      %x = train.micro_batch %i of 4 in %batch : tensor<8x3xf32> -> tensor<2x3xf32>
      %s = collective.all_reduce sum %x on @tp : tensor<2x3xf32>
    }
    return
  }
}

// -----

module {
  collective.group @tp {size = 2 : i64}
  func.func @step(%batch: tensor<8x3xf32>, %turns: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error@+1 {{interleave=3 does not divide the micro-batches of this loop, whose number is not known; change interleave or accumulate}}
    scf.for %i = %c0 to %turns step %c1 {
      %x = train.micro_batch %i of 4 in %batch : tensor<8x3xf32> -> tensor<2x3xf32>
      %s = collective.all_reduce sum %x on @tp : tensor<2x3xf32>
    }
    return
  }
}

// -----

// expected-warning@+1 {{interleave has no effect: no loop over micro-batches communicates}}
module {
  func.func @step(%batch: tensor<8x3xf32>) -> tensor<8x3xf32> {
    return %batch : tensor<8x3xf32>
  }
}
