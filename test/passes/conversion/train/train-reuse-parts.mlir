// What is put together of micro-batches begins as what they have read.
// RUN: dist-opt %s --train-reuse-parts | FileCheck %s

// CHECK-LABEL: func.func @rows
// CHECK-SAME: (%[[X:.*]]: tensor<8x3x2xf32>, 
func.func @rows(%x: tensor<8x3x2xf32>, %k: tensor<24xi64>) -> tensor<24x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // CHECK: %[[ROWS:.*]] = onnx.Tanh %[[X]]
  %rows = onnx.Tanh %x : (tensor<8x3x2xf32>) -> tensor<8x3x2xf32>
  %zeros = train.zero_batch like %k : tensor<24xi64> -> tensor<24x2xf32>
  // CHECK: %[[BEGIN:.*]] = tensor.collapse_shape %[[ROWS]] {{\[\[}}0, 1], [2]] : tensor<8x3x2xf32> into tensor<24x2xf32>
  // CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[ALL:.*]] = %[[BEGIN]])
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%all = %zeros) -> (tensor<24x2xf32>) {
    // CHECK-NEXT: %[[TAKEN:.*]] = train.micro_batch %[[I]] of 4 in %[[ALL]] : tensor<24x2xf32> -> tensor<6x2xf32>
    // CHECK-NEXT: %[[PART:.*]] = tensor.expand_shape %[[TAKEN]] {{\[\[}}0, 1], [2]] output_shape [2, 3, 2] : tensor<6x2xf32> into tensor<2x3x2xf32>
    %part = train.micro_batch %i of 4 in %rows : tensor<8x3x2xf32> -> tensor<2x3x2xf32>
    // CHECK-NEXT: onnx.Relu %[[PART]]
    %g = onnx.Relu %part : (tensor<2x3x2xf32>) -> tensor<2x3x2xf32>
    %list = onnx.Reshape %g {shape = array<i64: 6, 2>} : (tensor<2x3x2xf32>) -> tensor<6x2xf32>
    // CHECK: train.put_micro_batch %{{.*}} into %[[ALL]] at %[[I]] of 4
    %next = train.put_micro_batch %list into %all at %i of 4 : tensor<6x2xf32> into tensor<24x2xf32>
    scf.yield %next : tensor<24x2xf32>
  }
  return %r : tensor<24x2xf32>
}

// Each value once; what has another size, or begins as something else, keeps what it has.
// CHECK-LABEL: func.func @each
// CHECK: %[[A:.*]] = onnx.Tanh
// CHECK: %[[B:.*]] = onnx.Tanh
// CHECK: %[[LONG:.*]] = train.zero_batch {{.*}} -> tensor<16xf32>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[A]], %{{.*}} = %[[LONG]], %{{.*}} = %[[B]], %{{.*}} = %{{.*}}, %{{.*}} = %arg1)
func.func @each(%x: tensor<8xf32>, %other: tensor<8xf32>, %k: tensor<16xi64>) -> (tensor<8xf32>, tensor<16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = onnx.Tanh %x : (tensor<8xf32>) -> tensor<8xf32>
  %b = onnx.Tanh %other : (tensor<8xf32>) -> tensor<8xf32>
  %zeros = train.zero_batch like %x : tensor<8xf32> -> tensor<8xf32>
  %long = train.zero_batch like %k : tensor<16xi64> -> tensor<16xf32>
  %r:5 = scf.for %i = %c0 to %c4 step %c1 iter_args(%p = %zeros, %q = %long, %s = %zeros, %t = %zeros, %u = %other)
      -> (tensor<8xf32>, tensor<16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %pa = train.micro_batch %i of 4 in %a : tensor<8xf32> -> tensor<2xf32>
    %pb = train.micro_batch %i of 4 in %b : tensor<8xf32> -> tensor<2xf32>
    %px = train.micro_batch %i of 4 in %x : tensor<8xf32> -> tensor<2xf32>
    %sum = arith.addf %pa, %pb : tensor<2xf32>
    %more = tensor.concat dim(0) %sum, %px : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
    %p1 = train.put_micro_batch %sum into %p at %i of 4 : tensor<2xf32> into tensor<8xf32>
    %q1 = train.put_micro_batch %more into %q at %i of 4 : tensor<4xf32> into tensor<16xf32>
    %s1 = train.put_micro_batch %px into %s at %i of 4 : tensor<2xf32> into tensor<8xf32>
    %t1 = train.put_micro_batch %px into %t at %i of 4 : tensor<2xf32> into tensor<8xf32>
    %u1 = train.put_micro_batch %px into %u at %i of 4 : tensor<2xf32> into tensor<8xf32>
    scf.yield %p1, %q1, %s1, %t1, %u1 : tensor<8xf32>, tensor<16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<8xf32>, tensor<16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// What is used again, is of all turns in each turn, or is put in some turns only, stays where it is.
// CHECK-LABEL: func.func @kept
// CHECK: %[[ZEROS:.*]] = train.zero_batch
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[ZEROS]])
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[ZEROS]])
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[ZEROS]])
func.func @kept(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %again = onnx.Tanh %x : (tensor<8xf32>) -> tensor<8xf32>
  %first = onnx.Tanh %x : (tensor<8xf32>) -> tensor<8xf32>
  %some = onnx.Tanh %x : (tensor<8xf32>) -> tensor<8xf32>
  %zeros = train.zero_batch like %x : tensor<8xf32> -> tensor<8xf32>
  %a = scf.for %i = %c0 to %c4 step %c1 iter_args(%p = %zeros) -> (tensor<8xf32>) {
    %part = train.micro_batch %i of 4 in %again : tensor<8xf32> -> tensor<2xf32>
    %n = train.put_micro_batch %part into %p at %i of 4 : tensor<2xf32> into tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  %b = scf.for %i = %c0 to %c4 step %c1 iter_args(%p = %zeros) -> (tensor<8xf32>) {
    %part = train.micro_batch %c1 of 4 in %first : tensor<8xf32> -> tensor<2xf32>
    %n = train.put_micro_batch %part into %p at %i of 4 : tensor<2xf32> into tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  %c = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %zeros) -> (tensor<8xf32>) {
    %part = train.micro_batch %i of 4 in %some : tensor<8xf32> -> tensor<2xf32>
    %n = train.put_micro_batch %part into %p at %i of 4 : tensor<2xf32> into tensor<8xf32>
    scf.yield %n : tensor<8xf32>
  }
  return %a, %b, %c, %again : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}
