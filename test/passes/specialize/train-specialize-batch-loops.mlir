// Types follow through loops over micro-batches and through branches; then the parts are slices.
// RUN: dist-opt %s --train-specialize-batch | FileCheck %s
// RUN: dist-opt %s --train-specialize-batch --lower-onnx --lower-train | FileCheck %s --check-prefix=LOWER

module {
  train.dataset @data {global_batch = 64 : i64, shard = #train.shard<strided, error, @world, ranks = 4>}
  // CHECK-LABEL: func.func @step
  // CHECK-SAME: %[[X:.*]]: tensor<16x4xf32>
  // LOWER-LABEL: func.func @step
  // LOWER-SAME: %[[X:.*]]: tensor<16x4xf32>
  func.func @step(%x: tensor<?x4xf32> {train.input = #train.input<"input", @data>}, %flag: i1) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    // CHECK: %[[ZEROS:.*]] = train.zero_batch like %[[X]] : tensor<16x4xf32> -> tensor<16x4xf32>
    // LOWER: arith.constant dense<0.000000e+00> : tensor<16x4xf32>
    %zeros = train.zero_batch like %x : tensor<?x4xf32> -> tensor<?x4xf32>
    // CHECK: scf.for {{.*}} iter_args(%[[Y:.*]] = %[[ZEROS]]) -> (tensor<16x4xf32>)
    // LOWER: scf.for %[[I:.*]] = {{.*}} iter_args(%[[Y:.*]] = %{{.*}}) -> (tensor<16x4xf32>)
    %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%y = %zeros) -> (tensor<?x4xf32>) {
      // CHECK: %[[PART:.*]] = train.micro_batch %{{.*}} of 4 in %[[X]] : tensor<16x4xf32> -> tensor<4x4xf32>
      // LOWER: %[[FIRST:.*]] = arith.muli %[[I]], %{{.*}} : index
      // LOWER: tensor.extract_slice %[[X]][%[[FIRST]], 0] [4, 4] [1, 1] : tensor<16x4xf32> to tensor<4x4xf32>
      %part = train.micro_batch %i of 4 in %x : tensor<?x4xf32> -> tensor<?x4xf32>
      // CHECK: onnx.Relu %[[PART]] : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %a = onnx.Relu %part : (tensor<?x4xf32>) -> tensor<?x4xf32>
      // CHECK: train.put_micro_batch %{{.*}} into %[[Y]] at %{{.*}} of 4 : tensor<4x4xf32> into tensor<16x4xf32>
      // LOWER: tensor.insert_slice %{{.*}} into %[[Y]][%{{.*}}, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<16x4xf32>
      %next = train.put_micro_batch %a into %y at %i of 4 : tensor<?x4xf32> into tensor<?x4xf32>
      scf.yield %next : tensor<?x4xf32>
    }
    // CHECK: scf.if %{{.*}} -> (tensor<16x4xf32>)
    %b = scf.if %flag -> (tensor<?x4xf32>) {
      scf.yield %r : tensor<?x4xf32>
    } else {
      scf.yield %x : tensor<?x4xf32>
    }
    return %r, %b : tensor<?x4xf32>, tensor<?x4xf32>
  }

  // Lists that are joined are as long as all of them.
  // CHECK-LABEL: func.func @joined
  func.func @joined(%x: tensor<?xi64> {train.input = #train.input<"input", @data>}, %y: tensor<4xi64>) -> tensor<?xi64> {
    // CHECK: tensor.concat dim(0) {{.*}} : (tensor<16xi64>, tensor<4xi64>, tensor<16xi64>) -> tensor<36xi64>
    %r = tensor.concat dim(0) %x, %y, %x : (tensor<?xi64>, tensor<4xi64>, tensor<?xi64>) -> tensor<?xi64>
    return %r : tensor<?xi64>
  }
}
